// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/host_device.h"
#include "base/unroll.h"
#include "function/inspection/group/asked_names.h"
#include "function/inspection/group/carry_streams.h"
#include "function/inspection/group/ended.h"
#include "function/inspection/group/group_facts.h"
#include "function/inspection/group/group_rules.h"
#include "function/inspection/group/group_search.h"
#include "function/inspection/group/join_texts.h"
#include "function/inspection/group/outcome.h"
#include "function/inspection/group/quiet_packets.h"
#include "function/inspection/group/read_heads.h"
#include "function/inspection/group/rule_pairs.h"
#include "function/inspection/group/shared_budget.h"
#include "function/inspection/group/take_joined.h"
#include "function/inspection/group/trial.h"
#include "inspect/packet/flowbits.h"

namespace packetwarp::inspection_parts {

// Judges packets of a group together. The payloads are searched for windows; then the rules that have them, and rules
// of headers, are tried for several packets side by side: first the headers of all, then the texts of the pairs that
// are left. A packet has few such rules, so a warp with a packet at a time has work for few of its lanes, and reads all
// instructions again for the next one.
template <class Group>
class joint_judge {
 public:
  HOST_DEVICE joint_judge(Group const& group, inspection_ref const& tables, inspection_set const& set,
                          inspection_room& room, trial_counts& counted)
      : group_{group},
        tables_{tables},
        set_{set},
        room_{room},
        counted_{counted},
        facts_{facts_of_group(group, tables, set, room)},
        pairs_{room},
        searched_{group, set, room, pairs_} {
    if (set.rules.header().alone.count > 1U << rule_pair::rule_bits) facts_.alone = ~std::uint32_t{0};
    quiet_ = quiet_packets(group, set, room, facts_);
  }

  // Judges packets from `begin` on, and returns the first one that it has not judged. If that is `begin`, it has to be
  // judged alone.
  [[nodiscard]] HOST_DEVICE_COPIED unsigned judge_from(unsigned begin) {
    auto const wanted = wanted_from(begin);
    auto const alone = wanted & facts_.alone;
    end_ = alone == 0 ? group_.packets() : lowest_bit(alone);
    auto const wanted_here = wanted & below(end_);
    if ((wanted_here & ~quiet_) == 0 && end_ != begin) {
      joined_ = {};
      if (are_plain(begin)) return end_;
      conclude_without_match(begin);
      group_.sync();
      count_packets(begin, end_);
      return end_;
    }
    if (!take_joined_late(group_, tables_, room_) || end_ == begin) return begin;
    texts_ = &tables_.joined.rooms[room_.joined_in];
    // Packets that are judged again begin anew.
    for (auto n = begin + group_.lane(); n < group_.packets(); n += group_.lanes()) texts_->spent[n] = 0;
    pairs_.begin(group_);
    joined_ = join_texts(group_, tables_, facts_, wanted_here & facts_.texts & ~quiet_, room_, *texts_);
    if (joined_.end < end_) end_ = joined_.end;
    place_payloads(group_, facts_, joined_, room_, *texts_, payload_place::in_room);
    try_packets(begin, wanted & below(end_));
    searched_.end();
    if (pairs_.matching() == 0) {
      conclude_without_match(begin);
    } else if (group_.lane() == 0) {
      conclude(begin, end_);
    }
    group_.sync();
    place_payloads(group_, facts_, joined_, room_, *texts_, payload_place::where_it_lay);
    count_packets(begin, end_);
    pairs_.clear(group_);
    return end_;
  }

 private:
  // A warp tries so many pairs two times over, and there is room for as many of the next packets.
  static constexpr std::uint32_t enough_pairs = 64;
  // Positions for which windows are looked up together: one for each lane of a warp.
  static constexpr std::uint32_t enough_positions = 32;
  // Rules of headers are added for 16 packets at a time.
  static constexpr std::uint32_t packets_at_once = 16;

  [[nodiscard]] HOST_DEVICE static constexpr std::uint32_t below(unsigned n) {
    return n >= 32 ? ~std::uint32_t{0} : (1U << n) - 1;
  }

