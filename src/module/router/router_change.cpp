// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "base/error.h"
#include "base/thread/background.h"
#include "module/router/router_module.h"

namespace packetwarp {
namespace {

// The edits per loop iteration of the master: some hundred microseconds.
constexpr std::size_t edits_a_slice = 128;
constexpr std::size_t entries_a_slice = 65536;

}  // namespace

bool router_change::plan() {
  if (!planned_.valid()) {
    planned_ = in_background([now = of_.in_force_, config = config_] {
      auto wanted = std::make_shared<network_settings const>(network_settings{config, routes_of(*config)});
      auto edits = edits_between(*now, *wanted);
      return worked_out{std::move(wanted), std::move(edits)};
    });
  }
  if (planned_.wait_for(std::chrono::seconds{0}) != std::future_status::ready) return false;
  auto made = planned_.get();
  wanted_ = std::move(made.wanted);
  edits_ = std::move(made.edits);
  check();
  return true;
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
  auto const* const replaced = route.before ? std::get_if<neighbour_key>(&*route.before) : nullptr;
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

void router_change::release_replaced() {
  for (auto const& one : kept_) of_.table_.release_next_hop(one);
  kept_.clear();
}

bool router_change::apply_some() {
  auto entries = entries_a_slice;
  for (std::size_t i = 0; i < edits_a_slice && of_.table_.step_route(entries) && done_ < edits_.size(); ++i, ++done_) {
    begin_edit(done_);
  }
  return done_ == edits_.size() && of_.table_.step_route(entries);
}

// A GPU sees each slice, also one that is refused in its middle.
bool router_change::apply() {
  try {
    bool const is_done = apply_some();
    of_.table_.commit();
    return is_done;
  } catch (std::exception const&) {
    of_.table_.commit();
    throw;
  }
}

bool router_change::undo() {
  auto entries = entries_a_slice;
  for (std::size_t i = 0; i < edits_a_slice && of_.table_.step_route(entries) && done_ > 0; ++i) {
    begin_undo(--done_);
  }
  bool const is_done = done_ == 0 && of_.table_.step_route(entries);
  if (is_done) release_replaced();
  of_.table_.commit();
  return is_done;
}

module_change::facts router_change::result() const {
  return {.text = fmt::format("{} routes and {} neighbours changed", edits_.routes.size(), edits_.neighbours.size()),
          .counts = {{"routes", edits_.routes.size()}, {"neighbours", edits_.neighbours.size()}}};
}

}  // namespace packetwarp
