// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "function/nat44/nat44_table.h"
#include "function/nat44/session/find_session.h"

// A nat44_table's tables on the host follow a GPU's, and go on with their state when the GPU is lost.
namespace packetwarp {
namespace {

constexpr std::uint32_t records_at_once = 32768;  // for a caller that has time

[[nodiscard]] bool is_of_packets(nat::session const& one) {
  nat::life const life{one.life};
  return life.is_live() && life.from() == nat::origin::packet && nat::transport_of(one.inside) < nat::transport::none;
}

[[nodiscard]] bool is_same(nat::session const& a, nat::session const& b) {
  return a.inside == b.inside && a.outside == b.outside;
}

}  // namespace

void nat44_table::read_journal_of_gpu(std::uint32_t most) {
  auto const before = gpu_reader_.read();
  std::uint32_t n = 0;
  for (; n < most; ++n) {
    auto const entry = gpu_reader_.next();
    if (!entry) break;
    follow(*entry);
    tell(*entry);
  }
  nat::journal_cursors seen{};
  if (gpu_.read(layout_.cursors, std::as_writable_bytes(std::span{&seen, 1})) == copied::lost) return;
  count_changes(seen);
  // Skips to the end of the lost entries only after the entries before them, which are older than the records that are
  // read back: later calls read those that are still in the journal.
  bool const has_lost = n < most && seen.lost != lost_;
  if (has_lost) {
    counts_.unlogged += seen.written - gpu_reader_.read();
    lost_ = seen.lost;
    gpu_reader_.skip_to(seen.written);
  }
  auto const read = gpu_reader_.read();
  if (read != before) {
    (void)gpu_.write(layout_.cursors + offsetof(nat::journal_cursors, read), std::as_bytes(std::span{&read, 1}));
  }
  if (has_lost) begin_read_back();
}

void nat44_table::follow(nat::journal_entry const& entry) {
  auto const tables = cpu();
  if (entry.number >= layout_.session_records) return;
  auto const held = nat::load_session(tables.sessions[entry.number]);
  bool const is_there = nat::life{held.life}.is_live() && held.inside == entry.inside && held.outside == entry.outside;
  if (entry.what == nat::event::ended) {
    // The end is told late if the record has another session by now.
    if (is_there) forget(entry.number, entry.inside);
    return;
  }
  if (is_there) return;  // found by reading back
  nat::session const made{entry.inside, entry.outside,
                          nat::life{entry.when, nat::phase::live, nat::origin::packet, 0}.raw(), 0};
  make_way(made, entry.number);
  if (!adopt(made, entry.number)) ++counts_.conflicts;
}

// An endpoint, a port and a record have one session each: the session that the host has in one of these places has
// ended, and the executor that ended it is about to tell of it.
void nat44_table::make_way(nat::session const& wanted, std::uint32_t number) {
  auto const tables = cpu();
  forget_if_packets_made(number);
  forget_if_packets_made(nat::find_inside(tables, wanted.inside).number);
  auto const outside = nat::endpoint_of(wanted.outside);
  auto const kind = nat::transport_of(wanted.outside);
  auto const at = tables.outside_addresses.find(outside.address);
  if (at == 0 || (at & nat::address_map::is_static) != 0 || kind >= nat::transport::none) return;
  auto const& port = tables.outside[tables.position_of(kind, at - 1, outside.port)];
  forget_if_packets_made(nat::shared(port).load(cuda::memory_order_relaxed));
}

void nat44_table::forget_if_packets_made(std::uint32_t number) {
  if (number == 0 || number >= layout_.session_records) return;
  auto const held = nat::load_session(cpu().sessions[number]);
  if (is_of_packets(held)) forget(number, held.inside);
}

void nat44_table::begin_read_back() {
  if (!gpu_leads()) return;
  if (next_to_read_ == 0) {
    next_to_read_ = 1;
  } else {
    is_read_again_ = true;
  }
}

void nat44_table::read_back() {
  begin_read_back();
  while (is_reading_back()) read_back_slice(records_at_once);
}

// Each record as read here is newer than the entries heard so far. Entries that the journal tells later are newer yet.
void nat44_table::read_back_slice(std::uint32_t records) {
  if (next_to_read_ == 0) return;
  auto const first = next_to_read_;
  std::vector<nat::session> some(std::min(records, layout_.session_records - first));
  auto const at = layout_.sessions + first * sizeof(nat::session);
  if (gpu_.read(at, std::as_writable_bytes(std::span{some})) == copied::lost) {
    next_to_read_ = 0;
    return;
  }
  for (std::uint32_t i = 0; i < some.size(); ++i) read_back_one(first + i, some[i]);
  next_to_read_ = first + static_cast<std::uint32_t>(some.size());
  if (next_to_read_ < layout_.session_records) return;
  next_to_read_ = is_read_again_ ? 1 : 0;
  is_read_again_ = false;
}

void nat44_table::read_back_one(std::uint32_t number, nat::session const& true_one) {
  auto& record = cpu().sessions[number];
  auto const held = nat::load_session(record);
  bool const is_live = is_of_packets(true_one);
  if (is_live && is_of_packets(held) && is_same(held, true_one)) {
    nat::shared(record.life).store(true_one.life, cuda::memory_order_relaxed);
    return;
  }
  forget_if_packets_made(number);
  if (!is_live) return;
  make_way(true_one, number);
  if (!adopt(true_one, number)) ++counts_.conflicts;
}

void nat44_table::gpu_failed() {
  if (!gpu_leads()) return;
  gpu_reader_.read_rest([this](nat::journal_entry const& entry) {
    follow(entry);
    tell(entry);
  });
  next_to_read_ = 0;
  next_to_refresh_ = 1;
  leader_ = leader::host;
  lost_ = 0;
}

void nat44_table::refresh_slice(std::uint32_t records) {
  auto const tables = cpu();
  auto const now = tables.now();
  auto const end = std::min<std::uint64_t>(std::uint64_t{next_to_refresh_} + records, layout_.session_records);
  for (; next_to_refresh_ < end; ++next_to_refresh_) {
    auto& record = tables.sessions[next_to_refresh_];
    auto const held = nat::load_provable(record);
    nat::life const seen{held.life};
    if (!seen.is_live()) continue;
    // Only the GPU has known the TCP connections of a session.
    bool const is_tcp = nat::transport_of(held.inside) == nat::transport::tcp;
    auto const refreshed = is_tcp ? seen.seen(now, 0).with(0, 0) : seen.seen(now, seen.tcp());
    auto raw = seen.raw();
    // Executors are at work.
    (void)nat::shared(record.life).compare_exchange_strong(raw, refreshed.raw());
  }
  if (end == layout_.session_records) next_to_refresh_ = 0;
}

}  // namespace packetwarp
