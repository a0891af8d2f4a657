// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/host_device.h"
#include "inspect/match/inspected_packet.h"
#include "inspect/packet/asked_name.h"

namespace packetwarp::inspect {

namespace detail {

// Takes fields off the front of a message. Fields beyond its end are empty, and then it has failed.
class field_reader {
 public:
  HOST_DEVICE explicit field_reader(text_view text) : left_{text} {}

  [[nodiscard]] HOST_DEVICE text_view take(std::uint32_t count) {
    if (count > left_.size) {
      has_failed_ = true;
      count = 0;
    }
    auto const taken = left_.part(0, count);
    left_ = left_.part(count, left_.size);
    return taken;
  }
  [[nodiscard]] HOST_DEVICE std::uint32_t number(std::uint32_t bytes) {
    auto const taken = take(bytes);
    std::uint32_t value = 0;
    for (std::uint32_t i = 0; i < taken.size; ++i) value = value << 8 | static_cast<std::uint32_t>(taken.bytes[i]);
    return value;
  }
  [[nodiscard]] HOST_DEVICE std::uint32_t left() const { return left_.size; }
  [[nodiscard]] HOST_DEVICE bool has_failed() const { return has_failed_; }

 private:
  text_view left_;
  bool has_failed_{};
};

// A host name; empty: there is none. is_cut: the text ends within the message, before a host name.
struct found_host {
  text_view name{};
  bool is_cut{};
};

// The host name among a ClientHello's extensions (RFC 8446, 4.1.2), up to where the text ends.
[[nodiscard]] HOST_DEVICE inline text_view host_in_extensions(field_reader& hello) {
  constexpr std::uint32_t server_name = 0;
  constexpr std::uint32_t host_name = 0;
  while (!hello.has_failed()) {
    auto const kind = hello.number(2);
    field_reader extension{hello.take(hello.number(2))};
    if (kind != server_name || hello.has_failed()) continue;
    (void)extension.number(2);  // bytes of names
    if (extension.number(1) != host_name) return {};
    return extension.take(extension.number(2));
  }
  return {};
}

// The host name in a client's first message at the begin of the text.
[[nodiscard]] HOST_DEVICE inline found_host host_in(text_view text) {
  constexpr std::uint32_t handshake = 22;
  constexpr std::uint32_t client_hello = 1;
  constexpr std::uint32_t major_version = 3;
  field_reader hello{text};
  if (hello.number(1) != handshake || hello.number(1) != major_version) return {};
  (void)hello.take(1 + 2);  // minor version, bytes of the record
  if (hello.number(1) != client_hello) return {};
  (void)hello.take(3 + 2 + 32);       // bytes of the message, version, random
  (void)hello.take(hello.number(1));  // session
  (void)hello.take(hello.number(2));  // cipher suites
  (void)hello.take(hello.number(1));  // compression methods
  auto const extensions = hello.number(2);
  bool const is_cut = hello.has_failed() || hello.left() < extensions;
  auto const name = host_in_extensions(hello);
  return {name, is_cut && name.size == 0};
}

}  // namespace detail

// Writes to the packet the host name in a TLS client's first message (RFC 6066, 3), which is put into `name`. The
// message may lie in several segments, whose bytes are the packet's stream. Returns whether the packet's bytes end
// within such a message, before a host name.
HOST_DEVICE inline bool read_tls(inspected_packet& packet, asked_name& name) {
  if (packet.kind != packet_kind::tcp || packet.payload_size == 0) return false;
  bool const goes_on = packet.has_whole_stream && packet.stream.size > packet.carried && packet.carried != 0;
  text_view const text = goes_on ? packet.stream : text_view{packet.payload, packet.payload_size};
  auto const host = detail::host_in(text);
  if (host.name.size == 0 || host.name.size + 1 > asked_name::most) return host.is_cut;
  // A packet brings the name if it is not in what came before.
  if (goes_on && detail::host_in(text.part(0, packet.carried)).name.size != 0) return false;
  name.bytes[0] = std::byte{'.'};
  for (std::uint32_t i = 0; i < host.name.size; ++i) name.bytes[i + 1] = host.name.bytes[i];
  packet.dotted_name = name.bytes;
  packet.dotted_name_size = host.name.size + 1;
  return false;
}

}  // namespace packetwarp::inspect
