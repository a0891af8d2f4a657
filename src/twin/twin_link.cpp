// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "twin/twin_link.h"

#include <fmt/format.h>

namespace packetwarp {

twin_link::twin_link(twin_config const& config, std::uint16_t port)
    : config_{config}, port_{port}, handed_{fmt::format("to_kernel_{}", port), room, mbuf_ring::writers::many} {}

}  // namespace packetwarp