  // Bits of the packets from `begin` on that are judged.
  [[nodiscard]] HOST_DEVICE std::uint32_t wanted_from(unsigned begin) const {
    std::uint32_t own = 0;
    for (auto n = begin + group_.lane(); n < group_.packets(); n += group_.lanes()) {
      auto const& note = room_.packets[n];
      if (note.ip_version != 0 && !is_left_out(set_, note)) own |= 1U << n;
    }
    return group_.sum(own);
  }

  // By all lanes: whether conclude_without_match() and count_packets() have nothing to note or to count about any
  // packet from `begin` to end_.
  [[nodiscard]] HOST_DEVICE bool are_plain(unsigned begin) const {
    constexpr auto unusual = note_flag::ended | note_flag::bypassed | note_flag::begins_flow | note_flag::fragment;
    std::uint32_t others = 0;
    for (auto n = begin + group_.lane(); n < end_; n += group_.lanes()) {
      auto const& note = room_.packets[n];
      if (note.ip_version == 0) continue;
      bool const is_whole = note.first_size >= note.payload_length;
      if ((note.flags & unusual) != 0 || !is_whole || lacks_stream(set_, note)) ++others;
    }
    return group_.sum(others) == 0;
  }

  // Finds the rules that match packets up to end_, which moves to the first packet whose pairs had no room.
  HOST_DEVICE_COPIED void try_packets(unsigned begin, std::uint32_t wanted) {
    auto const& grouped = room_.grouped;
    searched_.begin(*texts_, joined_.pieces);
    auto more = wanted & (facts_.heads | grouped.have_more);
    auto const with_rules = wanted & grouped.have_some & ~grouped.have_more;
    auto parts = (with_rules & below(packets_at_once)) != 0 ? 1U : 0U;
    if ((with_rules & ~below(packets_at_once)) != 0) parts |= 2U;
    NOT_UNROLLED
    while (has_texts() || more != 0 || parts != 0) {
      if (has_texts()) {
        searched_.look_further(is_tight_ ? 1 : enough_positions);
      } else if (more != 0) {
        find_more_rules(lowest_bit(more));
        more &= more - 1;
      } else {
        add_rules_of_headers(begin, lowest_bit(parts) * packets_at_once, with_rules);
        parts &= parts - 1;
      }
      if (auto const without_room = pairs_.without_room(group_); without_room < end_) {
        end_ = without_room;
        is_tight_ = true;
      }
      if (pairs_.matching() >= rule_pairs::most / 2 && searched_.complete_before() < end_)
        end_ = searched_.complete_before();
      more &= below(end_);
      try_pairs(!has_texts() && more == 0);
    }
  }
  [[nodiscard]] HOST_DEVICE bool has_texts() const {
    return searched_.has_more() && searched_.complete_before() < end_;
  }

  // By all lanes: the rules that the n-th packet may match for another reason than a literal.
  HOST_DEVICE void find_more_rules(unsigned n) {
    if ((room_.grouped.have_more >> n & 1) != 0) find_group(n);
    if ((facts_.heads >> n & 1) == 0) return;
    detail::for_unfiltered_http(group_, set_.rules, *message_of(tables_, room_, n), [&](std::uint32_t rule) {
      pairs_.add(rule_pair::make(n, rule) | rule_pair::of_header);
    });
  }
  // By all lanes: the rules of the packet's header groups, more than a group has room for.
  HOST_DEVICE void find_group(unsigned n) {
    auto const rows = detail::noted_rows(set_.rules, room_, n, detail::packet_of_headers(tables_, room_, n));
    auto const* const numbers = set_.rules.template at<std::uint32_t>(set_.rules.header().groups.alone);
    inspect::share_rows(group_, set_.rules, rows, [&](std::uint32_t bit) {
      if (numbers[bit] != inspect::not_alone) {
        pairs_.add(rule_pair::make(n, numbers[bit]) | rule_pair::of_header);
      }
    });
  }

