// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "function/inspection/host_inspection.h"

#include <mutex>
#include <new>
#include <utility>

#include "function/inspection/record/packet_ring.h"
#include "inspect/packet/dns_name.h"
#include "inspect/packet/flowbits.h"
#include "inspect/packet/tls_name.h"

namespace packetwarp {
namespace {

using namespace inspection_parts;

// Carries out the rules that match.
class stage_receiver final : public inspect::match_receiver {
 public:
  stage_receiver(trial const& of, fate& so_far, rest_of_flow const& rest, bool& has_taken)
      : of_{of}, so_far_{so_far}, rest_{rest}, has_taken_{has_taken} {}

  void take(inspect::compiled_rule const& rule) override {
    has_taken_ = true;
    add(of_.set.counts[rule.number].matches, std::uint64_t{1});
    if (static_cast<inspect::rule_action>(rule.action) == inspect::rule_action::pass) {
      add(of_.tables.counts->passed, std::uint64_t{1});
    } else {
      decide(rule, inspection_parts::detail::carry_out(of_, rule));
    }
    inspection_parts::detail::bypass_by(of_, rule, so_far_);
  }

 private:
  void decide(inspect::compiled_rule const& rule, fate said) {
    if (said == fate::goes_on || so_far_ != fate::goes_on) return;
    so_far_ = said;
    bool const is_of_stream = rest_.has_stream && follows_from_stream(rule);
    if (rest_.fate != nullptr && (is_of_stream || decides_on_flows(rule)))
      *rest_.fate = static_cast<std::uint8_t>(said);
  }

