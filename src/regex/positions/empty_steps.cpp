// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "regex/positions/empty_steps.h"

#include "regex/refusal.h"

namespace packetwarp::regex {

// Only for places that the node was not reached for yet.
void empty_steps::visit(std::uint32_t node, std::uint8_t places) {
  if (++steps_ > most_empty_steps) throw refused{refusal::positions};
  auto const more = static_cast<std::uint8_t>(places & ~reached_[node]);
  if (more == 0) return;
  if (reached_[node] == 0) touched_.push_back(node);
  reached_[node] |= more;
  stack_.push_back({node, more});
}

void empty_steps::forget() {
  for (auto const node : touched_) reached_[node] = 0;
  touched_.clear();
}

std::vector<reached_node> empty_steps::from(std::uint32_t first, byte_before before, std::uint8_t places) {
  visit(first, places);
  while (!stack_.empty()) {
    auto const at = stack_.back();
    stack_.pop_back();
    auto const& node = of_.nodes[at.node];
    if (node.kind == graph_kind::place) {
      visit(node.next, static_cast<std::uint8_t>(at.places & places_of(node.place, before)));
    } else if (node.kind == graph_kind::split) {
      visit(node.other, at.places);
      visit(node.next, at.places);
    }
  }
  std::vector<reached_node> made;
  for (auto const node : touched_) {
    auto const kind = of_.nodes[node].kind;
    if (kind == graph_kind::bytes || kind == graph_kind::match) made.push_back({node, reached_[node]});
  }
  forget();
  return made;
}

bool empty_steps::asks_after(std::uint32_t node) {
  if (asks_[node] != unknown) return asks_[node] == 1;
  bool is_found = false;
  visit(of_.nodes[node].next, every_place);
  while (!stack_.empty()) {
    auto const& at = of_.nodes[stack_.back().node];
    stack_.pop_back();
    if (at.kind == graph_kind::place && asks_before(at.place)) is_found = true;
    if (at.kind == graph_kind::place || at.kind == graph_kind::split) visit(at.next, every_place);
    if (at.kind == graph_kind::split) visit(at.other, every_place);
  }
  forget();
  asks_[node] = is_found ? 1 : 0;
  return is_found;
}

}  // namespace packetwarp::regex
