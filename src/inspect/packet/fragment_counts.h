// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace packetwarp::inspect {

struct fragment_counts {
  std::uint64_t datagrams{};  // put together
  std::uint64_t cut_short{};  // of these, whose frame is longer than 65,535 bytes: put together as far as it goes
  std::uint64_t unsound{};    // fragments that belong to no datagram: their lengths are wrong, or they overlap others
  std::uint64_t repeated{};   // fragments that came twice
  std::uint64_t given_up{};   // fragments of datagrams that were not complete in time, or for which there was no room
  friend bool operator==(fragment_counts const&, fragment_counts const&) = default;
};

}  // namespace packetwarp::inspect
