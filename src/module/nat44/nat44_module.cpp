// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/nat44/nat44_module.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <system_error>

#include "base/error.h"
#include "base/log/log.h"
#include "burst/burst.h"
#include "function/nat44/nat44.h"
#include "function/nat44/nat44_sweep.h"
#include "module/nat44/nat44_change.h"
#include "module/run_view.h"
#include "routing/ip_packet.h"

namespace packetwarp {
namespace {

// The end waits this long for a disk or a reader that takes nothing.
constexpr std::chrono::seconds log_patience{2};
constexpr std::chrono::seconds state_patience{30};
constexpr std::uint32_t much_too_long = 30;  // sweeps, one per second

}  // namespace

nat44_module::nat44_module(nat44_section const& section, table_places const& places)
    : tables_{section.config, places}, state_{section.state}, state_period_{section.state_period} {
  // The first tick comes before any session: otherwise a session would look half a year idle at the first tick.
  tables_.tick(seconds_);
  keep_wall_clock();
  begin_log(section);
  for (auto const& place : places) {
    gpus_.push_back({.domain = place.domain, .sweeper = nullptr});
    if constexpr (built_with_cuda) gpus_.back().sweeper = std::make_unique<gpu_sweeper>(place.gpu);
  }
}

void nat44_module::on_gpu_lost(int gpu) {
  for (std::size_t n = 0; n < gpus_.size(); ++n) {
    if (gpus_[n].domain == nullptr || gpus_[n].domain->gpu() != gpu) continue;
    gpus_[n].domain = nullptr;
    tables_.gpu_failed(n);
  }
}

bool nat44_module::has_gpu() const {
  return std::any_of(gpus_.begin(), gpus_.end(), [](auto const& one) { return one.domain != nullptr; });
}

void nat44_module::abandon() {
  tables_.abandon();
  if constexpr (built_with_cuda) {
    for (auto const& one : gpus_) one.sweeper->abandon();
  }
}

void nat44_module::maintain(control_time now, maintain_budget budget) {
  auto const seconds = static_cast<std::uint32_t>(std::chrono::duration_cast<std::chrono::seconds>(now).count());
  if (seconds != seconds_) {
    seconds_ = seconds;
    keep_wall_clock();
    tables_.tick(seconds);
    for (std::size_t n = 0; n < gpus_.size(); ++n) sweep(n);
  }
  auto const to_age = (budget.entries + 2) / 3;
  tables_.maintain(std::max(to_age / static_cast<std::uint32_t>(tables_.parts()), 1U));
  if (log_) log_->flush();
  keep_state(seconds, budget.entries - to_age);
}

// Both clocks count whole seconds, which end at different moments: a difference of one second does not count.
void nat44_module::keep_wall_clock() {
  auto const began = std::time(nullptr) - static_cast<std::time_t>(seconds_);
  if (began < began_ - 1 || began > began_ + 1) began_ = began;
}

// The log is open before the sessions of the state are read: it tells which of them have ended.
void nat44_module::begin_log(nat44_section const& section) {
  if (!section.log.empty()) {
    log_.emplace(section, [this](std::uint32_t then) { return began_ + then; });
    tables_.observe_with([this](nat::journal_entry const& entry) { log_->tell(entry); });
  }
  auto const until = std::chrono::steady_clock::now() + log_patience;
  auto const restored = restore_state(until);
  if (log_) log_->tell_start(nat44_table::clock_start + seconds_, restored, until);
}

// The log also gets the packets' sessions since the last call.
void nat44_module::finish(control_time now) {
  maintain(now, maintain_budget{});
  if (!log_) return;
  if (state_.empty()) log_ends();
  log_->finish(log_patience);
}

void nat44_module::log_ends() {
  auto const until = std::chrono::steady_clock::now() + log_patience;
  tables_.for_each(1, tables_.records(), [&](nat44_session const& one) {
    if (one.from != nat::origin::packet) return;
    log_->tell(ended_now(nat::key_of(one.kind, one.inside), nat::key_of(one.kind, one.outside)), until);
  });
}

nat::journal_entry nat44_module::ended_now(std::uint64_t inside, std::uint64_t outside) const {
  return {.what = nat::event::ended,
          .number = 0,
          .inside = inside,
          .outside = outside,
          .when = nat44_table::clock_start + seconds_};
}

// A router that comes up without its sessions is better than none.
std::uint64_t nat44_module::restore_state(nat44_log::time until) {
  if (state_.empty() || !std::filesystem::exists(state_)) return 0;
  try {
    auto const restored = tables_.restore(state_, [&](nat::saved_session const& one) {
      if (log_) log_->tell(ended_now(one.inside, one.outside), until);
    });
    log().info("nat44: {} sessions go on from {}", restored, state_);
    return restored;
  } catch (failure const& wrong) {
    auto const aside = fmt::format("{}.corrupt-{:%Y%m%dT%H%M%SZ}", state_, fmt::gmtime(std::time(nullptr)));
    std::error_code failed;
    std::filesystem::rename(state_, aside, failed);
    log().warn("{}; going on without its sessions{}", wrong.what(),
               failed ? std::string{} : fmt::format("; the file is {} now", aside));
    return 0;
  }
}

std::shared_ptr<session_save const> nat44_module::begin_save(std::string const& path, std::vector<std::string> own) {
  if (saving_) return nullptr;
  saving_ = std::make_shared<session_save>(tables_, path, session_save::idle_times::known, std::move(own));
  return saving_;
}

// Saves from time to time, so that a killed process goes on with its sessions.
void nat44_module::keep_state(std::uint32_t seconds, std::uint32_t records) {
  if (!saving_ && !state_.empty() && state_period_ != 0 && seconds - saved_ >= state_period_) {
    saved_ = seconds;
    saving_ = std::make_shared<session_save>(
        tables_, state_, has_gpu() ? session_save::idle_times::unknown : session_save::idle_times::known);
  }
  if (!saving_) return;
  saving_->step(records);
  if (!saving_->is_over()) return;
  // The error of another file is told to the client that named it.
  if (saving_->path() == state_) {
    bool const is_wrong = !saving_->error().empty() && !saving_->is_refused();
    if (is_wrong && !has_complained_)
      log().warn("{}; the file of before is kept{}", saving_->error(),
                 state_period_ != 0 ? ", and it is tried again" : "");
    has_complained_ = is_wrong;
  }
  saving_.reset();
}

void nat44_module::save() {
  if (saving_) saving_->finish(state_patience);
  if (saving_ && saving_->is_refused()) saving_.reset();
  bool const is_stuck = saving_ && !saving_->error().empty();
  if (!state_.empty() && !is_stuck) {
    tables_.read_back();
    saving_ = std::make_shared<session_save>(tables_, state_, session_save::idle_times::known);
    saving_->finish(state_patience);
  }
  if (saving_ && !saving_->error().empty()) throw failure(saving_->error());
}

std::unique_ptr<module_change> nat44_module::change_to(std::shared_ptr<network_config const> wanted) {
  return std::make_unique<nat44_change>(*this, std::move(wanted));
}

bool nat44_module::count(readable) {
  if (counted_) return true;
  if (!tally_) tally_.emplace(tables_);
  counted_ = tally_->step();
  return counted_.has_value();
}

void nat44_module::restart_count() {
  tally_.reset();
  counted_.reset();
}

void nat44_module::add_report(telemetry::run_report& to) {
  if (auto counted = std::exchange(counted_, std::nullopt)) {
    counted->unlogged += lost_lines(*this);
    to.parts.push_back(std::make_shared<nat_report>(*counted));
  }
  tally_.reset();
}

memory_work nat44_module::memory(run_view const& /*run*/) {
  return [this, tally = session_tally{tables_}](std::vector<memory_row>& to) mutable {
    auto const seen = tally.step();
    if (!seen) return false;
    to.push_back(
        {.what = "nat44 sessions",
         .unit = "sessions",
         .used = seen->live(),
         .room = seen->room,
         .bytes = tables_.host_bytes(),
         .gpu_bytes = gpus_.empty() ? memory_row::amount{} : memory_row::amount{tables_.gpu_bytes() * gpus_.size()}});
    return true;
  };
}

void nat44_module::sweep(std::size_t n) {
  auto& gpu = gpus_[n];
  if (gpu.domain == nullptr || !gpu.domain->is_working()) return;
  if constexpr (built_with_cuda) {
    // A sweep that still runs is enough: the next one finds what it misses.
    if (auto const why = gpu.sweeper->trouble(); !why.empty())
      return gpu.domain->lose(fmt::format("aging NAT44's sessions failed: {}", why));
    auto const& part = tables_.part(n);
    bool const begun = gpu.sweeper->start<nat44_sweep>(part.gpu(), nat44_sweep::records(part.config()));
    gpu.sweeps_missed = begun ? 0 : gpu.sweeps_missed + 1;
    if (gpu.sweeps_missed == much_too_long) {
      log().warn("nat44: GPU {} has not come to age sessions for {} s: something else has all of it", gpu.domain->gpu(),
                 much_too_long);
    }
  }
}

void nat44_module::add_hooks(control_hooks& to) {
  to.destination = [this](rte_mbuf& packet, interface_index) {
    // At most one part has the packet's session.
    auto const view = view_of(packet);
    auto found = nat::destination_of(view, tables_.part(0).cpu());
    for (std::size_t n = 1; n < tables_.parts() && found == routing::ipv4_of(view).destination(); ++n) {
      found = nat::destination_of(view, tables_.part(n).cpu());
    }
    return found;
  };
}

void nat44_module::attach(control_access const& control) {
  control_ = &control.plane;
  control_->claim(outside_addresses());
}

void nat44_module::publish(nat44_tables::change made) {
  tables_.publish(std::move(made));
  control_->claim(outside_addresses());
}

std::vector<wire::ipv4_address> nat44_module::outside_addresses() const {
  auto const& config = tables_.config();
  std::vector<wire::ipv4_address> all;
  for (auto const& range : config.pool) {
    for (std::uint64_t n = range.first.number; n <= range.last.number; ++n) {
      all.push_back({static_cast<std::uint32_t>(n)});
    }
  }
  for (auto const& one : config.port_forwards) all.push_back(one.outside.address);
  for (auto const& one : config.static_addresses) all.push_back(one.outside);
  return all;
}

}  // namespace packetwarp
