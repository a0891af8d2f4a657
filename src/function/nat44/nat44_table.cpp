// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "function/nat44/nat44_table.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "function/nat44/session/age.h"
#include "function/nat44/session/find_session.h"

namespace packetwarp {
namespace {

[[nodiscard]] nat44_config checked(nat44_config config) {
  nat::check(config);
  return nat::with_room(std::move(config));
}

// A call reads more of the journal than it visits records: sessions come faster than they age.
[[nodiscard]] std::uint32_t most_entries(std::uint32_t records) { return records * 4; }

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
  gpu_journal_ = table_memory{{}, config_.journal * sizeof(nat::journal_record)};
  std::span const journal{gpu_journal_.data(), gpu_journal_.size()};
  journal_pin_ = copy.domain != nullptr ? copy.domain->driver().pin(journal)
                                        : memory_registration{copy.gpu, journal.data(), journal.size()};
  gpu_reader_ = nat::journal_reader{records_in(gpu_journal_.data()), config_.journal - 1};
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
  // Fills one address's ports, then copies them to all addresses, in use or not yet.
  auto const first = tables.free_ports(nat::transport::udp, 0);
  for (std::uint32_t port = config_.first_port; port <= config_.last_port; ++port) {
    if (config_.part.has(port)) first.give_back(port);
  }
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
  bool const is_outdated = made.config.new_sessions != config_.new_sessions;  // planned before they were refused
  made.config.new_sessions = config_.new_sessions;
  config_ = std::move(made.config);
  assignment_ = std::move(made.after);
  if (is_outdated) write_modes();
}

void nat44_table::refuse_new_sessions() {
  config_.new_sessions = nat::new_sessions::refused;
  write_modes();
}

void nat44_table::write_modes() {
  auto const word = nat::word_of(nat::modes_in(config_));
  write_all(layout_.clock + offsetof(nat::clock, modes), std::as_bytes(std::span{&word, 1}));
}

void nat44_table::write_all(std::size_t offset, std::span<std::byte const> bytes) {
  host_.write(offset, bytes);
  if (gpu_leads()) gpu_.write(offset, bytes);
}

// Reads the tables that packets change: the host may have an older state of a GPU's.
bool nat44_table::is_vacant(std::uint32_t position) const {
  auto const& true_one = gpu_leads() ? gpu_ : host_;
  std::vector<std::uint64_t> free(nat::words_of_ports);
  for (std::size_t kind = 0; kind < nat::transports; ++kind) {
    auto const at = (kind * layout_.outside_count + position) * free.size() * sizeof(std::uint64_t);
    if (true_one.read(layout_.free_ports + at, std::as_writable_bytes(std::span{free})) == copied::lost) return false;
    nat::port_set const ports{free.data()};
    for (std::uint32_t port = config_.first_port; port <= config_.last_port; ++port) {
      if (config_.part.has(port) && !ports.is_free(port)) return false;
    }
  }
  std::vector<nat::session> forwards(config_.forward_room);
  auto const seen = true_one.read(layout_.sessions + layout_.first_forward * sizeof(nat::session),
                                  std::as_writable_bytes(std::span{forwards}));
  if (seen == copied::lost) return false;
  return std::none_of(forwards.begin(), forwards.end(), [&](nat::session const& one) {
    return nat::life{one.life}.at() != nat::phase::unused && one.pool() == position;
  });
}

void nat44_table::upload() {
  gpu_.write(0, {host_.data(), host_.size()});
  auto const settings = layout_.settings_at(gpu_.data(), config_, static_cast<std::uint32_t>(assignment_.givers.size()),
                                            records_in(gpu_journal_.data()));
  gpu_.write(layout_.settings, std::as_bytes(std::span{&settings, 1}));
}

void nat44_table::tick(std::uint32_t seconds) {
  auto const now = clock_start + seconds;
  put(layout_.clock, now);
  if (gpu_leads()) gpu_.write(layout_.clock, std::as_bytes(std::span{&now, 1}));
}

void nat44_table::maintain(std::uint32_t records) {
  if (gpu_leads()) {
    read_journal_of_gpu(most_entries(records));
    read_back_slice(records);
    (void)settle_forwards(nat::occupant::is_awaited);
    return;
  }
  if (next_to_refresh_ != 0) {
    // A session that has not been refreshed yet is not old.
    refresh_slice(records);
  } else {
    age_slice(records);
  }
  read_journal_of_host(most_entries(records));
}

void nat44_table::age_slice(std::uint32_t records) {
  auto const tables = cpu();
  auto const all = nat::records_to_age(tables);
  auto const end = std::min<std::uint64_t>(std::uint64_t{next_to_age_} + records, all);
  nat::age_slice(tables, next_to_age_, static_cast<std::uint32_t>(end), tables.now());
  next_to_age_ = end == all ? 1 : static_cast<std::uint32_t>(end);
}

nat::journal_cursors nat44_table::cursors_of_host() const {
  auto const& cursors = *reinterpret_cast<nat::journal_cursors const*>(host_.data() + layout_.cursors);
  nat::journal_cursors seen{};
  // Read before `written`, which then counts all of the lost entries.
  seen.lost = nat::shared(cursors.lost).load(cuda::memory_order_acquire);
  seen.written = nat::shared(cursors.written).load(cuda::memory_order_relaxed);
  seen.evicted = nat::shared(cursors.evicted).load(cuda::memory_order_relaxed);
  seen.untracked = nat::shared(cursors.untracked).load(cuda::memory_order_relaxed);
  return seen;
}

void nat44_table::tell(nat::journal_entry const& entry) {
  (entry.what == nat::event::made ? counts_.made : counts_.ended) += 1;
  if (told_) told_(entry);
}

void nat44_table::count_changes(nat::journal_cursors const& seen) {
  auto const add = [](std::uint64_t& count, std::uint64_t& before, std::uint64_t now) {
    // A lower count means that the host leads now, whose count began at 0.
    count += now >= before ? now - before : now;
    before = now;
  };
  add(counts_.evicted, evicted_, seen.evicted);
  add(counts_.untracked, untracked_, seen.untracked);
}

// The host's tables are the true ones: no table follows them, and lost entries are only not told.
void nat44_table::read_journal_of_host(std::uint32_t most) {
  auto const seen = cursors_of_host();
  count_changes(seen);
  std::uint32_t read = 0;
  for (; read < most && host_reader_.read() < seen.written; ++read) {
    auto const entry = host_reader_.next();
    if (!entry) break;
    tell(*entry);
  }
  // Skips to the end of the lost entries only after the entries before them: later calls read the entries that are
  // still in the journal.
  if (read < most && seen.lost != lost_) {
    counts_.unlogged += seen.written - host_reader_.read();
    lost_ = seen.lost;
    host_reader_.skip_to(seen.written);
  }
  put(layout_.cursors + offsetof(nat::journal_cursors, read), host_reader_.read());
}

void nat44_table::abandon() {
  gpu_.abandon();
  gpu_journal_.abandon();
  journal_pin_.abandon();
}

}  // namespace packetwarp
