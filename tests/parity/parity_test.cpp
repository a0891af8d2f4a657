// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "parity/parity.h"

#include "parity/general.h"

namespace packetwarp::test {

// The part that needs no GPU: the cpu executor, the measure of every other one.
INSTANTIATE_TEST_SUITE_P(on_cpu, parity,
                         testing::Combine(testing::ValuesIn(tested_functions), testing::Values(on_cpu),
                                          testing::Values(placement::host), testing::ValuesIn(tested_bursts),
                                          testing::ValuesIn(tested_packet_times)),
                         name_of);
INSTANTIATE_TEST_SUITE_P(with_tables_on_cpu, parity,
                         testing::Combine(testing::ValuesIn(tested_functions_with_tables), testing::Values(on_cpu),
                                          testing::Values(placement::host), testing::ValuesIn(tested_bursts),
                                          testing::ValuesIn(no_packet_time)),
                         name_of);
INSTANTIATE_TEST_SUITE_P(that_push_on_cpu, parity,
                         testing::Combine(testing::ValuesIn(tested_functions_that_push), testing::Values(on_cpu),
                                          testing::Values(placement::host), testing::ValuesIn(tested_bursts),
                                          testing::ValuesIn(no_packet_time)),
                         name_of);

// Sizes around the room of the cpu executor's look ahead.
constexpr std::array bursts_of_general{1u, 16u, 33u, 64u, 257u, 8192u};
INSTANTIATE_TEST_SUITE_P(general_on_cpu, parity,
                         testing::Combine(testing::ValuesIn(tested_general), testing::Values(on_cpu),
                                          testing::Values(placement::host), testing::ValuesIn(bursts_of_general),
                                          testing::ValuesIn(tested_packet_times)),
                         name_of);
INSTANTIATE_TEST_SUITE_P(general_that_pushes_on_cpu, parity,
                         testing::Combine(testing::ValuesIn(tested_general_that_push), testing::Values(on_cpu),
                                          testing::Values(placement::host), testing::ValuesIn(bursts_of_general),
                                          testing::ValuesIn(tested_packet_times)),
                         name_of);

}  // namespace packetwarp::test