  trial const& of_;
  fate& so_far_;
  rest_of_flow rest_;
  bool& has_taken_;
};

void add_more(std::uint64_t& to, std::uint64_t more) {
  if (more != 0) add(to, more);
}

[[nodiscard]] bool has(packet_note const& note, std::uint16_t flag) { return (note.flags & flag) != 0; }

[[nodiscard]] std::uint32_t direction_of(packet_note const& note) { return has(note, note_flag::backward) ? 1 : 0; }

[[nodiscard]] inspect::segment_signs signs_of(packet_view const& packet) {
  if (!joined_header::is_needed(packet))
    return inspect::signs_in_frame({packet.data, packet.contiguous}, packet.length);
  joined_header copy{packet};
  auto const headers = copy.view();
  return inspect::signs_in_frame({headers.data, headers.contiguous}, headers.length);
}

[[nodiscard]] bool may_have_stream(packet_note const& note) {
  return note.kind == inspect::packet_kind::tcp && has(note, note_flag::has_flow) &&
         has(note, note_flag::has_transport);
}

// Whether another flow begins with the packet, now that the numbers are looked up.
[[nodiscard]] bool begins_flow(trial const& of, inspect::stream_seed const& seed) {
  if (!has(of.note, note_flag::begins_flow)) return false;
  return !has(of.note, note_flag::unless_known) || !seed.is_repeated_by(of.packet, direction_of(of.note));
}

// The note of a packet of the other direction without payload.
[[nodiscard]] packet_note turned(packet_note const& note) {
  auto made = note;
  made.first = made.second = nullptr;
  made.first_size = made.second_size = made.payload_length = 0;
  std::swap(made.source, made.destination);
  std::swap(made.source_port, made.destination_port);
  made.flags ^= note_flag::to_server | note_flag::backward;
  made.tcp_flags = wire::tcp_flag::ack;
  return made;
}

// Whether a rule has decided on the rest of the packet's connection, of which the packet is.
[[nodiscard]] bool is_ended(inspection_ref const& tables, inspection_set const& set, inspect::stream_seed const& seed,
                            fate& of_packet) {
  if (seed.fate == 0 || set.verdicts != inspection_verdicts::as_rules_say) return false;
  of_packet = static_cast<fate>(seed.fate);
  add(tables.counts->of_ended_connections, std::uint64_t{1});
  return true;
}

}  // namespace

host_inspection::host_inspection(stream_store& streams, fragment_handling fragments, wire::checksum_handling checksums)
    : streams_{streams}, fragments_{fragments}, checksums_{checksums} {
  constexpr std::size_t longest_piece = 0xffff;
  joined_.reserve(2 * longest_piece);
}

void host_inspection::prepare(std::size_t set, inspect::ruleset_ref rules, inspect::regex_library& regexes) {
  sets_[set] = {.judge = std::make_unique<inspect::packet_judge>(rules, regexes), .regexes = &regexes};
}

bool host_inspection::is_wrong(packet_view view) const {
  if (checksums_ == wire::checksum_handling::ignore) return false;
  return !wire::has_right_checksums({view.data, view.contiguous}, {view.rest, view.rest_contiguous}, view.length);
}

payload_piece host_inspection::payload_of(packet_note const& note) {
  if (note.second_size == 0) return {note.first, note.first_size};
  joined_.assign(note.first, note.first + note.first_size);
  joined_.insert(joined_.end(), note.second, note.second + note.second_size);
  return {joined_.data(), static_cast<std::uint32_t>(joined_.size())};
}

void host_inspection::judge(inspection_ref const& tables, inspection_set const& set, inspection_room& room,
                            unsigned n) {
  if (std::exchange(completed_[n].is_there, false)) {
    judge_fragment(tables, set, room, n);
    auto& frame = completed_[n].frame;
    auto const size = static_cast<std::uint32_t>(frame.size());
    tables.host->views[n] = {frame.data(), size, size};
  }
  judge_packet(tables, set, room, n);
}

void host_inspection::judge_packet(inspection_ref const& tables, inspection_set const& set, inspection_room& room,
                                   unsigned n) {
  auto const& note = room.packets[n];
  if (has(note, note_flag::bypassed)) return pass_by(tables, set, room, n);
  auto const payload = payload_of(note);
  inspection_parts::detail::count_packet(tables, note, payload.size < note.payload_length);
  trial of{
      tables, set, room, note, packet_of(note, payload.data, payload.size), {}, inspect::search_budget{payload.size},
      n};
  if (fragments_ == fragment_handling::together) of.packet.came_in_fragments = is_datagram(tables, n);
  of.packet.sequence = tables.host->numbers[n].sequence;
  of.packet.acknowledgment = tables.host->numbers[n].acknowledgment;
  inspect::read_dns(of.packet, name_);
  bool const is_tcp = may_have_stream(note);
  bool const has_fate = has(note, note_flag::has_flow) && set.flow_rules != 0;
  if (!is_tcp && !has_fate && !has(note, note_flag::begins_flow)) {
    judge_alone(of, room.fates[n], {});
    return count(*tables.counts, room.set, {});
  }
  auto& shard = streams_.shard_of(note.flow_place);
  std::lock_guard const held{shard.lock};
  auto& seed = streams_.seed_of(note.flow_place);
  // Only now, because earlier packets of the group may be of the flow before.
  if (begins_flow(of, seed)) {
    inspect::clear_bits(of.bits(), set.bit_words);
    seed.begin_anew();
  }
  if (!begins_handshake(note) && is_ended(tables, set, seed, room.fates[n])) return;
  inspect::stream_counts counted;
  if (is_tcp) {
    judge_segment(of, room.fates[n], shard.streams, seed, counted);
  } else {
    judge_alone(of, room.fates[n], {&seed.fate, false});
  }
  count(*tables.counts, room.set, counted);
}

void host_inspection::judge_segment(trial& of, fate& so_far, inspect::stream_table& streams, inspect::stream_seed& seed,
                                    inspect::stream_counts& counts) {
  has_taken_ = false;
  try {
    auto* const stream = follow_stream(of, streams, seed, counts);
    judge(of, so_far, stream, {&seed.fate, stream != nullptr});
    if (has(of.note, note_flag::bypassed)) return streams.drop(of.note.flow_place);
    if (stream != nullptr) streams.charge(*stream, counts);
    if (streams.has_acknowledged_held()) judge_held(of, so_far, streams, seed, counts);
  } catch (std::bad_alloc const&) {
    give_way(of, so_far, streams, seed);
  }
}

void host_inspection::judge_held(trial const& of, fate& so_far, inspect::stream_table& streams,
                                 inspect::stream_seed& seed, inspect::stream_counts& counts) {
  auto const direction = direction_of(of.note);
  auto packet = inspect::turned(of.packet);
  auto& stream = streams.follow_held(direction, packet, counts);
  stream.be_judged_by(of.set.generation);
  auto const note = turned(of.note);
  trial held{of.tables, of.set, of.room, note, packet, {}, inspect::search_budget{packet.stream.size}, of.number};
  (void)inspect::read_tls(held.packet, name_);
  stage_receiver to{held, so_far, {&seed.fate, true}, has_taken_};
  sets_[of.room.set].judge->judge_bytes(held.packet, stream, 1 - direction, held.bits(), to);
  if (has(of.note, note_flag::bypassed)) return streams.drop(note.flow_place);
  streams.charge(stream, counts);
}

void host_inspection::give_way(trial& of, fate& so_far, inspect::stream_table& streams, inspect::stream_seed& seed) {
  streams.drop(of.note.flow_place);
  seed.has_stream = 1;  // later segments are judged alone
  add(of.tables.counts->given_up_for_memory, std::uint64_t{1});
  // No rule matches a packet twice.
  if (has_taken_) return add(of.tables.counts->without_memory, std::uint64_t{1});
  auto const came_in_fragments = of.packet.came_in_fragments;
  of.packet = packet_of(of.note, of.packet.payload, of.packet.payload_size);
  of.packet.came_in_fragments = came_in_fragments;
  of.packet.is_tls = of.packet.is_tls || seed.is_tls != 0;
  judge_alone(of, so_far, {&seed.fate, false});
}

void host_inspection::judge_alone(trial& of, fate& so_far, rest_of_flow const& rest) {
  try {
    judge(of, so_far, nullptr, rest);
  } catch (std::bad_alloc const&) {
    add(of.tables.counts->without_memory, std::uint64_t{1});
  }
}

void host_inspection::pass_by(inspection_ref const& tables, inspection_set const& set, inspection_room& room,
                              unsigned n) {
  auto const& note = room.packets[n];
  if (may_have_stream(note)) {
    // Another pipeline may have judged a packet of the flow meanwhile.
    std::lock_guard const held{streams_.shard_of(note.flow_place).lock};
    if (is_ended(tables, set, streams_.seed_of(note.flow_place), room.fates[n])) return;
  }
  add(tables.counts->bypassed, std::uint64_t{1});
}

void host_inspection::judge(trial& of, fate& so_far, inspect::tracked_stream* stream, rest_of_flow const& rest) {
  (void)inspect::read_tls(of.packet, name_);
  has_taken_ = false;
  stage_receiver to{of, so_far, rest, has_taken_};
  sets_[of.room.set].judge->judge(of.packet, stream, direction_of(of.note), of.bits(), to);
}

inspect::tracked_stream* host_inspection::follow_stream(trial& of, inspect::stream_table& streams,
                                                        inspect::stream_seed& seed, inspect::stream_counts& counts) {
  auto const& note = of.note;
  auto* const found = streams.follow(seed,
                                     {.place = note.flow_place,
                                      .direction = direction_of(note),
                                      .is_new = begins_flow(of, seed),
                                      .has_begun = has(note, note_flag::has_begun),
                                      .is_two_way = has(note, note_flag::two_way),
                                      .signs = signs_of(of.tables.host->views[of.number])},
                                     of.packet, counts);
  if (found != nullptr) found->be_judged_by(of.set.generation);
  return found;
}

// A single thread writes the counts; the master reads them at any time.
void host_inspection::count(inspection_counts& to, std::size_t set, inspect::stream_counts const& segments) {
  auto const add_all = [](auto& sums, auto const& some) {
    static_assert(sizeof sums == sizeof some && sizeof sums % sizeof(std::uint64_t) == 0);
    auto* const into = reinterpret_cast<std::uint64_t*>(&sums);
    auto const* const from = reinterpret_cast<std::uint64_t const*>(&some);
    for (std::size_t n = 0; n < sizeof sums / sizeof *into; ++n) add_more(into[n], from[n]);
  };
  if (segments != inspect::stream_counts{}) add_all(to.segments, segments);
  auto& of = sets_[set];
  auto const& now = of.judge->counts();
  if (now != of.counted) {
    auto const& before = of.counted;
    add_more(to.candidates, now.candidates - before.candidates);
    add_more(to.out_of_steps, now.out_of_steps - before.out_of_steps);
    add_more(to.out_of_bytes, now.out_of_bytes - before.out_of_bytes);
    add_more(to.body_bytes, now.body_bytes - before.body_bytes);
    add_more(to.literals_not_kept, now.literals_not_kept - before.literals_not_kept);
    auto messages = now.messages;
    auto* const words = reinterpret_cast<std::uint64_t*>(&messages);
    auto const* const old = reinterpret_cast<std::uint64_t const*>(&before.messages);
    for (std::size_t n = 0; n < sizeof messages / sizeof *words; ++n) words[n] -= old[n];
    add_all(to.messages, messages);
    of.counted = now;
  }
  add_more(to.regexes_out_of_bound, of.regexes->out_of_bound() - of.regexes_out_of_bound);
  of.regexes_out_of_bound = of.regexes->out_of_bound();
}

void inspection_parts::detail::keep_packet_on_host(trial const& of, std::uint64_t ticket) {
  auto& host = *of.tables.host;
  if (host.packets == nullptr || host.packets->put(ticket, host.views[of.number])) return;
  add(of.tables.counts->packets_not_kept, std::uint64_t{1});
}

void inspection_parts::detail::judge_on_host(inspection_ref const& tables, inspection_set const& set,
                                             inspection_room& room, unsigned n) {
  tables.host->streams->judge(tables, set, room, n);
}

}  // namespace packetwarp
