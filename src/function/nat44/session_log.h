// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "function/nat44/journal_reader.h"

namespace packetwarp::nat {

// A line about a session, without the line's end:
//   {"time":12,"event":"made","protocol":"udp","inside":"10.0.0.2:4000","outside":"203.0.113.1:4000"}
// The time is in seconds since the table was made.
[[nodiscard]] std::string to_json(journal_entry const& entry);

// Gives a line for each session made and ended, or for one of so many sessions: then for both or for neither. An
// observer of a nat44_table.
class session_log {
 public:
  // Takes a line without its end; must not wait.
  using line_taker = std::function<void(std::string_view)>;
  // one_in: 0 for none, 1 for all.
  session_log(line_taker to, std::uint32_t one_in) : to_{std::move(to)}, one_in_{one_in} {}
  void operator()(journal_entry const& entry) const;

 private:
  line_taker to_;
  std::uint32_t one_in_;
};

}  // namespace packetwarp::nat
