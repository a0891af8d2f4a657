// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/top/frame.h"

namespace packetwarp {

// Reads a report, which may be another version's: 0 and nothing for a value that is missing, or is of another kind.
[[nodiscard]] double number(json const& in, char const* key);
[[nodiscard]] std::uint64_t count(json const& in, char const* key);
[[nodiscard]] std::string text(json const& in, char const* key);
[[nodiscard]] json const& part(json const& in, char const* key);

// Two moments of one run.
class change {
 public:
  change(top_sample const* before, top_sample const& now);
  [[nodiscard]] top_sample const& now() const { return now_; }
  // The same of the earlier moment; null without one.
  [[nodiscard]] json const& before() const;
  // How much a count has grown a second; nothing without an earlier moment.
  [[nodiscard]] std::optional<double> rate(double before, double now) const;
  // Between them; 0 without an earlier one.
  [[nodiscard]] double seconds() const { return seconds_; }

 private:
  top_sample const* before_;
  top_sample const& now_;
  double seconds_{};
};

// The parts of a screen: a heading and lines below, or nothing where the report says nothing of it. Figures
// of a table or line that is wider than the screen stand below it.
[[nodiscard]] std::vector<std::string> summary_section(change const& seen, std::size_t width);
[[nodiscard]] std::vector<std::string> pipeline_section(change const& seen, top_sort sort, std::size_t width);
[[nodiscard]] std::vector<std::string> worker_section(change const& seen, top_sort sort, std::size_t width);
[[nodiscard]] std::vector<std::string> stage_section(change const& seen, top_sort sort, std::size_t width);
[[nodiscard]] std::vector<std::string> drop_section(change const& seen, top_sort sort, std::size_t width);
[[nodiscard]] std::vector<std::string> port_section(change const& seen, top_sort sort, std::size_t width);
[[nodiscard]] std::vector<std::string> nat_section(change const& seen);
[[nodiscard]] std::vector<std::string> rule_section(change const& seen, top_sort sort, std::size_t width);

}  // namespace packetwarp
