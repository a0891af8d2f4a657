// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "network/network_change.h"

#include <chrono>
#include <utility>

#include "base/thread/background.h"

namespace packetwarp {
namespace {

// What a look of the master does of a change: some hundred microseconds.
constexpr std::size_t edits_a_slice = 128;
constexpr std::size_t entries_a_slice = 65536;

}  // namespace

network_change::network_change(network& net, maker wanted) : net_{net}, wanted_{std::move(wanted)} {}

bool network_change::step() {
  if (!turn_ && !(turn_ = net_.begin_change())) return false;
  switch (stage_) {
    case stage::begin:
      plan();
      break;
    case stage::planning:
      if (planned_.wait_for(std::chrono::seconds{0}) == std::future_status::ready) check();
      break;
    case stage::checked:
      if (!rules_ || rules_->plan()) prepare();
      break;
    case stage::prepared:
      if (net_.grace().is_over()) stage_ = stage::applying;
      break;
    case stage::applying:
      apply();
      break;
    case stage::undoing:
      undo();
      break;
    case stage::applied:
      if (make_way()) publish();
      break;
    case stage::published:
      if (rules_ && !rules_->finish()) break;
      turn_.reset();
      return true;
  }
  return false;
}

void network_change::plan() {
  std::vector<port_id> ports;
  if (net_.rules() != nullptr) {
    for (auto const& one : net_.rules()->queues()) ports.push_back(one.port);
  }
  planned_ = in_background([make = wanted_, now = net_.settings(), ports] { return make(now, ports); });
  stage_ = stage::planning;
}

void network_change::check() {
  plan_ = std::make_unique<wanted_network>(planned_.get());
  net_.check(plan_->edits);
  if (plan_->settings.config.nat44) nat_ = net_.plan_nat44(*plan_->settings.config.nat44);
  if (auto const& rules = plan_->settings.config.rules) {
    rules_.emplace(
        *net_.rules(), [book = plan_->rules](flow::rule_book const&) { return book; }, rules->file);
  }
  stage_ = stage::checked;
}

// What needs room may be refused here, too.
void network_change::prepare() {
  if (rules_) rules_->prepare();
  if (nat_) net_.nat()->table().prepare(*nat_);
  net_.grace().begin();
  stage_ = stage::prepared;
}

void network_change::apply() {
  try {
    auto const& edits = plan_->edits;
    auto entries = entries_a_slice;
    for (std::size_t i = 0; i < edits_a_slice && net_.finish_edit(entries) && done_ < edits.size(); ++i, ++done_) {
      net_.begin_edit(edits, done_);
    }
    if (done_ == edits.size() && net_.finish_edit(entries)) stage_ = stage::applied;
  } catch (std::exception const&) {
    retreat();
  }
  net_.commit();
}

// No room, mostly: as it was, then.
void network_change::retreat() {
  refused_ = std::current_exception();
  stage_ = stage::undoing;
}

void network_change::undo() {
  auto entries = entries_a_slice;
  for (std::size_t i = 0; i < edits_a_slice && net_.finish_edit(entries) && done_ > 0; ++i) {
    net_.begin_undo(plan_->edits, --done_);
  }
  bool const is_done = done_ == 0 && net_.finish_edit(entries);
  net_.commit();
  if (is_done) std::rethrow_exception(refused_);
}

bool network_change::make_way() {
  try {
    return !rules_ || rules_->make_way();
  } catch (std::exception const&) {
    retreat();
    return false;
  }
}

void network_change::publish() {
  if (rules_) rules_->publish();
  if (nat_) net_.publish_nat44(std::move(*nat_));
  net_.set_settings(std::move(plan_->settings));
  stage_ = stage::published;
}

}  // namespace packetwarp
