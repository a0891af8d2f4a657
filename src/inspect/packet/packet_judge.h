// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "inspect/compiled/ruleset.h"
#include "inspect/language/regex.h"
#include "inspect/match/budget.h"
#include "inspect/match/groups.h"
#include "inspect/match/inspected_packet.h"
#include "inspect/packet/window_search.h"
#include "inspect/stream/stream_table.h"

namespace packetwarp::inspect {

struct judge_counts {
  std::uint64_t candidates{};         // rules whose literal the prefilter found
  std::uint64_t out_of_steps{};       // rules that cost more checks than the bound: not matched
  std::uint64_t out_of_bytes{};       // rules for which their packet's budget did not suffice: not matched
  std::uint64_t literals_not_kept{};  // in carried bytes: too many; a rule's other contents may follow unseen
  std::uint64_t body_bytes{};         // bytes of messages' bodies, each time that rules are compared with them
  http_counts messages{};
  friend bool operator==(judge_counts const&, judge_counts const&) = default;
};

// Gets the rules that match a packet, in their order, after they have changed the flow's bits. A rule of action pass is
// the last one.
class match_receiver {
 public:
  virtual void take(compiled_rule const& rule) = 0;

 protected:
  ~match_receiver() = default;
};

// Judges packets by rules, with their streams and messages of HTTP. On one thread of a CPU.
class packet_judge {
 public:
  // Both stay alive.
  packet_judge(ruleset_ref rules, regex_library& regexes);

  // stream: of the packet, which stream_table::follow() has found; null: none. direction: the packet's, in its stream.
  // bits: the flow's; null without a flow. The packet gets its message of HTTP.
  void judge(inspected_packet& packet, tracked_stream* stream, std::uint32_t direction, std::uint64_t* bits,
             match_receiver& to);
  // The same for a packet that stands for bytes of its stream alone: only by rules that look at streams.
  void judge_bytes(inspected_packet& packet, tracked_stream& stream, std::uint32_t direction, std::uint64_t* bits,
                   match_receiver& to);

  [[nodiscard]] judge_counts const& counts() const { return counts_; }

 private:
  // Which rules are judged: all that the packet may match; the rules of its message of HTTP alone; the rules that look
  // at its stream and have not matched it; or the rules of HTTP among these.
  enum class scope : std::uint8_t { all, message, other_stream, first_head };

  void judge_packet(inspected_packet& packet, tracked_stream* stream, std::uint32_t direction, std::uint64_t* bits,
                    match_receiver& to);
  // The rules that have matched a segment that is held.
  void note_matched_alone();
  void find_candidates(inspected_packet const& packet, tracked_stream* stream, std::uint32_t direction);
  void search_stream(inspected_packet const& packet, stream_side& side);
  // The rules with a literal in the text, at `from` or later; they are candidates once.
  void search(text_view text, std::uint32_t from = 0);
  void add_candidate(std::uint32_t place);
  void judge_messages(inspected_packet& packet, tracked_stream& stream, std::uint32_t direction, std::uint64_t* bits,
                      match_receiver& to);
  // Takes bytes off their begin for the messages of a kind: 0 for requests, 1 for responses, each read by its request.
  // True: the message has news.
  [[nodiscard]] bool take_message(tracked_stream& stream, std::size_t kind, std::span<std::byte const>& bytes);
  void judge_message(inspected_packet& packet, http_reader const& reader, std::uint64_t* bits, match_receiver& to,
                     message_rules& rules);
  // Notes whether the packet is the first one of its direction that rules of HTTP are compared with.
  void begin_http(inspected_packet& packet);
  // A head that was not known as one until it had become longer than the stream that is kept.
  void judge_first_head(inspected_packet const& packet, text_view head, std::uint64_t* bits, match_receiver& to);
  // After all others: stream_side::other().
  void judge_other_stream(inspected_packet const& packet, stream_side const& side, std::uint64_t* bits,
                          match_receiver& to);
  [[nodiscard]] bool is_in_scope(scope which, compiled_rule const& rule, std::uint32_t place) const;
  [[nodiscard]] bool is_for_other_stream(compiled_rule const& rule, std::uint32_t place) const;
  // The candidates that look at a message whose news are put off.
  void keep_waiting(message_rules& rules) const;
  void find_in_message(http_reader const& reader, message_rules const& rules);
  // Adds rules without a literal to the judged ones, in order.
  void add_unfiltered(section const& list);
  void add_group(inspected_packet const& packet);
  void merge_judged(std::size_t old);
  void judge_candidates(inspected_packet const& packet, std::uint64_t* bits, match_receiver& to, scope which,
                        message_rules* message);
  [[nodiscard]] bool matches(compiled_rule const& rule, inspected_packet const& packet, std::uint64_t* bits);

  ruleset_ref rules_;
  window_search windows_;
  std::uint32_t classes_{};  // of the packet
  group_rows rows_{};        // of the packet
  stream_side* side_{};      // of the packet; null: none
  regex_library& regexes_;
  judge_counts counts_{};
  std::vector<std::uint32_t> candidates_;
  std::vector<std::uint32_t> judged_;     // candidates and rules without a literal, in the order of the rules
  std::vector<std::uint32_t> matched_;    // by the packet
  std::vector<std::uint32_t> of_packet_;  // candidates by its payload, whatever its messages
  std::vector<std::uint64_t> last_seen_;  // per rule: the last list of candidates that it was in
  std::vector<std::uint32_t> kept_at_;    // per rule: its place in the side's list of found rules, if it is there
  std::uint64_t list_{};                  // of candidates: its number
  bool is_of_bytes_{};                    // the packet stands for bytes of its stream alone
  bool is_passed_{};                      // by a rule, so that no other is judged
  search_budget budget_{};                // of the packet
};

}  // namespace packetwarp::inspect
