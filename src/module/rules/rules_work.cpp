// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/rules/rules_work.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/error.h"
#include "base/log/log.h"
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
      if (!rules_.ports().asks_driver(key.first)) wanted_->retry.insert(key);
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

bool rules_work::make_way() { return from_->on == rules_on::nic ? create() : make_room(); }

void rules_work::publish() {
  rules_.publish(std::move(*change_));
  change_.reset();
}

bool rules_work::finish() { return from_->on == rules_on::nic ? destroy_replaced() : offload() && retreat(); }

module_change::facts rules_work::result() const {
  return {.text = fmt::format("{} rules are read", rules_.size()), .counts = {{"rules", rules_.size()}}};
}

bool rules_work::make_room() {
  auto const& all = steps_.destroyed;
  for (auto const end = slice_end(destroyed_, all.size()); destroyed_ < end; ++destroyed_) {
    if (auto const refused = rules_.withdraw(all[destroyed_])) {
      throw failure(fmt::format("{}; the old rules stay in force: try again, or start again", *refused));
    }
  }
  return destroyed_ == all.size();
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
  if (!withdraw_for_retreat()) return false;
  rules_.settle(std::move(retreat_->sited));
  full_.clear();
  return true;
}

// A rule that a port keeps would hide the earlier ones, or jump to where they are missing, so the port keeps these too.
bool rules_work::withdraw_for_retreat() {
  auto const& all = retreat_->destroyed;
  for (auto const end = slice_end(destroyed_, all.size()); destroyed_ < end; ++destroyed_) {
    auto const& key = all[destroyed_];
    if (!stuck_.contains(key.first)) {
      auto const refused = rules_.withdraw(key);
      if (!refused) continue;
      log().warn("{}; its NIC runs it until the next change tries again", *refused);
      stuck_[key.first] = fmt::format("its NIC does not let go of rule {}", key.second);
    }
    auto& sited = *std::find_if(retreat_->sited.begin(), retreat_->sited.end(), [&](auto const& one) {
      return flow::rule_key{one.port, one.number} == key;
    });
    sited.site = flow::rule_site::nic;
    sited.why = stuck_.at(key.first);
  }
  return destroyed_ == all.size();
}

bool rules_work::create() {
  auto const& ports = rules_.ports();
  if (created_ == 0) {
    for (auto const& one : ports.known()) (void)ports.flows_of(one.port)->destroy_stuck();
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
    warn_of_stuck(key, ports.flows_of(key.first)->give_up(key.second));
  }
  for (auto const& key : steps_.destroyed) ports.flows_of(key.first)->take_back(key.second);
}

bool rules_work::destroy_replaced() {
  auto const& all = steps_.destroyed;
  for (auto const end = slice_end(destroyed_, all.size()); destroyed_ < end; ++destroyed_) {
    auto const& key = all[destroyed_];
    warn_of_stuck(key, rules_.ports().flows_of(key.first)->give_up_aside(key.second));
  }
  return destroyed_ == all.size();
}

void rules_work::warn_of_stuck(flow::rule_key const& key, std::optional<flow_refusal> const& refused) const {
  if (!refused) return;
  log().warn("{}; its NIC runs the removed rule until the next change tries again",
             rules_.ports().no_letting_go(key, refused->reason));
}

}  // namespace packetwarp
