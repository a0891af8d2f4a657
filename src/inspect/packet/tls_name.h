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

// Takes fields off the front of a message of the handshake, which may lie in several records, cut anywhere (RFC 8446,
// 5.1). Fields beyond its end are zeroes, and then it has failed.
class handshake_reader {
 public:
  HOST_DEVICE explicit handshake_reader(text_view text) : text_{text} {}

  HOST_DEVICE void skip(std::uint32_t count) {
    while (!has_failed()) {
      auto const here = record_end_ - at_ < count ? record_end_ - at_ : count;
      if (here > text_.size - at_) return fail(state::cut);
      at_ += here;
      count -= here;
      if (count == 0) return;
      begin_record();
    }
  }
  [[nodiscard]] HOST_DEVICE std::uint32_t number(std::uint32_t bytes) {
    std::uint32_t value = 0;
    for (std::uint32_t i = 0; i < bytes; ++i) value = value << 8 | static_cast<std::uint32_t>(next());
    return has_failed() ? 0 : value;
  }
  HOST_DEVICE void copy(std::byte* to, std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) to[i] = next();
  }
  [[nodiscard]] HOST_DEVICE bool has_failed() const { return state_ != state::sound; }
  // The text ends within the message.
  [[nodiscard]] HOST_DEVICE bool is_cut() const { return state_ == state::cut; }

 private:
  enum class state : std::uint8_t { sound, cut, foreign };

  [[nodiscard]] HOST_DEVICE std::byte next() {
    while (at_ == record_end_ && !has_failed()) begin_record();
    if (!has_failed() && at_ == text_.size) fail(state::cut);
    return has_failed() ? std::byte{} : text_.bytes[at_++];
  }
  HOST_DEVICE void begin_record() {
    constexpr std::byte handshake{22};
    constexpr std::byte major_version{3};
    constexpr std::uint32_t header = 5;
    auto const left = text_.size - at_;
    auto const* const record = text_.bytes + at_;
    if (left > 0 && record[0] != handshake) return fail(state::foreign);
    if (left > 1 && at_ == 0 && record[1] != major_version) return fail(state::foreign);
    if (left < header) return fail(state::cut);
    at_ += header;
    record_end_ = at_ + (static_cast<std::uint32_t>(record[3]) << 8 | static_cast<std::uint32_t>(record[4]));
  }
  HOST_DEVICE void fail(state why) { state_ = why; }

  text_view text_;
  std::uint32_t at_{};
  std::uint32_t record_end_{};  // may lie beyond the text
  state state_{state::sound};
};

// A host name; size 0: there is none. is_cut: the text ends within the message, before a host name.
struct found_host {
  std::uint32_t size{};
  bool is_cut{};
};

// The host name in an extension of this size; room: for one that an asked_name takes, null: it is not written.
[[nodiscard]] HOST_DEVICE inline found_host host_in_extension(handshake_reader& hello, std::uint32_t size,
                                                              std::byte* room) {
  constexpr std::uint32_t host_name = 0;
  constexpr std::uint32_t before_name = 5;
  (void)hello.number(2);  // bytes of names
  auto const kind = hello.number(1);
  auto const length = hello.number(2);
  if (!hello.has_failed() && (kind != host_name || before_name + length > size)) return {};
  if (room == nullptr || length + 1 > asked_name::most) {
    hello.skip(length);
  } else {
    hello.copy(room, length);
  }
  return {hello.has_failed() ? 0 : length, hello.is_cut()};
}

// The host name in a client's first message (RFC 8446, 4.1.2) at the begin of the text.
[[nodiscard]] HOST_DEVICE inline found_host host_in(text_view text, std::byte* room) {
  constexpr std::uint32_t client_hello = 1;
  constexpr std::uint32_t server_name = 0;
  constexpr std::uint32_t before_extension = 4;
  handshake_reader hello{text};
  if (hello.number(1) != client_hello) return {0, hello.is_cut()};
  hello.skip(3 + 2 + 32);       // bytes of the message, version, random
  hello.skip(hello.number(1));  // session
  hello.skip(hello.number(2));  // cipher suites
  hello.skip(hello.number(1));  // compression methods
  auto left = hello.number(2);
  while (left >= before_extension && !hello.has_failed()) {
    auto const kind = hello.number(2);
    auto const size = hello.number(2);
    left -= before_extension;
    if (kind == server_name && !hello.has_failed()) return host_in_extension(hello, size, room);
    hello.skip(size);
    left -= size < left ? size : left;
  }
  return {0, hello.is_cut()};
}

// The handshake at this place of the packet's stream, if the packet brings its end: nothing if bytes before it have.
[[nodiscard]] HOST_DEVICE inline found_host host_at(inspected_packet const& packet, std::uint32_t place,
                                                    std::byte* room) {
  auto const& stream = packet.stream;
  if (place < packet.carried && host_in(stream.part(place, packet.carried), nullptr).size != 0) return {};
  return host_in(stream.part(place, stream.size), room);
}

// For a stream that begins with other bytes than a handshake, or whose begin is known no longer.
[[nodiscard]] HOST_DEVICE inline found_host host_after_others(inspected_packet const& packet, std::byte* room) {
  found_host last;
  for (std::uint32_t n = 0; n < packet.hello_count; ++n) {
    last = host_at(packet, packet.hellos[n], room);
    if (last.size != 0) break;
  }
  return last;
}

[[nodiscard]] HOST_DEVICE inline found_host host_of(inspected_packet const& packet, std::byte* room) {
  constexpr std::byte handshake{22};
  auto const& stream = packet.stream;
  bool const has_news = stream.size > packet.carried;
  bool const has_others = packet.carried != 0 || stream.size != packet.payload_size;
  bool const begins_so = packet.has_whole_stream && stream.size != 0 && stream.bytes[0] == handshake;
  if (begins_so && has_news && has_others) return host_at(packet, 0, room);
  if (!begins_so && has_news && packet.hello_count != 0) return host_after_others(packet, room);
  return host_in({packet.payload, packet.payload_size}, room);
}

}  // namespace detail

// Writes to the packet the host name in a TLS client's first message (RFC 6066, 3), which is put into `name`. The
// message may lie in several segments, whose bytes are the packet's stream, and after other bytes. Returns whether the
// packet's bytes end within such a message, before a host name.
HOST_DEVICE inline bool read_tls(inspected_packet& packet, asked_name& name) {
  bool const has_news = packet.stream.size > packet.carried;
  if (packet.kind != packet_kind::tcp || (packet.payload_size == 0 && !has_news)) return false;
  auto const host = detail::host_of(packet, name.bytes + 1);
  if (host.size == 0 || host.size + 1 > asked_name::most) return host.is_cut;
  name.bytes[0] = std::byte{'.'};
  packet.dotted_name = name.bytes;
  packet.dotted_name_size = host.size + 1;
  return false;
}

}  // namespace packetwarp::inspect
