// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "inspect/stream/heard_connection.h"

#include <algorithm>

#include "wire/tcp.h"

namespace packetwarp::inspect {
namespace {

constexpr std::uint32_t largest_window = 1U << 30;     // RFC 7323, 2.3
constexpr std::uint32_t latest_time = (1U << 31) - 1;  // after TS.Recent; one beyond it is an earlier one
constexpr std::uint32_t largest_unscaled = 0xffff;
constexpr std::uint8_t unknown_scale = 14;  // the largest one: nothing right is doubted

// Numbers and times of TCP (RFC 9293, 3.4).
[[nodiscard]] bool is_after(std::uint32_t one, std::uint32_t other) {
  return static_cast<std::int32_t>(other - one) < 0;
}

[[nodiscard]] std::uint32_t end_of(inspected_packet const& packet) {
  return packet.sequence + packet.payload_length + ((packet.tcp_flags & wire::tcp_flag::fin) != 0 ? 1U : 0U);
}

// Without the SYN a client may have any scale, if the answer has one.
[[nodiscard]] std::uint8_t scale_of(asked_syn const* asked, segment_signs const& answer) {
  if (!answer.has_scale) return 0;
  if (asked == nullptr) return unknown_scale;
  return asked->has_scale != 0 ? asked->scale : std::uint8_t{0};
}

void raise(std::uint32_t& known, std::uint32_t number) {
  if (is_after(number, known)) known = number;
}

}  // namespace

void heard_connection::ask(std::uint32_t direction, inspected_packet const& syn, segment_signs const& signs) {
  auto& asked = sides[direction].asked;
  std::uint8_t const offers_times = signs.has_times ? 1 : 0;
  // The answer tells which one of several with this number the other side takes.
  if (asked.is_known != 0 && asked.number == syn.sequence + 1) {
    asked.has_times |= offers_times;
    if (is_after(asked.earliest_at, signs.sent_at)) asked.earliest_at = signs.sent_at;
    raise(asked.latest_at, signs.sent_at);
    return;
  }
  asked = {.number = syn.sequence + 1,
           .earliest_at = signs.sent_at,
           .latest_at = signs.sent_at,
           .window = signs.window,
           .is_known = 1,
           .scale = signs.scale,
           .has_scale = static_cast<std::uint8_t>(signs.has_scale ? 1 : 0),
           .has_times = offers_times};
}

void heard_connection::begin(std::uint32_t direction, inspected_packet const& answer, segment_signs const& signs) {
  auto& server = sides[direction];
  auto& client = sides[1 - direction];
  // It may acknowledge data of the SYN, too.
  bool const is_asked = client.asked.is_known != 0 && answer.acknowledgment - client.asked.number <= largest_window;
  auto const* const asked = is_asked ? &client.asked : nullptr;
  bool const has_asked_scale = asked == nullptr || asked->has_scale != 0;
  server.scale = signs.has_scale && has_asked_scale ? signs.scale : std::uint8_t{0};
  client.scale = scale_of(asked, signs);
  // SYNs have windows without a scale.
  server.window = signs.window;
  client.window = asked != nullptr ? asked->window : largest_unscaled;
  server.sent = answer.sequence + 1 + answer.payload_length;
  client.acknowledged = answer.sequence + 1;
  server.acknowledged = client.sent = answer.acknowledgment;
  server.first = client.acknowledged;
  client.first = server.acknowledged;
  // A client of Linux counts the acknowledgment of its SYN among its bytes.
  server.acknowledged_bytes = 1;
  client.acknowledged_bytes = 0;
  server.edge = server.acknowledged + server.window;
  client.edge = client.acknowledged + client.window;
  has_times = asked != nullptr && signs.has_times && asked->has_times != 0 ? 1 : 0;
  server.recent = server.latest = signs.sent_at;
  // An echo of a time that no SYN has had is none.
  bool const is_echo = has_times != 0 && signs.echoed - asked->earliest_at <= asked->latest_at - asked->earliest_at;
  client.recent = client.latest = is_echo ? signs.echoed : 0;
}

bool heard_connection::is_predicted(std::uint32_t direction, inspected_packet const& packet, segment_signs const& signs,
                                    std::uint32_t next) const {
  using namespace wire;
  auto const& own = sides[direction];
  constexpr unsigned predicted = tcp_flag::ack | tcp_flag::psh;
  bool const has_form = signs.form == (has_times != 0 ? option_form::times : option_form::none);
  // A socket has no memory for a prediction of its first data.
  bool const is_first = next == own.first;
  return has_form && !is_first && packet.payload_length != 0 && packet.sequence == next &&
         (packet.tcp_flags & ~predicted) == 0 && signs.window == own.last_window;
}

bool heard_connection::doubts(std::uint32_t direction, inspected_packet const& packet, segment_signs const& signs,
                              std::uint32_t next) const {
  auto const& own = sides[direction];
  auto const number = packet.acknowledgment;
  // RFC 9293, 3.10.7.4: bytes that were never sent.
  if (is_after(number, sides[1 - direction].sent)) return true;
  // RFC 5961, 5.2: far too old.
  auto const oldest = own.acknowledged - std::min(own.window, own.acknowledged_bytes);
  if (is_after(oldest, number) && !is_predicted(direction, packet, signs, next)) return true;
  // RFC 7323, 5.3, with a tick that Linux allows. A time of 0 is none to it.
  if (has_times == 0 || !signs.has_times || own.recent == 0) return false;
  return is_after(own.recent - 1, signs.sent_at);
}

void heard_connection::note_sent(std::uint32_t direction, inspected_packet const& packet) {
  auto const first = sides[1 - direction].acknowledged;
  auto& sent = sides[direction].sent;
  auto const size = end_of(packet) - first;
  // A number beyond every window would make later ones seem old.
  if (size <= largest_window && size > sent - first) sent = first + size;
}

void heard_connection::hear(std::uint32_t direction, inspected_packet const& packet, segment_signs const& signs,
                            std::uint32_t next) {
  auto& own = sides[direction];
  auto& other = sides[1 - direction];
  auto const end = end_of(packet);
  // Outside of its window the other side discards it.
  if (is_after(other.acknowledged, end) || is_after(packet.sequence, other.edge)) return;
  bool const is_old = is_after(own.acknowledged, packet.acknowledgment);
  if (!is_old) {
    auto const more = packet.acknowledgment - own.acknowledged;
    own.acknowledged_bytes = std::min(own.acknowledged_bytes + std::min(more, largest_window), largest_window);
    own.acknowledged = packet.acknowledgment;
    auto const window = std::uint32_t{signs.window} << own.scale;
    own.window = std::max(own.window, window);
    own.last_window = signs.window;
    raise(own.edge, packet.acknowledgment + window);
  }
  if (has_times == 0 || !signs.has_times) return;
  // The other side echoes its TS.Recent; a time that nothing has had is no proof.
  if (signs.echoed - other.recent <= other.latest - other.recent) other.recent = signs.echoed;
  auto const later = signs.sent_at - own.recent;
  bool const is_later = later <= latest_time || own.recent == 0;
  if (is_later && later > own.latest - own.recent) own.latest = signs.sent_at;
  // RFC 7323, 4.3 (2): it begins within the bytes that the other side has acknowledged, and does not end before others.
  bool const is_next = !is_after(packet.sequence, other.acknowledged) && !is_after(next, end);
  if (!is_next || is_old || !is_later) return;
  if (own.recent == 0) own.latest = signs.sent_at;
  own.recent = signs.sent_at;
}

}  // namespace packetwarp::inspect
