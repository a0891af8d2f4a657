// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <memory>

#include "executor/cpu.h"
#include "joint/epoch_chains.h"

namespace packetwarp {

template <packet_function F>
std::unique_ptr<executor> make_cpu_executor(burst_ring& ring, typename F::ref const& tables,
                                            std::chrono::nanoseconds packet_time) {
  return std::make_unique<cpu_executor<F>>(ring, tables, packet_time);
}
template std::unique_ptr<executor> make_cpu_executor<test::stamped_forward>(burst_ring&,
                                                                            test::stamped_forward::ref const&,
                                                                            std::chrono::nanoseconds);
template std::unique_ptr<executor> make_cpu_executor<test::epoch_mark>(burst_ring&, test::epoch_mark::ref const&,
                                                                       std::chrono::nanoseconds);
template std::unique_ptr<executor> make_cpu_executor<test::epoch_mark_apart>(burst_ring&,
                                                                             test::epoch_mark_apart::ref const&,
                                                                             std::chrono::nanoseconds);
template std::unique_ptr<executor> make_cpu_executor<test::switched_marks>(burst_ring&,
                                                                           test::switched_marks::ref const&,
                                                                           std::chrono::nanoseconds);
template std::unique_ptr<executor> make_cpu_executor<test::marked_apart>(burst_ring&, test::marked_apart::ref const&,
                                                                         std::chrono::nanoseconds);

}  // namespace packetwarp