  // By all lanes: the noted rules of packets from `first` on. There is room for them, or end_ moves to the first one.
  HOST_DEVICE void add_rules_of_headers(unsigned begin, unsigned first, std::uint32_t with_rules) {
    constexpr auto added = packets_at_once * group_rules::most;
    if (pairs_.matching() + added > rule_pairs::most) {
      end_ = first > begin ? first : begin;
      return;
    }
    for (auto i = group_.lane(); i < added; i += group_.lanes()) {
      auto const n = first + i / group_rules::most;
      if (n >= end_ || (with_rules >> n & 1) == 0) continue;
      auto const rule = std::uint32_t{room_.grouped.rules[n][i % group_rules::most]};
      pairs_.add(rule_pair::make(n, rule) | rule_pair::of_header);
    }
  }

  // By all lanes. has_ended: no other pair will come, or none but rules of headers.
  HOST_DEVICE_COPIED void try_pairs(bool has_ended) {
    if (!has_ended && pairs_.fresh() < (is_tight_ ? enough_pairs / 2 : enough_pairs)) return;
    auto const complete = has_ended ? end_ : searched_.complete_before();
    pairs_.keep_with_header(group_, complete, end_, [this](std::uint32_t pair) { return has_header(pair); });
    if (!has_ended && pairs_.waiting() < enough_pairs) return;
    counted_.work.share_time(complete, group_.packets());
    pairs_.keep_matching(group_, end_, [this](std::uint32_t pair, effort how) { return find(pair, how); });
  }

  [[nodiscard]] HOST_DEVICE trial trial_of(unsigned n) const {
    auto const& note = room_.packets[n];
    auto packet = packet_of_first_piece(note);
    packet.is_tls = (facts_.tls >> n & 1) != 0;
    packet.is_dns = (facts_.dns >> n & 1) != 0;
    packet.http = message_of(tables_, room_, n);
    packet.is_http = packet.http != nullptr;
    show_stream(tables_, note, packet);
    inspect::search_budget const budget{std::uint64_t{note.first_size} + packet.stream.size};
    return {tables_, set_, room_, note, packet, {}, budget, n};
  }

  [[nodiscard]] HOST_DEVICE static bool is_of_name(inspect::compiled_rule const& rule) {
    return rule.name_checks.count + rule.dotted_checks.count != 0;
  }

  // By a lane. A packet without a name cannot match a rule of one.
  [[nodiscard]] HOST_DEVICE bool has_header(std::uint32_t pair) {
    if ((pair & rule_pair::of_header) == 0) ++counted_.candidates;
    auto const n = rule_pair::packet(pair);
    auto const& rule = set_.rules.rule_alone(rule_pair::rule(pair));
    if (is_of_name(rule) && (joined_.asking >> n & 1) == 0) return false;
    auto const packet = trial_of(n).packet;
    return inspect::matches_header(set_.rules, rule, packet, detail::noted_rows(set_.rules, room_, n, packet)) &&
           inspect::may_match_at_anchor(rule, packet);
  }
  // By a lane: whether the rest of the rule matches.
  [[nodiscard]] HOST_DEVICE trial_result find(std::uint32_t pair, effort how) {
    auto of = trial_of(rule_pair::packet(pair));
    auto const& rule = set_.rules.rule_alone(rule_pair::rule(pair));
    asked_names name;
    if (is_of_name(rule)) (void)name.read(of.packet);
    shared_budget shared{of.spent(), &counted_.work, of.budget, how};
    bool const is_found = detail::matches_texts(of, rule);
    bool const lacks_bytes = !is_found && of.counted.out_of_bytes != 0;
    if (how == effort::little && (lacks_bytes || of.budget.lacks_steps())) {
      shared.forget();
      return trial_result::costly;
    }
    counted_.out_of_steps += of.counted.out_of_steps;
    counted_.out_of_bytes += of.counted.out_of_bytes;
    counted_.unjudged_regexes += of.counted.unjudged_regexes;
    return is_found ? trial_result::yes : trial_result::no;
  }

