// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <memory>

#include "executor/cpu.h"
#include "joint/greedy.h"
#include "joint/joint_oracle.h"
#include "joint/patient_score.h"
#include "joint/route_oracle.h"

namespace packetwarp {

template <packet_function F>
std::unique_ptr<executor> make_cpu_executor(burst_ring& ring, typename F::ref const& tables,
                                            std::chrono::nanoseconds packet_time) {
  return std::make_unique<cpu_executor<F>>(ring, tables, packet_time);
}
template std::unique_ptr<executor> make_cpu_executor<test::payload_sum>(burst_ring&, test::payload_sum::ref const&,
                                                                        std::chrono::nanoseconds);
template std::unique_ptr<executor> make_cpu_executor<test::header_score>(burst_ring&, test::header_score::ref const&,
                                                                         std::chrono::nanoseconds);
template std::unique_ptr<executor> make_cpu_executor<test::long_tables>(burst_ring&, test::long_tables::ref const&,
                                                                        std::chrono::nanoseconds);
template std::unique_ptr<executor> make_cpu_executor<test::greedy>(burst_ring&, test::greedy::ref const&,
                                                                   std::chrono::nanoseconds);
template std::unique_ptr<executor> make_cpu_executor<test::header_score_apart>(burst_ring&,
                                                                               test::header_score_apart::ref const&,
                                                                               std::chrono::nanoseconds);
template std::unique_ptr<executor> make_cpu_executor<test::routes_judged_apart>(burst_ring&,
                                                                                test::routes_judged_apart::ref const&,
                                                                                std::chrono::nanoseconds);
template std::unique_ptr<executor> make_cpu_executor<test::judged_routes>(burst_ring&, test::judged_routes::ref const&,
                                                                          std::chrono::nanoseconds);
template std::unique_ptr<executor> make_cpu_executor<test::patient_score>(burst_ring&, test::patient_score::ref const&,
                                                                          std::chrono::nanoseconds);
template std::unique_ptr<executor> make_cpu_executor<test::patient_score_apart>(burst_ring&,
                                                                                test::patient_score_apart::ref const&,
                                                                                std::chrono::nanoseconds);
template std::unique_ptr<executor> make_cpu_executor<test::switched_scores>(burst_ring&,
                                                                            test::switched_scores::ref const&,
                                                                            std::chrono::nanoseconds);

}  // namespace packetwarp
