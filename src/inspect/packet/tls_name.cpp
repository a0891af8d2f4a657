// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "inspect/packet/tls_name.h"

#include <algorithm>
#include <cstdint>
#include <span>

namespace packetwarp::inspect {
namespace {

// Takes fields off the front of a message. Fields beyond its end are empty, and then it has failed.
class field_reader {
 public:
  explicit field_reader(std::span<std::byte const> bytes) : left_{bytes} {}

  [[nodiscard]] std::span<std::byte const> take(std::size_t count) {
    if (count > left_.size()) {
      has_failed_ = true;
      count = 0;
    }
    auto const taken = left_.first(count);
    left_ = left_.subspan(count);
    return taken;
  }
  [[nodiscard]] std::uint32_t number(std::size_t bytes) {
    std::uint32_t value = 0;
    for (auto const byte : take(bytes)) value = value << 8 | static_cast<std::uint32_t>(byte);
    return value;
  }
  [[nodiscard]] bool has_failed() const { return has_failed_; }

 private:
  std::span<std::byte const> left_;
  bool has_failed_{};
};

// The host name among a ClientHello's extensions (RFC 8446, 4.1.2), up to where the segment ends.
[[nodiscard]] std::span<std::byte const> host_in(field_reader& hello) {
  constexpr std::uint32_t server_name = 0;
  constexpr std::uint32_t host_name = 0;
  (void)hello.number(2);  // bytes of extensions
  while (!hello.has_failed()) {
    auto const kind = hello.number(2);
    auto const length = hello.number(2);
    field_reader extension{hello.take(length)};
    if (kind != server_name || hello.has_failed()) continue;
    (void)extension.number(2);  // bytes of names
    if (extension.number(1) != host_name) return {};
    auto const bytes = extension.number(2);
    return extension.take(bytes);
  }
  return {};
}

// The host name in a client's first message at the begin of the text; empty: there is none, or it is cut off.
[[nodiscard]] std::span<std::byte const> name_in(text_view text) {
  constexpr std::uint32_t handshake = 22;
  constexpr std::uint32_t client_hello = 1;
  constexpr std::uint32_t major_version = 3;
  field_reader hello{{text.bytes, text.size}};
  if (hello.number(1) != handshake || hello.number(1) != major_version) return {};
  (void)hello.take(1 + 2);  // minor version, bytes of the record
  if (hello.number(1) != client_hello) return {};
  (void)hello.take(3 + 2 + 32);       // bytes of the message, version, random
  (void)hello.take(hello.number(1));  // session
  (void)hello.take(hello.number(2));  // cipher suites
  (void)hello.take(hello.number(1));  // compression methods
  return host_in(hello);
}

}  // namespace

void read_tls(inspected_packet& packet, asked_name& name) {
  if (packet.kind != packet_kind::tcp || packet.payload_size == 0) return;
  bool const goes_on = packet.has_whole_stream && packet.stream.size > packet.carried && packet.carried != 0;
  text_view const text = goes_on ? packet.stream : text_view{packet.payload, packet.payload_size};
  auto const host = name_in(text);
  if (host.empty() || host.size() + 1 > name.size()) return;
  // A packet brings the name if it is not in what came before.
  if (goes_on && !name_in(text.part(0, packet.carried)).empty()) return;
  name[0] = std::byte{'.'};
  std::copy(host.begin(), host.end(), name.begin() + 1);
  packet.dotted_name = name.data();
  packet.dotted_name_size = static_cast<std::uint32_t>(host.size()) + 1;
}

}  // namespace packetwarp::inspect
