// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "function/nat44/nat44_table.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "function/nat44/age.h"
#include "function/nat44/find_session.h"

namespace packetwarp {
namespace {

[[nodiscard]] nat44_config checked(nat44_config config) {
  nat::check(config);
  return nat::with_room(std::move(config));
}

[[nodiscard]] nat::journal_record* records_in(std::byte* memory) {
  return reinterpret_cast<nat::journal_record*>(memory);
}

}  // namespace

nat44_table::nat44_table(nat44_config config, table_place copy)
    : config_{checked(std::move(config))},
      layout_{config_},
      assignment_{layout_, config_},
      host_{{}, layout_.bytes},
      host_journal_{{}, config_.journal * sizeof(nat::journal_record)},
      host_reader_{records_in(host_journal_.data()), config_.journal - 1} {
  fill_host();
  if (copy.gpu == table_place::host) return;
  gpu_ = table_memory{copy, layout_.bytes};
  gpu_journal_ = pinned_memory{copy.gpu, config_.journal * sizeof(nat::journal_record)};
  gpu_reader_ = nat::journal_reader{records_in(gpu_journal_.bytes().data()), config_.journal - 1};
  leader_ = leader::gpu;
  upload();
}

nat44_ref nat44_table::cpu() const { return layout_.ref_at(host_.data(), config_); }

nat44_ref nat44_table::gpu() const { return gpu_.size() == 0 ? cpu() : layout_.ref_at(gpu_.data(), config_); }

template <class T>
void nat44_table::put(std::size_t offset, T const& value) {
  host_.write(offset, std::as_bytes(std::span{&value, 1}));
}

void nat44_table::fill_host() {
  put(layout_.settings, layout_.settings_at(host_.data(), config_, 0, records_in(host_journal_.data())));
  std::ranges::copy(config_.interfaces, reinterpret_cast<nat::side*>(host_.data() + layout_.sides));
  fill_free_sets();
  auto first = nat::plan_change(layout_, config_, assignment_, config_, {});
  prepare(first);
  publish(std::move(first));
  if (!settle_forwards(nat::occupant::ends)) {
    throw usage_error("nat44 port forward: it stands in another one's way; give each an outside endpoint of its own");
  }
}

void nat44_table::fill_free_sets() {
  auto const tables = cpu();
  auto const sessions = tables.free_sessions();
  for (std::uint32_t n = 1; n < layout_.first_forward; ++n) sessions.give_back(n);
  nat::free_set const remotes{tables.rare->free_remotes, layout_.remote_records};
  for (std::uint32_t n = 1; n < layout_.remote_records; ++n) remotes.give_back(n);
  // One address's ports, and then the same for all, of the pool or not yet.
  auto const first = tables.free_ports(nat::transport::udp, 0);
  for (std::uint32_t port = config_.first_port; port <= config_.last_port; ++port) first.give_back(port);
  auto const* const words = tables.rare->free_ports;
  for (std::size_t n = 1; n < std::size_t{nat::transports} * layout_.outside_count; ++n) {
    std::copy_n(words, nat::words_of_ports, tables.rare->free_ports + n * nat::words_of_ports);
  }
}

bool nat44_table::settle_forwards(nat::occupant others) {
  auto const tables = cpu();
  bool is_settled = true;
  for (auto n = layout_.first_forward; n < layout_.session_records; ++n) {
    is_settled = nat::settle_forward(tables, n, others, tables.now()) && is_settled;
  }
  return is_settled;
}

nat::change nat44_table::plan_change(nat44_config const& wanted) const {
  return nat::plan_change(layout_, config_, assignment_, wanted, [this](std::uint32_t n) { return is_vacant(n); });
}

void nat44_table::prepare(nat::change const& made) {
  made.first.for_each([this](std::size_t offset, std::span<std::byte const> bytes) { write_all(offset, bytes); });
}

void nat44_table::publish(nat::change made) {
  made.then.for_each([this](std::size_t offset, std::span<std::byte const> bytes) { write_all(offset, bytes); });
  config_ = std::move(made.config);
  assignment_ = std::move(made.after);
}

void nat44_table::write_all(std::size_t offset, std::span<std::byte const> bytes) {
  host_.write(offset, bytes);
  if (gpu_leads()) gpu_.write(offset, bytes);
}

// In the tables that packets change: what the host has heard of a GPU's may be older.
bool nat44_table::is_vacant(std::uint32_t position) const {
  auto const& true_one = gpu_leads() ? gpu_ : host_;
  std::vector<std::uint64_t> free(nat::words_of_ports);
  for (std::size_t kind = 0; kind < nat::transports; ++kind) {
    auto const at = (kind * layout_.outside_count + position) * free.size() * sizeof(std::uint64_t);
    true_one.read(layout_.free_ports + at, std::as_writable_bytes(std::span{free}));
    nat::free_set const ports{free.data(), nat::port_count};
    for (std::uint32_t port = config_.first_port; port <= config_.last_port; ++port) {
      if (!ports.is_free(port)) return false;
    }
  }
  std::vector<nat::session> forwards(config_.forward_room);
  true_one.read(layout_.sessions + layout_.first_forward * sizeof(nat::session),
                std::as_writable_bytes(std::span{forwards}));
  return std::none_of(forwards.begin(), forwards.end(), [&](nat::session const& one) {
    return nat::life{one.life}.at() != nat::phase::unused && one.pool() == position;
  });
}

void nat44_table::upload() {
  gpu_.write(0, {host_.data(), host_.size()});
  auto const settings = layout_.settings_at(gpu_.data(), config_, static_cast<std::uint32_t>(assignment_.givers.size()),
                                            records_in(gpu_journal_.bytes().data()));
  gpu_.write(layout_.settings, std::as_bytes(std::span{&settings, 1}));
}

void nat44_table::tick(std::uint32_t seconds) {
  auto const now = clock_start + seconds;
  put(layout_.clock, now);
  if (gpu_leads()) gpu_.write(layout_.clock, std::as_bytes(std::span{&now, 1}));
}

void nat44_table::maintain(std::uint32_t records) {
  if (gpu_leads()) {
    read_journal_of_gpu();
    (void)settle_forwards(nat::occupant::is_awaited);
    return;
  }
  auto const tables = cpu();
  auto const all = nat::records_to_age(tables);
  auto const end = std::min<std::uint64_t>(std::uint64_t{next_to_age_} + records, all);
  nat::age_slice(tables, next_to_age_, static_cast<std::uint32_t>(end), tables.now());
  next_to_age_ = end == all ? 1 : static_cast<std::uint32_t>(end);
  read_journal_of_host();
}

nat::journal_cursors nat44_table::cursors_of(table_memory const& where) const {
  nat::journal_cursors seen{};
  if (where.is_on_gpu()) {
    where.read(layout_.cursors, std::as_writable_bytes(std::span{&seen, 1}));
    return seen;
  }
  auto const& cursors = *reinterpret_cast<nat::journal_cursors const*>(where.data() + layout_.cursors);
  seen.written = nat::shared(cursors.written).load(cuda::memory_order_relaxed);
  seen.lost = nat::shared(cursors.lost).load(cuda::memory_order_relaxed);
  return seen;
}

// The host's tables are the true ones: there is nothing to follow, and what was lost is only not told.
void nat44_table::read_journal_of_host() {
  auto const tell = [this](nat::journal_entry const& entry) {
    (entry.what == nat::event::made ? counts_.made : counts_.ended) += 1;
    if (told_) told_(entry);
  };
  auto const seen = cursors_of(host_);
  while (host_reader_.read() < seen.written) {
    auto const entry = host_reader_.next();
    if (!entry) break;
    tell(*entry);
  }
  if (seen.lost != lost_) {
    counts_.unlogged += seen.lost - lost_;
    lost_ = seen.lost;
    host_reader_.skip_to(seen.written);
  }
  put(layout_.cursors + offsetof(nat::journal_cursors, read), host_reader_.read());
}

void nat44_table::read_journal_of_gpu() {
  auto const before = gpu_reader_.read();
  while (auto const entry = gpu_reader_.next()) {
    (entry->what == nat::event::made ? counts_.made : counts_.ended) += 1;
    follow(*entry);
    if (told_) told_(*entry);
  }
  auto const seen = cursors_of(gpu_);
  bool const has_lost = seen.lost != lost_;
  if (has_lost) {
    counts_.unlogged += seen.lost - lost_;
    lost_ = seen.lost;
    gpu_reader_.skip_to(seen.written);
  }
  auto const read = gpu_reader_.read();
  if (read != before) {
    gpu_.write(layout_.cursors + offsetof(nat::journal_cursors, read), std::as_bytes(std::span{&read, 1}));
  }
  if (has_lost) read_back();
}

void nat44_table::follow(nat::journal_entry const& entry) {
  if (entry.what == nat::event::ended) {
    forget(entry.number, entry.inside);
    return;
  }
  auto const tables = cpu();
  if (entry.number >= layout_.session_records) return;
  auto const held = nat::load_session(tables.sessions[entry.number]);
  bool const is_there = nat::life{held.life}.is_live() && held.inside == entry.inside;
  if (is_there && held.outside == entry.outside) return;  // found by reading back
  // An endpoint has one session: that of packets which is there still has ended, and who ended it is about to say so.
  auto const before = nat::find_inside(tables, entry.inside);
  bool const is_replaced =
      before.number != 0 && before.number != entry.number && nat::life{before.held.life}.from() == nat::origin::packet;
  if (is_replaced) forget(before.number, entry.inside);
  nat::session const made{entry.inside, entry.outside,
                          nat::life{entry.when, nat::phase::live, nat::origin::packet, 0}.raw(), 0};
  if (!adopt(made, entry.number)) ++counts_.conflicts;
}

void nat44_table::gpu_failed() {
  if (!gpu_leads()) return;
  while (auto const entry = gpu_reader_.next()) follow(*entry);
  leader_ = leader::host;
  lost_ = 0;
  auto const tables = cpu();
  auto const now = tables.now();
  for (std::uint32_t n = 1; n < layout_.session_records; ++n) {
    auto const word = nat::shared(tables.sessions[n].life);
    auto raw = word.load(cuda::memory_order_relaxed);
    nat::life const seen{raw};
    // Executors may be at work already.
    if (seen.is_live()) (void)word.compare_exchange_strong(raw, seen.seen(now, seen.tcp()).raw());
  }
}

void nat44_table::abandon() {
  gpu_.abandon();
  gpu_journal_.abandon();
}

}  // namespace packetwarp
