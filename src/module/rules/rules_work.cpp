// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/rules/rules_work.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/error.h"
#include "base/thread/background.h"

namespace packetwarp {
namespace {

// Each rule is a call of a driver, and some drivers wait for the NIC.
constexpr std::size_t rules_a_slice = 64;

// The end of a slice that begins at `done`.
[[nodiscard]] std::size_t slice_end(std::size_t done, std::size_t all) { return std::min(done + rules_a_slice, all); }

template <class T>
[[nodiscard]] bool has_come(std::future<T> const& result) {
  return result.wait_for(std::chrono::seconds{0}) == std::future_status::ready;
}

}  // namespace

bool rules_work::plan() {
  if (!from_) {
    from_ = std::make_shared<rules_state const>(rules_.state());
    wanting_ =
        in_background([from = from_, make = make_, file = file_] { return want_rules(*from, make(from->book), file); });
  }
  if (wanting_.valid()) {
    if (!has_come(wanting_)) return false;
    wanted_ = wanting_.get();
  }
  if (!changing_.valid()) {
    if (!ask()) return false;
    changing_ = in_background(
        [from = from_, wanted = std::move(*wanted_)]() mutable { return make_rules_change(*from, std::move(wanted)); });
  }
  if (!has_come(changing_)) return false;
  change_ = changing_.get();
  steps_ = change_->steps;
  return true;
}

bool rules_work::ask() {
  auto const& all = wanted_->unasked;
  for (auto const end = slice_end(asked_, all.size()); asked_ < end; ++asked_) {
    auto const& key = all[asked_];
    auto const& rule = wanted_->book.at(key.first, key.second);
    if (from_->on == rules_on::nic) {
      rules_.ports().require_taken(key.first, rule, file_);
    } else if (auto no = rules_.ports().ask(key.first, rule)) {
      wanted_->refused[key] = std::move(*no);
    }
  }
  return asked_ == all.size() && ask_to_validate();
}

bool rules_work::ask_to_validate() {
  auto const all = wanted_->book.validated();
  for (auto const end = slice_end(validated_, all.size()); validated_ < end; ++validated_) {
    rules_.ports().require_taken(all[validated_].port, all[validated_].rule, file_);
  }
  if (validated_ != all.size()) return false;
  wanted_->book.forget_validated();
  return true;
}

void rules_work::prepare() { rules_.prepare(change_->build); }

bool rules_work::make_way() { return from_->on == rules_on::nic ? create() : withdraw(steps_.destroyed); }

void rules_work::publish() {
  rules_.publish(std::move(*change_));
  change_.reset();
}

bool rules_work::finish() { return from_->on == rules_on::nic ? destroy_replaced() : offload() && retreat(); }

module_change::facts rules_work::result() const {
  return {.text = fmt::format("{} rules are read", rules_.size()), .counts = {{"rules", rules_.size()}}};
}

bool rules_work::withdraw(std::vector<flow::rule_key> const& some) {
  for (auto const end = slice_end(destroyed_, some.size()); destroyed_ < end; ++destroyed_) {
    rules_.withdraw(some[destroyed_]);
  }
  return destroyed_ == some.size();
}

// After a refused rule the port gets no others: they might hide that rule, or jump to where it is missing.
bool rules_work::offload() {
  auto const& all = steps_.created;
  for (auto const end = slice_end(created_, all.size()); created_ < end; ++created_) {
    auto const& key = all[created_];
    auto const full = full_.find(key.first);
    if (full != full_.end()) {
      untried_[key] = full->second;
    } else if (rules_.offload(key)) {
      full_[key.first] = fmt::format("its port has refused rule {} before it", key.second);
    }
  }
  return created_ == all.size();
}

// Rules that depend on a refused one go to the table too.
bool rules_work::retreat() {
  if (full_.empty()) return true;
  if (!retreat_ && !retreating_.valid()) {
    retreating_ =
        in_background([now = rules_.state(), untried = untried_] { return make_rules_retreat(now, untried); });
    destroyed_ = 0;
  }
  if (!retreat_) {
    if (!has_come(retreating_)) return false;
    retreat_ = retreating_.get();
  }
  if (!withdraw(retreat_->destroyed)) return false;
  rules_.settle(std::move(retreat_->sited));
  full_.clear();
  return true;
}

bool rules_work::create() {
  auto const& ports = rules_.ports();
  if (created_ == 0) {
    for (auto const& key : steps_.destroyed) ports.flows_of(key.first)->set_aside(key.second);
  }
  auto const& all = steps_.created;
  try {
    for (auto const end = slice_end(created_, all.size()); created_ < end; ++created_) {
      auto const& key = all[created_];
      ports.require_created(key.first, change_->book.at(key.first, key.second), file_);
    }
  } catch (usage_error const&) {
    undo_create();
    throw;
  }
  return created_ == all.size();
}

void rules_work::undo_create() {
  auto const& ports = rules_.ports();
  for (; created_ > 0; --created_) {
    auto const& key = steps_.created[created_ - 1];
    ports.flows_of(key.first)->destroy(key.second);
  }
  for (auto const& key : steps_.destroyed) ports.flows_of(key.first)->take_back(key.second);
}

bool rules_work::destroy_replaced() {
  auto const& all = steps_.destroyed;
  for (auto const end = slice_end(destroyed_, all.size()); destroyed_ < end; ++destroyed_) {
    rules_.ports().flows_of(all[destroyed_].first)->destroy_aside(all[destroyed_].second);
  }
  return destroyed_ == all.size();
}

}  // namespace packetwarp
