// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "function/inspection/host_windows.h"

#include "function/group.h"

namespace packetwarp {

host_windows::host_windows(inspect::ruleset_ref rules) : rules_{rules}, search_{rules} {
  constexpr std::uint32_t longest_text = 0xffff;
  search_.make_room(longest_text);
  found_.reserve(rules.header().alone.count);
  is_found_.resize(rules.header().alone.count);
}

void host_windows::find(inspect::text_view text, std::uint32_t of_class) {
  for (auto const number : found_) is_found_[number] = false;
  found_.clear();
  auto const* const numbers = rules_.at<std::uint32_t>(rules_.header().alone_numbers);
  search_.search(text, 0, of_class, [&](std::uint32_t place, std::uint32_t) {
    auto const number = numbers[place];
    if (number == inspect::not_alone || is_found_[number]) return;
    is_found_[number] = true;
    found_.push_back(number);
  });
}

void host_windows::mark(inspection_parts::trial& of, std::uint32_t first) const {
  for (auto const number : found_) {
    auto const n = number - first;
    if (number < first || n >= inspection_parts::rule_marks::rules) continue;
    if (of.room.marks.add(lone_lane{1}, n)) ++of.counted.candidates;
  }
}

namespace inspection_parts::detail {

void find_on_host(trial const& of, inspect::text_view payload) {
  of.tables.host->texts[of.room.set]->payload.find(payload, class_alone(of.packet));
}
void mark_payload_on_host(trial& of, std::uint32_t first) {
  of.tables.host->texts[of.room.set]->payload.mark(of, first);
}
void mark_text_on_host(trial& of, inspect::text_view text, std::uint32_t first) {
  auto& other = of.tables.host->texts[of.room.set]->other;
  other.find(text, class_alone(of.packet));
  other.mark(of, first);
}

}  // namespace inspection_parts::detail
}  // namespace packetwarp
