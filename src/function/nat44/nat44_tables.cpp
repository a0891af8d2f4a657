// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "function/nat44/nat44_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "base/error.h"
#include "base/hash_key.h"

namespace packetwarp {
namespace {

[[nodiscard]] std::uint32_t divided(std::uint32_t all, std::uint32_t parts) {
  if (all == 0 || all == nat44_config::by_default) return all;
  return (all + parts - 1) / parts;
}

// The config of one part of several, with its share of each number.
[[nodiscard]] nat44_config config_of(nat44_config config, nat::part part) {
  config.part = part;
  config.sessions = divided(config.sessions, part.of);
  config.remotes = divided(config.remotes, part.of);
  config.per_host = divided(config.per_host, part.of);
  config.per_prefix = divided(config.per_prefix, part.of);
  config.hosts = divided(config.hosts, part.of);
  return config;
}

[[nodiscard]] nat::part nth(std::size_t n, std::size_t parts) {
  return {.number = static_cast<std::uint16_t>(n), .of = static_cast<std::uint16_t>(parts)};
}

}  // namespace

// With output_feature the egress decides whether a packet is a hairpin, which is known too late to hand the packet over
// before.
void require_dividable(nat44_config const& config, std::size_t parts) {
  if (parts <= 1) return;
  if (config.feature == nat::feature::output_feature) {
    throw usage_error(
        "nat44 output_feature: several GPUs divide sessions between inside and outside interfaces; leave it out, or "
        "give one GPU");
  }
  for (std::size_t n = 0; n < parts; ++n) {
    if (nat::ports_of(config_of(config, nth(n, parts))) != 0) continue;
    throw usage_error(fmt::format("nat44 ports: {} to {} are in fewer blocks of {} than there are GPUs ({}); give more",
                                  config.first_port, config.last_port, nat::part::block, parts));
  }
}

nat44_tables::nat44_tables(nat44_config const& config, table_places const& copies) : config_{config} {
  // All parts have the same key: it hides the notes from one part to another.
  if (config_.hash_key.is_none()) config_.hash_key = random_hash_key();
  if (copies.empty()) {
    parts_.emplace_back(config_);
    return;
  }
  require_dividable(config_, copies.size());
  for (auto const& place : copies) parts_.emplace_back(config_of(config_, nth(parts_.size(), copies.size())), place);
}

void nat44_tables::observe_with(nat44_table::observer const& told) {
  for (auto& one : parts_) one.observe_with(told);
}

nat44_tables::change nat44_tables::plan_change(nat44_config const& wanted) const {
  change made{.parts = {}, .per_host = wanted.per_host, .per_prefix = wanted.per_prefix};
  for (std::size_t n = 0; n < parts_.size(); ++n) {
    made.parts.push_back(parts_[n].plan_change(parts_.size() == 1 ? wanted : config_of(wanted, nth(n, parts_.size()))));
  }
  return made;
}

void nat44_tables::prepare(change const& made) {
  for (std::size_t n = 0; n < parts_.size(); ++n) parts_[n].prepare(made.parts[n]);
}

void nat44_tables::publish(change made) {
  for (std::size_t n = 0; n < parts_.size(); ++n) parts_[n].publish(std::move(made.parts[n]));
  auto all = parts_.front().config();
  all.part = {};
  all.sessions = config_.sessions;
  all.remotes = config_.remotes;
  all.hosts = config_.hosts;
  all.per_host = made.per_host;
  all.per_prefix = made.per_prefix;
  config_ = std::move(all);
}

void nat44_tables::refuse_new_sessions() {
  for (auto& one : parts_) one.refuse_new_sessions();
}

void nat44_tables::tick(std::uint32_t seconds) {
  for (auto& one : parts_) one.tick(seconds);
}

void nat44_tables::maintain(std::uint32_t records) {
  for (auto& one : parts_) one.maintain(records);
}

void nat44_tables::begin_read_back() {
  for (auto& one : parts_) one.begin_read_back();
}

bool nat44_tables::is_reading_back() const {
  return std::any_of(parts_.begin(), parts_.end(), [](auto const& one) { return one.is_reading_back(); });
}

void nat44_tables::read_back() {
  for (auto& one : parts_) one.read_back();
}

void nat44_tables::abandon() {
  for (auto& one : parts_) one.abandon();
}

void nat44_tables::for_each(std::uint32_t begin, std::uint32_t end,
                            std::function<void(nat44_session const&)> const& visit) const {
  std::uint32_t first = 0;  // of the part's records, among all
  for (auto const& one : parts_) {
    auto const last = first + one.records();
    if (begin < last && end > first) {
      bool const is_first_part = &one == &parts_.front();
      one.for_each(std::max(begin, first) - first, std::min(end, last) - first, [&](nat44_session const& seen) {
        if (is_first_part || seen.from == nat::origin::packet) visit(seen);
      });
    }
    first = last;
  }
}

std::uint32_t nat44_tables::records() const {
  std::uint32_t all = 0;
  for (auto const& one : parts_) all += one.records();
  return all;
}

// Positions are the same in all parts, unless an earlier position is still in use in one of them: then a search finds
// its addresses.
std::optional<nat44_outside_use> nat44_tables::outside_use(std::uint32_t position) const {
  auto made = parts_.front().outside_use(position);
  if (!made) return made;
  for (std::size_t n = 1; n < parts_.size(); ++n) {
    auto const& one = parts_[n];
    auto there = one.outside_use(position);
    for (std::uint32_t at = 0; at < one.outside_positions() && !(there && there->address == made->address); ++at) {
      there = one.outside_use(at);
    }
    if (!there || !(there->address == made->address)) continue;
    for (std::size_t kind = 0; kind < nat::transports; ++kind) made->ports[kind] += there->ports[kind];
  }
  return made;
}

nat44_counts nat44_tables::counts_but_live() const {
  nat44_counts all;
  for (auto const& one : parts_) {
    auto const& seen = one.counts_but_live();
    all.made += seen.made;
    all.ended += seen.ended;
    all.unlogged += seen.unlogged;
    all.evicted += seen.evicted;
    all.untracked += seen.untracked;
    all.conflicts += seen.conflicts;
  }
  return all;
}

std::size_t nat44_tables::host_bytes() const {
  std::size_t all = 0;
  for (auto const& one : parts_) all += one.size();
  return all;
}

std::uint64_t nat44_tables::restore(std::string const& path, nat44_table::left_out const& told) {
  std::uint64_t all = 0;
  for (auto& one : parts_) all += one.restore(path, told);
  return all;
}

}  // namespace packetwarp
