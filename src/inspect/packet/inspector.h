// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/hash_key.h"
#include "inspect/compiled/compile.h"
#include "inspect/language/regex.h"
#include "inspect/match/budget.h"
#include "inspect/match/inspected_packet.h"
#include "inspect/packet/asked_name.h"
#include "inspect/packet/flow_table.h"
#include "inspect/packet/fragment_table.h"
#include "inspect/packet/rate_table.h"
#include "inspect/packet/stream_table.h"
#include "inspect/packet/window_search.h"

namespace packetwarp::inspect {

struct inspect_counts {
  std::uint64_t packets{};
  std::uint64_t without_ip{};    // no sound IP header: not inspected
  std::uint64_t fragments{};     // inspected by the IP header only; their datagram is inspected once it is complete
  std::uint64_t cut_short{};     // recorded in part: inspected as far as it goes
  std::uint64_t without_flow{};  // no place in the table of flows: inspected without state
  std::uint64_t candidates{};    // rules whose literal the prefilter found
  std::uint64_t out_of_steps{};  // rules that cost more checks than the bound: not matched
  std::uint64_t out_of_bytes{};  // rules for which their packet's budget did not suffice: not matched
};

struct rule_counts {
  std::uint64_t matches{};
  std::uint64_t alerts{};  // without those that noalert or a threshold kept back
};

struct inspect_alert {
  std::uint32_t rule{};  // number in rule_set::rules
  inspected_packet packet{};
  std::uint8_t protocol{};  // of the IP header
  std::uint64_t flow{};     // key; 0: none
  std::uint64_t time{};     // nanoseconds
  std::uint64_t number{};   // of the packet, from 1
};

// Records of its tables. flows: a power of two, 8 or more.
struct inspector_sizes {
  std::uint32_t flows{131'072};
  std::size_t rates{65'536};
  std::size_t streams{16'384};                       // TCP connections whose bytes are carried
  std::size_t stream_bytes{std::size_t{256} << 20};  // of all of them
};

// Inspects packets one after the other, on one thread of a CPU.
class inspector {
 public:
  // rules: stays alive. count: of the rules in rule_set::rules.
  inspector(ruleset const& rules, std::size_t count, hash_key const& key, inspector_sizes sizes = {});

  // An Ethernet frame of `length` bytes, of which these were recorded. The alerts are valid until the next one.
  [[nodiscard]] std::vector<inspect_alert> const& inspect(std::span<std::byte const> frame, std::uint32_t length,
                                                          std::uint64_t nanoseconds);

  [[nodiscard]] inspect_counts const& counts() const { return counts_; }
  [[nodiscard]] std::vector<rule_counts> const& by_rule() const { return by_rule_; }
  [[nodiscard]] std::uint64_t regexes_out_of_bound() const { return regexes_.out_of_bound(); }
  [[nodiscard]] std::uint64_t rates_without_place() const { return rates_.without_place(); }
  [[nodiscard]] stream_counts const& segments() const { return segments_; }
  [[nodiscard]] http_counts const& messages() const { return messages_; }
  [[nodiscard]] fragment_table const& fragments() const { return fragments_; }
  [[nodiscard]] stream_table const& streams() const { return streams_; }

 private:
  void inspect_frame(std::span<std::byte const> frame, std::uint32_t length, std::uint64_t nanoseconds);
  // Which rules are judged: all that the packet may match, or those of its message of HTTP alone.
  enum class scope : std::uint8_t { all, message };

  // The connection of a packet of TCP whose bytes are carried; null: there is none.
  [[nodiscard]] tracked_stream* follow_stream(inspected_packet& packet);
  void find_candidates(inspected_packet const& packet, tracked_stream* stream);
  void search_stream(inspected_packet const& packet, stream_side& side);
  // The rules with a literal in the text, at `from` or later; they are candidates once.
  void search(text_view text, std::uint32_t from = 0);
  void add_candidate(std::uint32_t place);
  void inspect_messages(inspected_packet& packet, tracked_stream& stream, std::uint64_t* bits, inspect_alert& of);
  void find_in_message(http_reader const& reader, message_rules const& rules);
  // Adds rules without a literal to the judged ones, in order.
  void add_unfiltered(section const& list);
  void add_group(inspected_packet const& packet);
  void merge_judged(std::size_t old);
  void judge(inspected_packet const& packet, std::uint64_t* bits, inspect_alert const& of, scope which,
             message_rules* message);
  [[nodiscard]] bool matches(compiled_rule const& rule, inspected_packet const& packet, std::uint64_t const* bits);
  [[nodiscard]] bool has_bits(compiled_rule const& rule, std::uint64_t const* bits) const;
  void change_bits(compiled_rule const& rule, std::uint64_t* bits) const;
  void report(compiled_rule const& rule, inspect_alert of);

  ruleset_ref rules_;
  window_search windows_;
  std::uint32_t classes_{};  // of the packet
  regex_library regexes_;
  fragment_table fragments_;
  flow_table flows_;
  stream_table streams_;
  stream_counts segments_{};
  http_counts messages_{};
  rate_table rates_;
  inspect_counts counts_{};
  std::vector<rule_counts> by_rule_;
  std::vector<std::uint32_t> candidates_;
  std::vector<std::uint32_t> judged_;     // candidates and rules without a literal, in the order of the rules
  std::vector<std::uint32_t> of_packet_;  // candidates by its payload, whatever its messages
  std::vector<std::uint64_t> last_seen_;  // per rule: the last list of candidates that it was in
  std::vector<std::uint32_t> kept_at_;    // per rule: its place in the side's list of found rules, if it is there
  std::uint64_t list_{};                  // of candidates: its number
  bool is_passed_{};                      // by a rule, so that no other is judged
  std::vector<inspect_alert> alerts_;
  search_budget budget_{};  // of the frame
  asked_name name_{};
  std::uint64_t begin_{};  // time of the first packet
  std::uint64_t epoch_{1};
};

}  // namespace packetwarp::inspect
