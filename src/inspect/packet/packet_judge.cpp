// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "inspect/packet/packet_judge.h"

#include <algorithm>
#include <utility>

#include "inspect/match/anchor.h"
#include "inspect/match/groups.h"
#include "inspect/match/header.h"
#include "inspect/match/payload.h"
#include "inspect/packet/flow_marks.h"
#include "inspect/packet/flowbits.h"
#include "inspect/packet/tcp_connection.h"
#include "wire/tcp.h"

namespace packetwarp::inspect {
namespace {

constexpr std::size_t most_waiting = 1024;  // rules per message

// Whether a rule may match by more bytes of a stream, whatever packet brings them.
[[nodiscard]] bool looks_at_bytes(compiled_rule const& rule) {
  bool const is_of_stream = static_cast<stream_use>(rule.stream) != stream_use::packet && rule.checks.count != 0;
  bool const asks_name = rule.name_checks.count + rule.dotted_checks.count != 0;
  return is_of_stream || asks_name || static_cast<rule_protocol>(rule.protocol) == rule_protocol::http;
}

}  // namespace

packet_judge::packet_judge(ruleset_ref rules, regex_library& regexes)
    : rules_{rules},
      windows_{rules_},
      regexes_{regexes},
      last_seen_(rules_.header().rules.count),
      kept_at_(rules_.header().rules.count) {}

void packet_judge::judge(inspected_packet& packet, tracked_stream* stream, std::uint32_t direction, std::uint64_t* bits,
                         match_receiver& to) {
  is_of_bytes_ = false;
  judge_packet(packet, stream, direction, bits, to);
  if (side_ != nullptr && side_->has_just_held()) note_matched_alone();
}

void packet_judge::judge_bytes(inspected_packet& packet, tracked_stream& stream, std::uint32_t direction,
                               std::uint64_t* bits, match_receiver& to) {
  is_of_bytes_ = true;
  judge_packet(packet, &stream, direction, bits, to);
}

void packet_judge::judge_packet(inspected_packet& packet, tracked_stream* stream, std::uint32_t direction,
                                std::uint64_t* bits, match_receiver& to) {
  matched_.clear();
  side_ = stream == nullptr ? nullptr : &stream->sides[direction];
  // Another connection may begin with a SYN.
  bool const may_be_another = packet.kind == packet_kind::tcp && asks_for_connection(packet.tcp_flags);
  is_passed_ = !may_be_another && is_flow_passed(rules_, bits);
  budget_ = search_budget{packet.payload_size + packet.stream.size};
  // The stream's messages are read all the same: after a reload the flow may be judged again.
  if (is_passed_) {
    candidates_.clear();
  } else {
    find_candidates(packet, stream, direction);
  }
  if (stream != nullptr) judge_messages(packet, *stream, direction, bits, to);
  if (packet.http == nullptr && !is_passed_) {
    begin_http(packet);
    judge_candidates(packet, bits, to, scope::all, nullptr);
  }
  if (stream != nullptr && !is_passed_) judge_other_stream(packet, stream->sides[direction], bits, to);
}

void packet_judge::note_matched_alone() {
  auto& alone = side_->matched_alone;
  for (auto const place : matched_) {
    if (alone.size() < stream_side::most_matched_alone && looks_at_bytes(rules_.rule(place))) alone.push_back(place);
  }
}

void packet_judge::begin_http(inspected_packet& packet) {
  bool const brings_bytes = packet.is_http && side_ != nullptr && packet.stream.size > packet.carried;
  packet.begins_http = brings_bytes && !std::exchange(side_->has_begun_http, true);
}

void packet_judge::judge_first_head(inspected_packet const& packet, text_view head, std::uint64_t* bits,
                                    match_receiver& to) {
  auto longer = packet;
  longer.stream = head;
  longer.carried = 0;
  longer.has_whole_stream = true;
  longer.http = nullptr;
  budget_.grow(head.size);
  search(head);
  judge_candidates(longer, bits, to, scope::first_head, nullptr);
}

void packet_judge::judge_other_stream(inspected_packet const& packet, stream_side const& side, std::uint64_t* bits,
                                      match_receiver& to) {
  if (side.other().size == 0) return;
  auto other = packet;
  other.stream = side.other();
  other.http = nullptr;
  budget_.grow(other.stream.size);
  search(other.stream);
  judge_candidates(other, bits, to, scope::other_stream, nullptr);
}

void packet_judge::find_candidates(inspected_packet const& packet, tracked_stream* stream, std::uint32_t direction) {
  ++list_;
  candidates_.clear();
  bool const may_be_http =
      stream != nullptr && (packet.is_http || stream->http[0].is_reading() || stream->http[1].is_reading());
  classes_ = packet_class(packet.kind, way_of(packet), may_be_http ? http_chance::some : http_chance::none);
  auto* const side = stream == nullptr ? nullptr : &stream->sides[direction];
  bool const is_added = side != nullptr && side->added().size() == packet.payload_size;
  if (!is_added || packet.differs_from_stream) search({packet.payload, packet.payload_size});
  if (side != nullptr) search_stream(packet, *side);
  // A name in a payload has lengths between its labels, and no dots.
  search({packet.dotted_name, packet.dotted_name_size});
  counts_.candidates += candidates_.size();
}

void packet_judge::search_stream(inspected_packet const& packet, stream_side& side) {
  constexpr std::uint32_t longest = window_bytes(0);
  if (packet.stream.size == packet.carried && !side.is_found_anew) return;
  auto& kept = side.found;
  std::erase_if(kept, [&](auto const& one) { return one.end <= side.window_begin(); });
  for (std::uint32_t i = 0; i < kept.size(); ++i) {
    add_candidate(kept[i].rule);
    kept_at_[kept[i].rule] = i;
  }
  auto const from = side.is_found_anew || packet.carried < longest ? 0 : packet.carried - longest + 1;
  side.is_found_anew = false;
  windows_.search(packet.stream, from, classes_, [&](std::uint32_t place, std::uint32_t position) {
    add_candidate(place);
    if (static_cast<stream_use>(rules_.rule(place).stream) == stream_use::packet) return;
    auto const end = side.window_begin() + position + longest;
    auto& at = kept_at_[place];
    if (at < kept.size() && kept[at].rule == place) {
      kept[at].end = end;
    } else if (kept.size() < stream_side::most_found) {
      at = static_cast<std::uint32_t>(kept.size());
      kept.push_back({place, end});
    } else {
      ++counts_.literals_not_kept;
    }
  });
}

void packet_judge::add_candidate(std::uint32_t place) {
  if (last_seen_[place] == list_) return;
  last_seen_[place] = list_;
  candidates_.push_back(place);
}

void packet_judge::search(text_view text, std::uint32_t from) {
  windows_.search(text, from, classes_, [&](std::uint32_t place, std::uint32_t) { add_candidate(place); });
}

void packet_judge::judge_messages(inspected_packet& packet, tracked_stream& stream, std::uint32_t direction,
                                  std::uint64_t* bits, match_receiver& to) {
  auto const kind = packet.is_to_server ? 0U : 1U;
  auto& side = stream.sides[direction];
  auto& reader = stream.http[kind];
  auto& rules = stream.rules[kind];
  if (side.has_gap()) {
    if (reader.take_end(counts_.messages) && !is_passed_) judge_message(packet, reader, bits, to, rules);
    reader.lose();
  }
  if (kind == 1) reader.expect_bare_body(stream.http[0].is_http());
  if (kind == 0 && stream.http[1].is_http()) reader.look_for_request();
  auto bytes = side.added();
  while (!bytes.empty() && reader.is_reading()) {
    bool const has_news = take_message(stream, kind, bytes);
    if (reader.has_begun()) rules = {};
    if (has_news && !is_passed_) judge_message(packet, reader, bits, to, rules);
  }
  if (side.take_end() && reader.take_end(counts_.messages) && !is_passed_)
    judge_message(packet, reader, bits, to, rules);
  if (reader.has_bytes_put_off()) keep_waiting(rules);
}

bool packet_judge::take_message(tracked_stream& stream, std::size_t kind, std::span<std::byte const>& bytes) {
  auto& reader = stream.http[kind];
  reader.expect_answer_to(stream.requests.first());
  bool const has_news = reader.take(bytes, counts_.messages);
  if (kind == 0 && reader.has_new_line() && !stream.requests.add(kind_of_request(reader.message())))
    ++counts_.messages.requests_not_known;
  if (kind == 1 && reader.has_answered()) stream.requests.take_first();
  return has_news;
}

void packet_judge::judge_message(inspected_packet& packet, http_reader const& reader, std::uint64_t* bits,
                                 match_receiver& to, message_rules& rules) {
  bool const is_first = packet.http == nullptr;
  packet.is_http = true;
  packet.http = &reader.message();
  if (is_first) {
    begin_http(packet);
    of_packet_ = candidates_;
  } else {
    ++list_;
    candidates_.clear();
    for (auto const place : of_packet_) add_candidate(place);
  }
  find_in_message(reader, rules);
  auto const body = reader.message().body().size;
  counts_.body_bytes += body;
  budget_.grow(body);
  judge_candidates(packet, bits, to, is_first ? scope::all : scope::message, &rules);
  auto const head = reader.head();
  bool const is_longer = is_first && packet.begins_http && head.size > packet.stream.size;
  if (is_longer && !is_passed_) judge_first_head(packet, head, bits, to);
}

void packet_judge::keep_waiting(message_rules& rules) const {
  auto& waiting = rules.waiting;
  for (auto const place : candidates_) {
    if (rules_.rule(place).http_buffers == 0 || waiting.size() >= most_waiting) continue;
    if (std::find(waiting.begin(), waiting.end(), place) == waiting.end()) waiting.push_back(place);
  }
}

void packet_judge::find_in_message(http_reader const& reader, message_rules const& rules) {
  using enum rule_buffer;
  constexpr std::uint32_t longest = window_bytes(0);
  for (auto const place : rules.waiting) add_candidate(place);
  auto const& message = reader.message();
  if (reader.has_new_head()) {
    for (auto const buffer : {http_uri, http_host_dotted, http_header_names, http_cookie, http_start})
      search(message.buffer(buffer));
    if (!message.is_header_as_sent) search(message.buffer(http_header));
    if (message.buffer(http_start).bytes == nullptr) search(message.buffer(http_request_line));
  }
  auto const added = reader.new_body();
  if (added.size == 0) return;
  auto const body = message.buffer(message.kind == http_kind::request ? http_request_body : http_response_body);
  auto const old = body.size - added.size;
  search(body, old < longest ? 0 : old - longest + 1);
}

void packet_judge::add_unfiltered(section const& list) {
  auto const old = judged_.size();
  auto const* first = rules_.at<std::uint32_t>(list);
  judged_.insert(judged_.end(), first, first + list.count);
  merge_judged(old);
}

void packet_judge::add_group(inspected_packet const& packet) {
  auto const old = judged_.size();
  auto const rows = rows_of(rules_, packet);  // which stay in registers
  for_each_in_group(rules_, rows, [&](std::uint32_t place) { judged_.push_back(place); });
  rows_ = rows;
  merge_judged(old);
}

void packet_judge::merge_judged(std::size_t old) {
  if (old == 0 || old == judged_.size()) return;
  std::inplace_merge(judged_.begin(), judged_.begin() + static_cast<std::ptrdiff_t>(old), judged_.end());
}

void packet_judge::judge_candidates(inspected_packet const& packet, std::uint64_t* bits, match_receiver& to,
                                    scope which, message_rules* message) {
  judged_ = candidates_;
  std::sort(judged_.begin(), judged_.end());
  if (which != scope::message) add_group(packet);
  if (message != nullptr) add_unfiltered(unfiltered_for(rules_.header(), packet.http->kind));
  if (message != nullptr) message->waiting.clear();
  for (auto const place : judged_) {
    auto const& rule = rules_.rule(place);
    bool const is_of_message = rule.http_buffers != 0;
    if (is_of_message ? message == nullptr : which == scope::message) continue;
    if (!is_in_scope(which, rule, place) || (is_of_bytes_ && !looks_at_bytes(rule))) continue;
    if (is_of_message && std::find(message->matched.begin(), message->matched.end(), place) != message->matched.end())
      continue;
    if (!matches(rule, packet, bits)) {
      if (is_of_message && message->waiting.size() < most_waiting) message->waiting.push_back(place);
      continue;
    }
    if (is_of_message) message->matched.push_back(place);
    matched_.push_back(place);
    if (is_of_bytes_ && side_->take_matched_alone(place)) continue;
    change_bits(rules_, rule, bits);
    to.take(rule);
    is_passed_ = static_cast<rule_action>(rule.action) == rule_action::pass;
    if (!is_passed_) continue;
    note_pass(rules_, rule, packet, bits);
    return;
  }
}

bool packet_judge::is_in_scope(scope which, compiled_rule const& rule, std::uint32_t place) const {
  if (which != scope::other_stream && which != scope::first_head) return true;
  if (which == scope::first_head && static_cast<rule_protocol>(rule.protocol) != rule_protocol::http) return false;
  return is_for_other_stream(rule, place);
}

bool packet_judge::is_for_other_stream(compiled_rule const& rule, std::uint32_t place) const {
  if (static_cast<stream_use>(rule.stream) == stream_use::packet || rule.checks.count == 0) return false;
  return std::find(matched_.begin(), matched_.end(), place) == matched_.end();
}

bool packet_judge::matches(compiled_rule const& rule, inspected_packet const& packet, std::uint64_t* bits) {
  if (!matches_header(rules_, rule, packet, rows_) || !has_bits(rules_, rule, bits)) return false;
  if (!may_match_at_anchor(rule, packet)) return false;
  auto const result = matches_payload(rules_, rule, packet, budget_,
                                      [this](auto number, auto const* text, auto length, auto& begin, auto& end) {
                                        return regexes_.match(number, text, length, begin, end);
                                      });
  if (result == chain_result::out_of_steps) ++counts_.out_of_steps;
  if (result == chain_result::out_of_bytes) ++counts_.out_of_bytes;
  return result == chain_result::match;
}

}  // namespace packetwarp::inspect
