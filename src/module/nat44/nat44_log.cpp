// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/nat44/nat44_log.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "base/error.h"
#include "base/log/log.h"
#include "base/sleep.h"

namespace packetwarp {
namespace {

// The longest line of a session has fewer.
constexpr std::size_t bytes_a_line = 160;

[[nodiscard]] std::unique_ptr<log_target> open_log(std::string const& path) {
  try {
    return make_log_file(path);
  } catch (failure const& wrong) {
    throw failure(fmt::format("nat44 log: {}", wrong.what()));
  }
}

}  // namespace

nat44_log::nat44_log(nat44_section const& section, nat::session_log::wall_clock clock)
    : name_{fmt::format("nat44 log {}", section.log)},
      room_{section.log_room},
      file_{name_, open_log(section.log), section.log_room},
      lines_{[this](std::string_view line) { put(line); }, section.config.log_one_in, std::move(clock)} {}

void nat44_log::put(std::string_view line) {
  if (file_.put(line)) ++put_;
}

bool nat44_log::has_room() const {
  auto const waiting = put_ - file_.counts().written;
  return (waiting + 1) * bytes_a_line <= room_;
}

bool nat44_log::finds_room(time until) {
  while (!has_room()) {
    if (std::chrono::steady_clock::now() >= until) return false;
    file_.flush();
    sleep_for(std::chrono::milliseconds{1});
  }
  return true;
}

void nat44_log::tell(nat::journal_entry const& entry, time until) {
  if (!lines_.takes(entry)) return;
  if (finds_room(until)) return lines_(entry);
  ++lost_;
}

void nat44_log::tell_start(std::uint32_t when, std::uint64_t restored, time until) {
  if (finds_room(until)) return lines_.run_started(when, restored);
  ++lost_;
}

log_counts nat44_log::counts() const {
  auto made = file_.counts();
  made.lost += lost_;
  return made;
}

void nat44_log::finish(std::chrono::milliseconds patience) {
  if (lost_ != 0) {
    log().warn("{}: {} lines about sessions that ended with a run are lost: the file did not take them in time", name_,
               lost_);
  }
  file_.finish(patience);
}

}  // namespace packetwarp
