// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace packetwarp::inspect {

// Segments that are not simply the next ones of their stream, by the reason.
struct stream_counts {
  std::uint64_t out_of_order{};   // wait for the bytes before them
  std::uint64_t too_far_ahead{};  // inspected alone
  std::uint64_t discarded{};      // by the receiver, as far as one knows: inspected alone
  std::uint64_t repeated{};       // bring bytes again
  std::uint64_t differing{};      // repeat bytes that were others before, or that are kept no longer
  std::uint64_t gaps{};           // bytes that never came: what follows begins anew
  std::uint64_t without_begin{};  // of connections whose handshake was not seen: inspected alone
  std::uint64_t given_up{};       // of connections that were given up for others: inspected alone
  // Connections that were given up for others, by the bound that was reached.
  std::uint64_t given_up_for_places{};
  std::uint64_t given_up_for_bytes{};
  friend bool operator==(stream_counts const&, stream_counts const&) = default;
};

}  // namespace packetwarp::inspect