  // By all lanes, if no rule has matched.
  HOST_DEVICE void conclude_without_match(unsigned begin) {
    if (group_.lane() == 0) room_.bypassing = 0;
    for (auto n = begin + group_.lane(); n < end_; n += group_.lanes()) {
      auto const& note = room_.packets[n];
      if (note.ip_version == 0) continue;
      if (is_ended(set_, note)) room_.fates[n] = fate_of_ended(note);
      if (is_left_out(set_, note) || (note.flags & note_flag::begins_flow) == 0) continue;
      bool is_first = true;  // of the flow's record; other lanes would write the same words
      for (auto other = begin; other < n; ++other) {
        auto const& before = room_.packets[other];
        bool const begins = before.ip_version != 0 && (before.flags & note_flag::begins_flow) != 0;
        if (begins && before.flow_place == note.flow_place && !is_left_out(set_, before)) is_first = false;
      }
      if (is_first) inspect::clear_bits(set_.bits + std::size_t{note.flow_place} * set_.bit_words, set_.bit_words);
    }
  }

  // By one lane: in the order of packets, and of a packet's rules, because flowbits, thresholds and bypassed flows
  // follow from those before.
  HOST_DEVICE void conclude(unsigned begin, unsigned end) {
    room_.bypassing = 0;
    auto rank = pairs_.next(0);
    for (auto n = begin; n < end; ++n) {
      auto const& note = room_.packets[n];
      auto const last = rule_pair::rank(n, (1U << rule_pair::rule_bits) - 1);
      if (note.ip_version != 0 && is_ended(set_, note)) room_.fates[n] = fate_of_ended(note);
      if (note.ip_version == 0 || is_left_out(set_, note)) {
        if (rank <= last) rank = pairs_.next(last + 1);
        continue;
      }
      // Only now, because earlier packets may be of the flow before.
      if ((note.flags & note_flag::begins_flow) != 0) {
        inspect::clear_bits(set_.bits + std::size_t{note.flow_place} * set_.bit_words, set_.bit_words);
      }
      if (rank > last) continue;
      if (is_passed(set_, note)) {
        rank = pairs_.next(last + 1);
        continue;
      }
      auto const of = trial_of(n);
      auto& so_far = room_.fates[n];
      while (rank <= last) {
        bool const has_ended = detail::ends_by(of, set_.rules.rule_alone(rule_pair::rule_of_rank(rank)), so_far);
        rank = pairs_.next((has_ended ? last : rank) + 1);
      }
      if ((note.flags & note_flag::bypassed) != 0) room_.bypassing |= 1U << n;
    }
  }

  HOST_DEVICE void count_packets(unsigned begin, unsigned end) const {
    // A byte for each count, which is of the group's packets.
    constexpr std::uint32_t of_bypassed = 1;
    constexpr std::uint32_t of_ended = 1U << 8;
    constexpr std::uint32_t of_streams = 1U << 16;
    constexpr std::uint32_t of_names = 1U << 24;
    static_assert(joint_packets < 1U << 8);
    std::uint32_t own = 0;
    for (auto n = begin + group_.lane(); n < end; n += group_.lanes()) {
      auto const& note = room_.packets[n];
      if (note.ip_version == 0) continue;
      if (is_ended(set_, note)) {
        own += of_ended;
        continue;
      }
      if ((note.flags & note_flag::bypassed) != 0 && (room_.bypassing >> n & 1) == 0) {
        own += of_bypassed;
        continue;
      }
      detail::count_packet(tables_, note, note.first_size < note.payload_length);
      if (lacks_stream(set_, note)) own += of_streams;
      if ((joined_.cut_off >> n & 1) != 0) own += of_names;
    }
    auto const all = group_.sum(own);
    if (all == 0 || group_.lane() != 0) return;
    auto& counts = *tables_.counts;
    detail::add_byte(counts.bypassed, all);
    detail::add_byte(counts.of_ended_connections, all / of_ended);
    detail::add_byte(counts.unjudged_streams, all / of_streams);
    detail::add_byte(counts.unjudged_names, all / of_names);
  }

  Group const& group_;
  inspection_ref const& tables_;
  inspection_set const& set_;
  inspection_room& room_;
  joined_room* texts_{};
  trial_counts& counted_;
  group_facts facts_;
  std::uint32_t quiet_{};  // bits of packets that no rule can match
  rule_pairs pairs_;
  group_search<Group> searched_;
  joined_group joined_;
  unsigned end_{};   // of the packets that are judged now
  bool is_tight_{};  // pairs had no room: from then on they are tried sooner
};

}  // namespace packetwarp::inspection_parts
