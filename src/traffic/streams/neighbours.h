// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

namespace packetwarp::traffic {

// Whether a frame is ARP (RFC 826) or neighbour discovery (RFC 4861). Hosts and routers send these by themselves, at
// any time: such a frame that is not of a run says nothing about the run, and is not counted.
[[nodiscard]] bool is_of_neighbours(std::span<std::byte const> frame);

}  // namespace packetwarp::traffic
