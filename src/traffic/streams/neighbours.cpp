// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "traffic/streams/neighbours.h"

#include "wire/icmp.h"
#include "wire/parse.h"

namespace packetwarp::traffic {

bool is_of_neighbours(std::span<std::byte const> frame) {
  auto const found = wire::parse(frame.data(), frame.size());
  if (found.l3 == wire::l3_kind::arp) return true;
  return found.error == wire::parse_error::none && wire::is_neighbour_discovery(frame.data(), found);
}

}  // namespace packetwarp::traffic
