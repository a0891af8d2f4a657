// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>

#include "joint/epoch_oracle.h"
#include "parity/parity.h"

namespace packetwarp::test {

// A ring of one slot, and bursts of several units.
constexpr std::array bursts_of_epochs{7u, 257u};

// Every executor on a GPU gives each packet the epoch of its burst, by each way: in the work of a group, by a stage's
// own kernels, and in the decision on the packet.
INSTANTIATE_TEST_SUITE_P(epochs, parity,
                         testing::Combine(testing::ValuesIn(epoch_functions), testing::ValuesIn(tested_executors),
                                          testing::ValuesIn(tested_placements), testing::ValuesIn(bursts_of_epochs),
                                          testing::ValuesIn(no_packet_time)),
                         name_of);
INSTANTIATE_TEST_SUITE_P(epochs_apart, parity,
                         testing::Combine(testing::ValuesIn(epoch_functions_apart),
                                          testing::ValuesIn(executors_with_launches()),
                                          testing::ValuesIn(tested_placements), testing::ValuesIn(bursts_of_epochs),
                                          testing::ValuesIn(no_packet_time)),
                         name_of);

}  // namespace packetwarp::test
