// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "inspect/stream/stream_table.h"

#include <algorithm>
#include <span>
#include <utility>

#include "inspect/packet/tcp_connection.h"
#include "wire/tcp.h"

namespace packetwarp::inspect {
namespace {

[[nodiscard]] std::size_t waiting_of(tracked_stream const& one) {
  return one.sides[0].waiting() + one.sides[1].waiting();
}

[[nodiscard]] bool has_flag(inspected_packet const& packet, std::uint8_t flag) {
  return (packet.tcp_flags & flag) != 0;
}

// Held segments are a sender's that its receiver discards.
[[nodiscard]] stream_rank rank_of(tracked_stream const& one, stream_flow const& flow) {
  if (!flow.is_two_way) return stream_rank::half_open;
  bool const waits = waiting_of(one) != 0 || one.sides[0].has_held() || one.sides[1].has_held();
  return waits ? stream_rank::waiting : stream_rank::in_order;
}

constexpr std::byte tls_handshake{22};
constexpr std::byte tls_version{3};  // the first byte of it

// Whether the payload begins with a record of a TLS handshake (RFC 8446, 5.1).
[[nodiscard]] bool begins_tls(inspected_packet const& packet) {
  return packet.payload_size > 5 && packet.payload[0] == tls_handshake && packet.payload[1] == tls_version;
}

// The same of the direction's bytes so far, in whatever segments they came: their first two suffice.
[[nodiscard]] bool begins_tls_stream(inspected_packet const& packet) {
  auto const& bytes = packet.stream;
  return packet.has_whole_stream && bytes.size > 1 && bytes.bytes[0] == tls_handshake && bytes.bytes[1] == tls_version;
}

[[nodiscard]] std::size_t bytes_of(message_rules const& rules) {
  return (rules.waiting.capacity() + rules.matched.capacity()) * sizeof(std::uint32_t);
}

// Whether the packet is the server's answer to a SYN that begins a connection.
[[nodiscard]] bool is_answer(inspected_packet const& packet, stream_flow const& flow) {
  return answers_connection(packet.tcp_flags) && !packet.is_to_server && (flow.is_new || !flow.has_begun);
}

}  // namespace

void tracked_stream::be_judged_by(std::uint32_t other) {
  if (generation == other) return;
  generation = other;
  rules = {};
  for (auto& side : sides) {
    side.found.clear();
    side.matched_alone.clear();
    side.is_found_anew = true;
  }
}

std::uint64_t stream_table::never_in_order() const {
  auto count = never_in_order_;
  for (auto const& [flow, one] : streams_) count += waiting_of(one);
  return count;
}

void tracked_stream::take(syn_data& data, std::uint32_t direction, std::uint32_t acknowledged) {
  auto const taken = acknowledged - data.first;
  if (taken != 0 && taken <= data.bytes.size()) {
    data.bytes.resize(taken);
    sides[direction].begin(data.first, std::move(data.bytes));
  }
  data = {};
}

void stream_table::begin_anew(stream_seed& seed, stream_flow const& flow, inspected_packet const& packet,
                              stream_counts& counts) {
  auto const client = 1 - flow.direction;
  auto* const before = find(flow.place);
  syn_data asked{};
  if (before != nullptr && is_answer(packet, flow)) asked = std::move(before->asked[client]);
  drop(flow.place);
  if (asked.bytes.empty()) return;
  begin(flow.place, counts).asked[client] = std::move(asked);
  seed.has_stream = 1;
}

void tracked_stream::begin_anew() {
  sides = {};
  http = {http_reader{http_kind::request}, http_reader{http_kind::response}};
  requests = {};
  rules = {};
}

tracked_stream* stream_table::follow_syn(stream_seed& seed, stream_flow const& flow, inspected_packet& packet,
                                         stream_counts& counts) {
  auto* const stream = seed.has_stream != 0 ? find(flow.place) : nullptr;
  bool const answers = is_answer(packet, flow);
  if (asks_for_connection(packet.tcp_flags)) seed.heard.ask(flow.direction, packet, flow.signs);
  if (answers && !seed.is_repeated_by(packet, flow.direction)) {
    if (stream != nullptr) take_syn(*stream, seed, 1 - flow.direction, packet.acknowledgment);
    // The client may have sent several SYNs: the server's answer says which one counts.
    seed.first_numbers[flow.direction] = packet.sequence + 1;
    seed.first_numbers[1 - flow.direction] = packet.acknowledgment;
    seed.has_numbers = 1;
    seed.heard.begin(flow.direction, packet, flow.signs);
  }
  if (packet.payload_size == 0 || (!answers && !asks_for_connection(packet.tcp_flags))) return nullptr;
  if (stream == nullptr && seed.has_stream != 0) return nullptr;
  auto& kept = stream == nullptr ? begin(flow.place, counts) : *stream;
  seed.has_stream = 1;
  auto* const begun = answers ? nullptr : begin_with_syn(kept, seed, flow, packet, counts);
  (answers ? kept.answered : kept.asked[flow.direction]) = {packet.sequence + 1,
                                                            {packet.payload, packet.payload + packet.payload_size}};
  if (begun == nullptr) charge(kept, counts);
  return begun;
}

tracked_stream* stream_table::begin_with_syn(tracked_stream& one, stream_seed const& seed, stream_flow const& flow,
                                             inspected_packet& packet, stream_counts& counts) {
  // Another connection, or one that has begun without these data.
  if (flow.has_begun || seed.has_numbers != 0) return nullptr;
  auto& side = one.sides[flow.direction];
  auto const& before = one.asked[flow.direction];
  std::span const bytes{packet.payload, packet.payload_size};
  bool const is_same = before.first == packet.sequence + 1 && std::ranges::equal(before.bytes, bytes);
  if (side.has_begun() && !is_same) {
    // Which of the two the server takes is open.
    one.begin_anew();
    return nullptr;
  }
  if (!side.has_begun() && !before.bytes.empty()) return nullptr;
  if (!side.has_begun()) side.begin(packet.sequence + 1);
  side.add(packet.sequence + 1, packet, counts);
  return &one;
}

void stream_table::take_syn(tracked_stream& of, stream_seed const& seed, std::uint32_t client, std::uint32_t taken) {
  auto& data = of.asked[client];
  bool const has_begun = seed.has_numbers == 0 && of.sides[client].has_begun();
  if (has_begun && taken - data.first == data.bytes.size()) {
    data = {};
    return;
  }
  of.begin_anew();
  of.take(data, client, taken);
}

tracked_stream* stream_table::follow(stream_seed& seed, stream_flow const& flow, inspected_packet& packet,
                                     stream_counts& counts) {
  acknowledged_ = nullptr;
  if (flow.is_new) begin_anew(seed, flow, packet, counts);
  if (begins_tls(packet)) seed.is_tls = 1;
  packet.is_tls = seed.is_tls != 0;
  if ((packet.tcp_flags & wire::tcp_flag::syn) != 0) return follow_syn(seed, flow, packet, counts);
  auto* const stream = seed.has_stream != 0 ? find(flow.place) : nullptr;
  if (stream != nullptr) use(*stream, rank_of(*stream, flow));
  auto const receipt = hear(seed, stream, flow, packet);
  if (packet.payload_size == 0 || has_flag(packet, wire::tcp_flag::rst))
    return stream == nullptr ? nullptr : follow_empty(*stream, flow, receipt, packet, counts);
  // A receiver takes no data without an acknowledgment, either.
  if (!has_flag(packet, wire::tcp_flag::ack)) return nullptr;
  if (!flow.has_begun || seed.has_numbers == 0) {
    ++counts.without_begin;
    return nullptr;
  }
  if (stream == nullptr && seed.has_stream != 0) {
    ++counts.given_up;
    return nullptr;
  }
  auto& followed = stream == nullptr ? begin(flow.place, counts) : *stream;
  seed.has_stream = 1;
  follow_data(followed, seed, flow, receipt, packet, counts);
  return &followed;
}

segment_receipt stream_table::hear(stream_seed& seed, tracked_stream* stream, stream_flow const& flow,
                                   inspected_packet const& packet) {
  auto const direction = flow.direction;
  if (!has_flag(packet, wire::tcp_flag::ack)) return segment_receipt::taken;
  auto receipt = segment_receipt::taken;
  bool const is_heard = seed.has_numbers != 0 && !has_flag(packet, wire::tcp_flag::rst);
  if (is_heard) {
    bool const has_begun = stream != nullptr && stream->sides[direction].has_begun();
    auto const next = has_begun ? stream->sides[direction].next() : seed.first_numbers[direction];
    if (seed.heard.doubts(direction, packet, flow.signs, next)) receipt = segment_receipt::doubtful;
    seed.heard.note_sent(direction, packet);
    if (receipt == segment_receipt::taken) seed.heard.hear(direction, packet, flow.signs, next);
  }
  if (stream == nullptr) return receipt;
  auto& answered = stream->answered;
  bool const takes_answer = packet.is_to_server && !answered.bytes.empty() && receipt == segment_receipt::taken;
  if (takes_answer) stream->take(answered, 1 - direction, packet.acknowledgment);
  auto& other = stream->sides[1 - direction];
  other.acknowledge(packet.acknowledgment);
  if (!is_heard || receipt == segment_receipt::doubtful) return receipt;
  other.receive(packet.acknowledgment);
  if (other.has_received()) acknowledged_ = stream;
  return receipt;
}

tracked_stream* stream_table::follow_empty(tracked_stream& stream, stream_flow const& flow, segment_receipt receipt,
                                           inspected_packet& packet, stream_counts& counts) {
  auto& side = stream.sides[flow.direction];
  bool const is_last = has_flag(packet, wire::tcp_flag::ack) && has_flag(packet, wire::tcp_flag::fin);
  if (has_flag(packet, wire::tcp_flag::rst)) {
    side.note_reset(packet.sequence);
  } else if (is_last && receipt == segment_receipt::taken) {
    side.note_end(packet.sequence);
  } else if (is_last && side.has_begun()) {
    side.hold(packet.sequence, packet, counts);
    return &stream;
  }
  bool const ends_message = side.has_come_to_end() && stream.http[packet.is_to_server ? 0 : 1].has_news_put_off();
  if (!ends_message && !side.has_unread() && !side.has_received()) return nullptr;
  side.add_nothing(packet, counts);
  // A receiver takes no data with a reset (RFC 9293, 3.10.7.4), so they are of no stream.
  packet.differs_from_stream = packet.payload_size != 0;
  return &stream;
}

void stream_table::follow_data(tracked_stream& stream, stream_seed& seed, stream_flow const& flow,
                               segment_receipt receipt, inspected_packet& packet, stream_counts& counts) {
  auto& side = stream.sides[flow.direction];
  if (!side.has_begun()) side.begin(seed.first_numbers[flow.direction]);
  if (receipt == segment_receipt::doubtful) {
    side.hold(packet.sequence, packet, counts);
  } else {
    if (has_flag(packet, wire::tcp_flag::fin)) side.note_end(packet.sequence + packet.payload_size);
    side.add(packet.sequence, packet, counts);
  }
  if (begins_tls_stream(packet)) seed.is_tls = 1;
  packet.is_tls = seed.is_tls != 0;
  packet.is_http = stream.http[0].is_http() || stream.http[1].is_http();
  use(stream, rank_of(stream, flow));
}

tracked_stream& stream_table::follow_held(std::uint32_t direction, inspected_packet& packet, stream_counts& counts) {
  auto& stream = *std::exchange(acknowledged_, nullptr);
  stream.sides[1 - direction].add_nothing(packet, counts);
  return stream;
}

tracked_stream* stream_table::follow_rest(std::uint32_t place, std::uint32_t direction, inspected_packet& packet,
                                          stream_counts& counts) {
  auto* const stream = find(place);
  if (stream == nullptr || !stream->sides[direction].has_held()) return nullptr;
  stream->sides[direction].add_rest(packet, counts);
  return stream;
}

void stream_table::charge(tracked_stream& changed, stream_counts& counts) {
  std::size_t bytes = sizeof(tracked_stream) + changed.answered.bytes.capacity();
  for (unsigned i = 0; i < 2; ++i)
    bytes += changed.sides[i].bytes() + changed.http[i].bytes() + changed.asked[i].bytes.capacity() +
             bytes_of(changed.rules[i]);
  bytes_ += bytes - changed.bytes;
  changed.bytes = bytes;
  while (bytes_ > most_bytes_ && give_up_first(&changed)) ++counts.given_up_for_bytes;
}

void stream_table::drop(std::uint32_t flow) {
  auto const found = streams_.find(flow);
  if (found == streams_.end()) return;
  auto const& one = found->second;
  if (acknowledged_ == &one) acknowledged_ = nullptr;
  bytes_ -= one.bytes;
  never_in_order_ += waiting_of(one);
  used_[static_cast<std::size_t>(one.rank)].erase(one.place);
  streams_.erase(found);
}

tracked_stream* stream_table::find(std::uint32_t flow) {
  auto const found = streams_.find(flow);
  return found == streams_.end() ? nullptr : &found->second;
}

tracked_stream& stream_table::begin(std::uint32_t flow, stream_counts& counts) {
  drop(flow);
  if (streams_.size() >= most_ && give_up_first(nullptr)) ++counts.given_up_for_places;
  // Without memory for both, neither is there.
  std::list<std::uint32_t> place{flow};
  auto& made = streams_[flow];
  auto& first = used_[static_cast<std::size_t>(made.rank)];
  first.splice(first.begin(), place);
  made.place = first.begin();
  return made;
}

void stream_table::use(tracked_stream& one, stream_rank rank) {
  auto& to = used_[static_cast<std::size_t>(rank)];
  to.splice(to.begin(), used_[static_cast<std::size_t>(one.rank)], one.place);
  one.rank = rank;
}

bool stream_table::give_up_first(tracked_stream const* kept) {
  for (auto& rank : used_) {
    auto last = rank.rbegin();
    if (last != rank.rend() && kept != nullptr && &streams_.at(*last) == kept) ++last;
    if (last == rank.rend()) continue;
    drop(*last);
    return true;
  }
  return false;
}

}  // namespace packetwarp::inspect
