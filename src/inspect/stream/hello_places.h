// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace packetwarp::inspect {

// The places in a stream at which segments begin a TLS client's first message: TLS may come after other bytes, as after
// STARTTLS, or after CONNECT to a proxy. The latest ones are kept, because any segment may look like one.
class hello_places {
 public:
  static constexpr std::size_t most = 4;

  // position: of the segment's first byte.
  void note(std::uint64_t position, std::span<std::byte const> segment) {
    if (!begins_hello(segment)) return;
    positions_[newest_++ % most] = position;
  }
  void clear() { newest_ = 0; }
  // As places in a window with the stream's bytes from this position on. Valid until the next call.
  [[nodiscard]] std::span<std::uint32_t const> in_window(std::uint64_t begin) {
    std::size_t count = 0;
    for (auto n = newest_ > most ? newest_ - most : 0; n < newest_; ++n) {
      auto const position = positions_[n % most];
      if (position >= begin) places_[count++] = static_cast<std::uint32_t>(position - begin);
    }
    return {places_.data(), count};
  }

 private:
  // A record of a handshake (RFC 8446, 5.1) that begins with a ClientHello (4.1.2).
  [[nodiscard]] static bool begins_hello(std::span<std::byte const> segment) {
    constexpr std::byte handshake{22};
    constexpr std::byte major_version{3};
    constexpr std::byte client_hello{1};
    return segment.size() > 5 && segment[0] == handshake && segment[1] == major_version && segment[5] == client_hello;
  }

  std::array<std::uint64_t, most> positions_{};
  std::array<std::uint32_t, most> places_{};
  std::size_t newest_{};  // segments so far
};

}  // namespace packetwarp::inspect
