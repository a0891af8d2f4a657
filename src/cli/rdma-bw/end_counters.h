// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "rdma/network/network_test.h"

namespace packetwarp {

// Names and values, as an endpoint has them.
using end_counters = std::vector<std::pair<std::string, std::uint64_t>>;

// "packets: 64 sent, 1 of them again; ...": the counters in which a network's losses show, and packets that were
// dropped for another reason; or "engine: 64 writes, ...". Nothing without counters of engine `roce` or `host`.
[[nodiscard]] std::string line_of_counters(end_counters const& counters);

// The line of an error, if an end has executed fewer writes than its peer tells of; nothing if it has executed as many,
// or does not count them. A peer that measures for a time executes more than it tells of.
[[nodiscard]] std::string shortfall_of(rdma::told_result const& told, end_counters const& counters,
                                       std::string const& peer);
// Ends the traffic, and throws failure with that line.
void require_executed(rdma::told_result const& told, rdma::connected_pair& pair);

// The counters of an end whose test has failed, after its traffic has ended; nothing if the traffic does not end.
[[nodiscard]] end_counters counters_after_failure(rdma::endpoint& end);
// The line of an error, and this end's own part in it, if its counters say that it has one.
[[nodiscard]] std::string with_own_part(std::string const& line, end_counters const& counters);

}  // namespace packetwarp
