// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <ctime>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "function/nat44/session/journal_reader.h"

namespace packetwarp::nat {

// A line about a session, without the line's end:
// {"time":"2026-11-21T21:52:46Z","event":"made","protocol":"udp","inside":"10.0.0.2:4000","outside":"203.0.113.1:4000"}
// time: copied into the line (RFC 3339, in UTC). Years later, a line tells which host had an address at a time (RFC
// 6888, REQ-4).
[[nodiscard]] std::string to_json(journal_entry const& entry, std::string_view time);

// Gives a line for each session made and ended, or for one session in one_in: then for both or for neither. It is an
// observer of a nat44_table.
class session_log {
 public:
  // Takes a line without its end; must not wait.
  using line_taker = std::function<void(std::string_view)>;
  // The wall clock's time at a second of the table's own clock (nat44_table::tick).
  using wall_clock = std::function<std::time_t(std::uint32_t seconds)>;
  // one_in: 0 for none, 1 for all.
  session_log(line_taker to, std::uint32_t one_in, wall_clock clock)
      : to_{std::move(to)}, one_in_{one_in}, clock_{std::move(clock)} {}
  void operator()(journal_entry const& entry);
  // Whether the session gets lines.
  [[nodiscard]] bool takes(journal_entry const& entry) const;
  // {"time":"2026-11-21T21:52:46Z","event":"run_started","restored":12}: all sessions of lines before have ended,
  // except for `restored` ones, of the state file.
  void run_started(std::uint32_t when, std::uint64_t restored);

 private:
  [[nodiscard]] std::string const& time_at(std::uint32_t when);

  line_taker to_;
  std::uint32_t one_in_;
  wall_clock clock_;
  // The wall clock's at the second last logged: many sessions are made in one second.
  std::time_t second_{-1};
  std::string time_;
};

}  // namespace packetwarp::nat
