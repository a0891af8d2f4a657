// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/log/log_writer.h"
#include "function/nat44/session/session_log.h"
#include "module/nat44/nat44_section.h"

namespace packetwarp {

// The session log in its file. While packets pass, no line waits for the file; at a run's start and end, when many
// sessions may end at once, lines wait for a while. For the master.
class nat44_log {
 public:
  using time = std::chrono::steady_clock::time_point;

  // section: has a log. Throws failure.
  nat44_log(nat44_section const& section, nat::session_log::wall_clock clock);
  nat44_log(nat44_log const&) = delete;
  nat44_log& operator=(nat44_log const&) = delete;

  // Never waits.
  void tell(nat::journal_entry const& entry) { lines_(entry); }
  // Waits until there is room for the line, or for the file until the time; later the line is lost and counted.
  void tell(nat::journal_entry const& entry, time until);
  // A run starts, with `restored` sessions of its state file. Waits as above.
  void tell_start(std::uint32_t when, std::uint64_t restored, time until);
  void flush() { file_.flush(); }
  [[nodiscard]] log_counts counts() const;
  void finish(std::chrono::milliseconds patience);

 private:
  void put(std::string_view line);
  [[nodiscard]] bool has_room() const;
  [[nodiscard]] bool finds_room(time until);

  std::string name_;
  std::size_t room_;
  log_writer file_;
  nat::session_log lines_;
  std::uint64_t put_{};
  std::uint64_t lost_{};  // that were not made, because the file took none
};

}  // namespace packetwarp
