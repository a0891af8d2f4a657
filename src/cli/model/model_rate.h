// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/integer_network.h"

namespace packetwarp {

// Rates per second of the calling thread's CPU time, measured for a fifth of a second each. Other work on the machine
// changes them little.

// Rows of features per second, in batches of 1,024.
[[nodiscard]] double measure_rows(model::network_ref network);

// Packets per second as the cpu executor judges them, group by group: a packet's headers, the state of its flow and
// hosts, its row, and the scores of the group. Packets of 64 bytes of 4,096 flows between as many hosts come in turn.
// The network's features lie at their places in feature::names.
[[nodiscard]] double measure_packets(model::network_ref network);

// The same packets by the warps of a GPU: measure_packets_on_gpu(), which says what it throws.
[[nodiscard]] double measure_packets_on_gpu(int gpu, model::integer_network const& network);

}  // namespace packetwarp
