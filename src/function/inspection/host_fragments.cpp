// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <new>

#include "function/inspection/host_inspection.h"
#include "wire/parse.h"

namespace packetwarp {
namespace {

using namespace inspection_parts;

void add_new(std::uint64_t& to, std::uint64_t now, std::uint64_t before) {
  if (now != before) add(to, now - before);
}

}  // namespace

feature::packet_facts host_inspection::take_fragment(packet_view view, unsigned n, feature::packet_facts const& facts,
                                                     inspection_ref const& tables, inspection_room& room) {
  if (fragments_ == fragment_handling::headers || inspection_parts::has_wrong_checksums(view, tables)) return facts;
  constexpr std::uint64_t nanoseconds_per_clock = 1'000'000'000 / 64;
  auto& made = completed_[n];
  auto all = facts;
  try {
    auto const frame = put_together(view, tables.root->now() * nanoseconds_per_clock);
    auto const length = static_cast<std::uint32_t>(frame.size());
    bool const is_taken = checksums_ == wire::checksum_handling::ignore || wire::has_right_checksums(frame, {}, length);
    if (!is_taken) add(tables.counts->wrong_checksums, std::uint64_t{1});
    if (!frame.empty() && is_taken) {
      made.frame.assign(frame.begin(), frame.end());
      made.fragment = room.packets[n];
      made.is_there = true;
      all = note_packet({made.frame.data(), length, length}, room.packets[n], tables.host->numbers[n], as_received{});
    }
  } catch (std::bad_alloc const&) {
    datagrams_.give_up_all();
  }
  auto const& now = datagrams_.counts();
  auto& before = counted_datagrams_;
  auto& counts = tables.counts->datagrams;
  add_new(counts.datagrams, now.datagrams, before.datagrams);
  add_new(tables.counts->cut_short, now.cut_short, before.cut_short);
  add_new(counts.unsound, now.unsound, before.unsound);
  add_new(counts.repeated, now.repeated, before.repeated);
  add_new(counts.given_up, now.given_up, before.given_up);
  before = now;
  return all;
}

std::span<std::byte const> host_inspection::put_together(packet_view view, std::uint64_t nanoseconds) {
  std::span<std::byte const> frame{view.data, view.contiguous};
  if (view.rest_contiguous != 0) {
    joined_.assign(view.data, view.data + view.contiguous);
    joined_.insert(joined_.end(), view.rest, view.rest + view.rest_contiguous);
    frame = joined_;
  }
  auto const found = wire::parse(frame.data(), static_cast<std::uint32_t>(frame.size()), view.length);
  return datagrams_.add(frame, found, nanoseconds);
}

void host_inspection::judge_fragment(inspection_ref const& tables, inspection_set const& set, inspection_room& room,
                                     unsigned n) {
  auto const& note = completed_[n].fragment;
  inspection_parts::detail::count_packet(tables, note, false);
  trial of{tables, set, room, note, packet_of(note, nullptr, 0), {}, inspect::search_budget{}, n};
  of.packet.came_in_fragments = false;  // its datagram has
  judge_alone(of, room.fates[n], {});
}

bool inspection_parts::has_wrong_checksums(packet_view view, inspection_ref const& tables) {
  auto const* const judge = tables.host->streams;
  if (judge == nullptr || !judge->is_wrong(view)) return false;
  add(tables.counts->wrong_checksums, std::uint64_t{1});
  return true;
}

feature::packet_facts inspection_parts::put_together_on_host(packet_view view, unsigned n,
                                                             feature::packet_facts const& of_fragment,
                                                             inspection_ref const& tables, inspection_room& room) {
  auto* const judge = tables.host->streams;
  return judge == nullptr ? of_fragment : judge->take_fragment(view, n, of_fragment, tables, room);
}

}  // namespace packetwarp
