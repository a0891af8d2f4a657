// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/nat44/translation.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>
#include <filesystem>
#include <system_error>

#include "base/error.h"
#include "base/log/log.h"
#include "burst/burst.h"
#include "function/nat44/nat44.h"
#include "function/nat44/nat44_sweep.h"
#include "module/nat44/translation_change.h"
#include "module/run_view.h"

namespace packetwarp {
namespace {

// The end waits this long for a disk or a reader that takes nothing.
constexpr std::chrono::seconds log_patience{2};
constexpr std::chrono::seconds state_patience{30};
constexpr std::uint32_t much_too_long = 30;  // sweeps, one per second

}  // namespace

translation::translation(nat44_section const& section, table_place place)
    : table_{section.config, place}, state_{section.state}, state_period_{section.state_period}, domain_{place.domain} {
  // The first tick comes before any session: otherwise a session would look half a year idle at the first tick.
  table_.tick(seconds_);
  keep_wall_clock();
  restore_state();
  if (!section.log.empty()) {
    open_log(section);
    table_.observe_with(nat::session_log{[this](std::string_view line) { (void)log_->put(line); },
                                         section.config.log_one_in,
                                         [this](std::uint32_t then) { return began_ + then; }});
  }
  if constexpr (built_with_cuda) {
    if (domain_ != nullptr) sweeper_ = std::make_unique<gpu_sweeper>(place.gpu);
  }
}

void translation::on_gpu_lost() {
  domain_ = nullptr;
  table_.gpu_failed();
}

void translation::abandon() {
  table_.abandon();
  if constexpr (built_with_cuda) {
    if (sweeper_) sweeper_->abandon();
  }
}

void translation::maintain(control_time now) {
  auto const seconds = static_cast<std::uint32_t>(std::chrono::duration_cast<std::chrono::seconds>(now).count());
  if (seconds != seconds_) {
    seconds_ = seconds;
    keep_wall_clock();
    table_.tick(seconds);
    if (domain_ != nullptr && domain_->is_working()) sweep();
  }
  table_.maintain(4096);
  if (log_) log_->flush();
  keep_state(seconds);
}

// Both clocks count whole seconds, which end at different moments: a difference of one second does not count.
void translation::keep_wall_clock() {
  auto const began = std::time(nullptr) - static_cast<std::time_t>(seconds_);
  if (began < began_ - 1 || began > began_ + 1) began_ = began;
}

void translation::open_log(nat44_section const& section) {
  try {
    log_.emplace(fmt::format("nat44 log {}", section.log), make_log_file(section.log), section.log_room);
  } catch (failure const& wrong) {
    throw failure(fmt::format("nat44 log: {}", wrong.what()));
  }
}

// The log also gets the packets' sessions since the last call.
void translation::finish(control_time now) {
  maintain(now);
  if (log_) log_->finish(log_patience);
}

// A router that comes up without its sessions is better than none.
void translation::restore_state() {
  if (state_.empty() || !std::filesystem::exists(state_)) return;
  try {
    log().info("nat44: {} sessions go on from {}", table_.restore(state_), state_);
  } catch (failure const& wrong) {
    auto const aside = fmt::format("{}.corrupt-{:%Y%m%dT%H%M%SZ}", state_, fmt::gmtime(std::time(nullptr)));
    std::error_code failed;
    std::filesystem::rename(state_, aside, failed);
    log().warn("{}; going on without its sessions{}", wrong.what(),
               failed ? std::string{} : fmt::format("; the file is {} now", aside));
  }
}

std::shared_ptr<session_save const> translation::begin_save(std::string const& path) {
  if (saving_) return nullptr;
  saving_ = std::make_shared<session_save>(table_, path, session_save::idle_times::known);
  return saving_;
}

// Saves from time to time, so that a killed process goes on with its sessions.
void translation::keep_state(std::uint32_t seconds) {
  if (!saving_ && !state_.empty() && state_period_ != 0 && seconds - saved_ >= state_period_) {
    saved_ = seconds;
    saving_ = std::make_shared<session_save>(
        table_, state_, domain_ != nullptr ? session_save::idle_times::unknown : session_save::idle_times::known);
  }
  if (!saving_) return;
  saving_->step();
  if (!saving_->is_over()) return;
  bool const is_wrong = !saving_->error().empty();
  if (is_wrong && !has_complained_)
    log().warn("{}; the file of before is kept, and it is tried again", saving_->error());
  has_complained_ = is_wrong;
  saving_.reset();
}

void translation::save() {
  if (saving_) saving_->finish(state_patience);
  bool const is_stuck = saving_ && !saving_->error().empty();
  if (!state_.empty() && !is_stuck) {
    table_.read_back();
    saving_ = std::make_shared<session_save>(table_, state_, session_save::idle_times::known);
    saving_->finish(state_patience);
  }
  if (saving_ && !saving_->error().empty()) throw failure(saving_->error());
}

std::unique_ptr<module_change> translation::change_to(std::shared_ptr<network_config const> wanted) {
  return std::make_unique<translation_change>(*this, std::move(wanted));
}

bool translation::count(readable) {
  if (counted_) return true;
  if (!tally_) tally_.emplace(table_);
  counted_ = tally_->step();
  return counted_.has_value();
}

void translation::restart_count() {
  tally_.reset();
  counted_.reset();
}

void translation::add_report(telemetry::run_report& to) {
  if (auto counted = std::exchange(counted_, std::nullopt)) {
    counted->unlogged += lost_lines(*this);
    to.parts.push_back(std::make_shared<nat_report>(*counted));
  }
  tally_.reset();
}

memory_work translation::memory(run_view const& run) {
  return [this, &run, tally = session_tally{table_}](std::vector<memory_row>& to) mutable {
    auto const seen = tally.step();
    if (!seen) return false;
    auto const bytes = table_.size();
    bool const is_on_gpu = needs_gpu(run.config().plane.executor);
    to.push_back({.what = "nat44 sessions",
                  .unit = "sessions",
                  .used = seen->live(),
                  .room = seen->room,
                  .bytes = bytes,
                  .gpu_bytes = is_on_gpu ? memory_row::amount{bytes} : memory_row::amount{}});
    return true;
  };
}

void translation::sweep() {
  if constexpr (built_with_cuda) {
    // A sweep that still runs is enough: the next one finds what it misses.
    if (auto const why = sweeper_->trouble(); !why.empty())
      return domain_->lose(fmt::format("aging NAT44's sessions failed: {}", why));
    bool const begun = sweeper_->start<nat44_sweep>(table_.gpu(), nat44_sweep::records(table_.config()));
    sweeps_missed_ = begun ? 0 : sweeps_missed_ + 1;
    if (sweeps_missed_ == much_too_long) {
      log().warn("nat44: the GPU has not come to age sessions for {} s: something else has all of it", much_too_long);
    }
  }
}

void translation::add_hooks(control_hooks& to) {
  to.destination = [this](rte_mbuf& packet, interface_index) {
    return nat::destination_of(view_of(packet), table_.cpu());
  };
}

void translation::attach(control_access const& control) {
  control_ = &control.plane;
  control_->claim(outside_addresses());
}

void translation::publish(nat::change made) {
  table_.publish(std::move(made));
  control_->claim(outside_addresses());
}

std::vector<wire::ipv4_address> translation::outside_addresses() const {
  auto const& config = table_.config();
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
