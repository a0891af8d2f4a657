// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "traffic/result.h"

#include <algorithm>
#include <iterator>

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
    case verification::headers:
      return "headers";
    case verification::checksums:
      return "checksums";
    case verification::replayed:
      return "replayed";
    case verification::answers:
      return "answers";
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

bool operator==(outcome const& a, outcome const& b) {
  auto const same = [](telemetry::traffic const& x, telemetry::traffic const& y) {
    return x.packets == y.packets && x.bytes == y.bytes;
  };
  return same(a.sent, b.sent) && same(a.received, b.received) &&
         std::all_of(std::begin(counts), std::end(counts), [&](auto const member) { return a.*member == b.*member; });
}

}  // namespace packetwarp::traffic
