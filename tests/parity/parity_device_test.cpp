// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "parity/general.h"
#include "parity/parity.h"

namespace packetwarp::test {

INSTANTIATE_TEST_SUITE_P(of, parity,
                         testing::Combine(testing::ValuesIn(tested_functions), testing::ValuesIn(tested_executors),
                                          testing::ValuesIn(tested_placements), testing::ValuesIn(tested_bursts),
                                          testing::ValuesIn(tested_packet_times)),
                         name_of);
INSTANTIATE_TEST_SUITE_P(with_tables, parity,
                         testing::Combine(testing::ValuesIn(tested_functions_with_tables),
                                          testing::ValuesIn(tested_executors), testing::ValuesIn(tested_placements),
                                          testing::ValuesIn(tested_bursts), testing::ValuesIn(no_packet_time)),
                         name_of);
INSTANTIATE_TEST_SUITE_P(that_push, parity,
                         testing::Combine(testing::ValuesIn(tested_functions_that_push),
                                          testing::ValuesIn(tested_executors),
                                          testing::ValuesIn(tested_placements_with_headroom),
                                          testing::ValuesIn(tested_bursts), testing::ValuesIn(no_packet_time)),
                         name_of);

// Sizes around the room of a lane, a unit and a block.
constexpr std::array bursts_of_general{1u, 33u, 64u, 65u, 1000u, 8192u};
INSTANTIATE_TEST_SUITE_P(general, parity,
                         testing::Combine(testing::ValuesIn(tested_general), testing::ValuesIn(tested_executors),
                                          testing::ValuesIn(tested_placements), testing::ValuesIn(bursts_of_general),
                                          testing::ValuesIn(no_packet_time)),
                         name_of);
INSTANTIATE_TEST_SUITE_P(general_that_pushes, parity,
                         testing::Combine(testing::ValuesIn(tested_general_that_push),
                                          testing::ValuesIn(tested_executors),
                                          testing::ValuesIn(tested_placements_with_headroom),
                                          testing::ValuesIn(bursts_of_general), testing::ValuesIn(no_packet_time)),
                         name_of);

}  // namespace packetwarp::test
