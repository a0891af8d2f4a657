// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "base/ids.h"

namespace packetwarp {

// Makes RSS of a started port spread packets evenly over these RX queues and over no others. entries: of the port's
// redirection table. Returns 0, or a negative errno.
[[nodiscard]] int spread_over(port_id port, std::uint16_t entries, std::span<queue_id const> queues);

}  // namespace packetwarp
