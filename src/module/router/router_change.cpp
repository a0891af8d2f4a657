// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <chrono>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/thread/background.h"
#include "module/router/route_room.h"
#include "module/router/router_module.h"

namespace packetwarp {
namespace {

// The edits per loop iteration of the master: some hundred microseconds.
constexpr std::size_t edits_a_slice = 128;
constexpr std::size_t entries_a_slice = 65536;

// Neighbours that the edits give a MAC address or a route.
[[nodiscard]] std::vector<neighbour_key> next_hops_of(network_edits const& edits) {
  std::set<neighbour_key, neighbour_less> all;
  for (auto const& one : edits.neighbours) {
    if (one.after) all.insert(one.who);
  }
  for (auto const& one : edits.routes) {
    auto const* const via = one.after ? std::get_if<neighbour_key>(&one.after->target) : nullptr;
    if (via != nullptr) all.insert(*via);
  }
  return {all.begin(), all.end()};
}

}  // namespace

bool router_change::plan() {
  if (wanted_) return take_places();
  if (!planned_.valid()) {
    planned_ =
        in_background([now = of_.in_force_, config = config_, limits = of_.table_.limits(), end = end_.get_token()] {
          auto const need = need_until(end);
          auto wanted = std::make_shared<network_settings const>(network_settings{config, routes_of(*config, need)});
          need();
          require_room(*now, *wanted, limits);
          need();
          auto edits = edits_between(*now, *wanted);
          auto next_hops = next_hops_of(edits);
          return worked_out{std::move(wanted), std::move(edits), std::move(next_hops)};
        });
  }
  if (planned_.wait_for(std::chrono::seconds{0}) != std::future_status::ready) return false;
  auto made = planned_.get();
  wanted_ = std::move(made.wanted);
  edits_ = std::move(made.edits);
  undoable_ = edits_.size() - edits_.routes_to_remove();
  next_hops_ = std::move(made.next_hops);
  check();
  return take_places();
}

// Neighbours that come and go may have places that are not free again yet.
bool router_change::take_places() {
  for (std::size_t i = 0; i < edits_a_slice && taken_ < next_hops_.size(); ++i, ++taken_) {
    auto const& one = next_hops_[taken_];
    if (!of_.table_.take_next_hop(one)) {
      throw failure(fmt::format("{}: {}: no room for this next hop at the moment; reload again in a second",
                                config_->file, to_text(one.address)));
    }
    kept_.push_back(one);
  }
  return taken_ == next_hops_.size();
}

void router_change::check() const {
  for (auto const& one : edits_.neighbours) {
    try {
      if (one.after) of_.table_.check_neighbour(one.who, *one.after);
    } catch (usage_error const& wrong) {
      throw usage_error(fmt::format("{}:{}: {}", config_->file, one.line, wrong.what()));
    }
  }
}

void router_change::begin_edit(std::size_t n) {
  auto const neighbours = edits_.neighbours.size();
  if (n < neighbours) {
    auto const& neighbour = edits_.neighbours[n];
    if (neighbour.before) keep(neighbour.who);
    return of_.put(neighbour.who, neighbour.after);
  }
  auto const& route = edits_.routes[n - neighbours];
  bool const is_replaced = route.before && route.after;
  auto const* const replaced = is_replaced ? std::get_if<neighbour_key>(&*route.before) : nullptr;
  if (replaced != nullptr) keep(*replaced);
  of_.put(route.to, route.after ? std::optional{route.after->target} : std::nullopt);
}

void router_change::begin_undo(std::size_t n) {
  auto const neighbours = edits_.neighbours.size();
  if (n < neighbours) return of_.put(edits_.neighbours[n].who, edits_.neighbours[n].before);
  of_.put(edits_.routes[n - neighbours].to, edits_.routes[n - neighbours].before);
}

void router_change::keep(neighbour_key const& replaced) {
  if (of_.table_.keep_next_hop(replaced)) kept_.push_back(replaced);
}

void router_change::release_kept() {
  for (auto const& one : kept_) of_.table_.release_next_hop(one);
  kept_.clear();
}

bool router_change::make_edits(std::size_t end) {
  auto entries = entries_a_slice;
  for (std::size_t i = 0; i < edits_a_slice && of_.table_.step_route(entries) && done_ < end; ++i, ++done_) {
    begin_edit(done_);
  }
  return done_ == end && of_.table_.step_route(entries);
}

// A GPU sees each slice, also one that is refused in its middle.
bool router_change::apply() {
  try {
    bool const is_done = make_edits(undoable_);
    of_.table_.commit();
    return is_done;
  } catch (std::exception const&) {
    of_.table_.commit();
    throw;
  }
}

bool router_change::finish() {
  bool const is_done = make_edits(edits_.size());
  of_.table_.commit();
  return is_done;
}

bool router_change::undo() {
  auto entries = entries_a_slice;
  for (std::size_t i = 0; i < edits_a_slice && of_.table_.step_route(entries) && done_ > 0; ++i) {
    begin_undo(--done_);
  }
  bool const is_done = done_ == 0 && of_.table_.step_route(entries);
  if (is_done) release_kept();
  of_.table_.commit();
  return is_done;
}

module_change::facts router_change::result() const {
  return {.text = fmt::format("{} routes and {} neighbours changed", edits_.routes.size(), edits_.neighbours.size()),
          .counts = {{"routes", edits_.routes.size()}, {"neighbours", edits_.neighbours.size()}}};
}

}  // namespace packetwarp
