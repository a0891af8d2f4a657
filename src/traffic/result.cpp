// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "traffic/result.h"

namespace packetwarp::traffic {
namespace {

constexpr std::uint64_t outcome::*counts[]{&outcome::lost,      &outcome::duplicates, &outcome::reordered,
                                           &outcome::corrupted, &outcome::unknown,    &outcome::tx_full,
                                           &outcome::no_mbuf};

}  // namespace

std::string_view to_string(verification how) {
  switch (how) {
    case verification::none:
      return "none";
    case verification::counted:
      return "counted";
    case verification::replayed:
      return "replayed";
    case verification::signatures:
      return "signatures";
    case verification::every_byte:
      return "every-byte";
  }
  return "unknown";
}

outcome& outcome::operator+=(outcome const& more) {
  sent.packets += more.sent.packets;
  sent.bytes += more.sent.bytes;
  received.packets += more.received.packets;
  received.bytes += more.received.bytes;
  for (auto const member : counts) this->*member += more.*member;
  return *this;
}

}  // namespace packetwarp::traffic
