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
  return config;
}

[[nodiscard]] nat::journal_record* records_in(std::byte* memory) {
  return reinterpret_cast<nat::journal_record*>(memory);
}

// Puts an address into a map that is still being made.
void add_address(std::uint64_t* words, std::uint32_t mask, wire::ipv4_address address, std::uint32_t value) {
  auto at = nat::address_map::start_of(address);
  while (words[at & mask] != 0) ++at;
  words[at & mask] = std::uint64_t{address.number} << 32 | value;
}

}  // namespace

nat44_table::nat44_table(nat44_config config, table_place copy)
    : config_{checked(std::move(config))},
      outside_{nat::outside_addresses_of(config_)},
      layout_{config_, outside_},
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
  put(layout_.settings, layout_.settings_at(host_.data(), config_, outside_.pool, records_in(host_journal_.data())));
  std::ranges::copy(config_.interfaces, reinterpret_cast<nat::side*>(host_.data() + layout_.sides));
  std::ranges::copy(outside_.all, reinterpret_cast<wire::ipv4_address*>(host_.data() + layout_.pool));
  fill_maps();
  fill_free_sets();
  add_port_forwards();
}

void nat44_table::fill_maps() {
  auto* const base = host_.data();
  auto* const outside = reinterpret_cast<std::uint64_t*>(base + layout_.outside_map);
  auto* const inside = reinterpret_cast<std::uint64_t*>(base + layout_.static_map);
  auto* const insides = reinterpret_cast<wire::ipv4_address*>(base + layout_.static_inside);
  auto* const outsides = reinterpret_cast<wire::ipv4_address*>(base + layout_.static_outside);
  std::uint32_t n = 0;
  for (auto const& address : outside_.all) add_address(outside, layout_.outside_map_words - 1, address, ++n);
  n = 0;
  for (auto const& one : config_.static_addresses) {
    insides[n] = one.inside;
    outsides[n++] = one.outside;
    add_address(outside, layout_.outside_map_words - 1, one.outside, n | nat::address_map::is_static);
    add_address(inside, layout_.static_map_words - 1, one.inside, n);
  }
}

void nat44_table::fill_free_sets() {
  auto const tables = cpu();
  auto const sessions = tables.free_sessions();
  for (std::uint32_t n = 1; n < layout_.session_records; ++n) sessions.give_back(n);
  nat::free_set const remotes{tables.rare->free_remotes, layout_.remote_records};
  for (std::uint32_t n = 1; n < layout_.remote_records; ++n) remotes.give_back(n);
  if (outside_.pool == 0) return;
  // One address's ports, and then the same for all.
  auto const first = tables.free_ports(nat::transport::udp, 0);
  for (std::uint32_t port = config_.first_port; port <= config_.last_port; ++port) first.give_back(port);
  auto const* const words = tables.rare->free_ports;
  for (std::uint32_t kind = 0; kind < nat::transports; ++kind) {
    for (std::uint32_t pool = kind == 0 ? 1 : 0; pool < outside_.pool; ++pool) {
      auto const at = (std::size_t{kind} * layout_.outside_count + pool) * nat::words_of_ports;
      std::copy_n(words, nat::words_of_ports, tables.rare->free_ports + at);
    }
  }
}

void nat44_table::add_port_forwards() {
  for (auto const& one : config_.port_forwards) {
    nat::session const made{nat::key_of(one.kind, one.inside), nat::key_of(one.kind, one.outside),
                            nat::life{0, nat::phase::live, nat::origin::configured, 0}.raw(), 0};
    if (!adopt(made, nat::free_set::none)) {
      throw usage_error("nat44 port forward: an inside or an outside endpoint is given twice");
    }
  }
}

void nat44_table::upload() {
  gpu_.write(0, {host_.data(), host_.size()});
  auto const settings =
      layout_.settings_at(gpu_.data(), config_, outside_.pool, records_in(gpu_journal_.bytes().data()));
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
