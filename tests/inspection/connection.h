// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "fixtures/packet_builder.h"
#include "wire/tcp.h"

namespace packetwarp::test {

using frame_bytes = std::vector<std::byte>;

// A TCP connection between a client and a server, whose frames it makes.
class connection {
 public:
  // first_number: of each side's first byte.
  explicit connection(unsigned port, std::string client = "10.0.0.1", std::uint32_t first_number = soon_around)
      : port_{port}, client_{std::move(client)}, first_number_{first_number} {}

  [[nodiscard]] std::vector<frame_bytes> handshake() const {
    using namespace wire::tcp_flag;
    return {segment(0, 0xffff'ffff, {}, syn), segment(1, 0xffff'ffff, {}, syn | ack), segment(0, 0, {}, ack)};
  }
  // A segment of the client (0) or the server (1), with these bytes at this position of the side's.
  [[nodiscard]] frame_bytes segment(unsigned side, std::uint32_t position, std::string const& payload,
                                    unsigned flags = wire::tcp_flag::psh | wire::tcp_flag::ack) const {
    auto builder = packet_builder{}.eth();
    if (side == 0) {
      builder.ipv4(client_, "20.0.0.9").tcp(static_cast<std::uint16_t>(port_), 80, static_cast<std::uint8_t>(flags));
    } else {
      builder.ipv4("20.0.0.9", client_).tcp(80, static_cast<std::uint16_t>(port_), static_cast<std::uint8_t>(flags));
    }
    auto const* raw = reinterpret_cast<std::byte const*>(payload.data());
    builder.numbers(first_number_ + position, first_number_);  // acknowledges no bytes
    return builder.payload(bytes{raw, raw + payload.size()}).build();
  }
  // The bytes as segments of these sizes, one after the other.
  [[nodiscard]] std::vector<frame_bytes> segments(unsigned side, std::string const& all, std::size_t size,
                                                  std::uint32_t from = 0) const {
    std::vector<frame_bytes> made;
    for (std::size_t at = 0; at < all.size(); at += size)
      made.push_back(segment(side, from + static_cast<std::uint32_t>(at), all.substr(at, size)));
    return made;
  }

 private:
  static constexpr std::uint32_t soon_around = 0xffff'fff0;  // numbers wrap around soon

  unsigned port_;
  std::string client_;
  std::uint32_t first_number_;
};

inline void append(std::vector<frame_bytes>& to, std::vector<frame_bytes> const& some) {
  to.insert(to.end(), some.begin(), some.end());
}

}  // namespace packetwarp::test
