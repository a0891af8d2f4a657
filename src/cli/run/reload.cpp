// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/run/reload.h"

#include <fmt/format.h>

#include <future>
#include <memory>
#include <optional>

#include "base/error.h"
#include "cli/control/request.h"
#include "cli/run/reload_check.h"
#include "cli/run/rules_change.h"

namespace packetwarp {
namespace {

constexpr std::size_t edits_a_slice = 128;

// What a file asks for, worked out beside the master.
struct reload_plan {
  network_settings settings;
  network_edits edits;
  std::optional<rules_change> rules;
};

[[nodiscard]] reload_plan make_plan(network_settings const& now, std::optional<rules_state> const& rules) {
  network_settings wanted{read_network_config(now.config.file), {}};
  require_reloadable(now.config.root.value(), wanted.config.root.value());
  wanted.routes = routes_of(wanted.config);
  auto edits = edits_between(now, wanted);
  reload_plan made{std::move(wanted), std::move(edits), std::nullopt};
  if (rules) {
    std::vector<port_id> ports;
    for (auto const& one : rules->queues) ports.push_back(one.port);
    auto const& wants = *made.settings.config.rules;
    made.rules = make_rules_change(*rules, read_rules_book(wants, ports), wants.file);
  }
  return made;
}

class reload_work {
 public:
  explicit reload_work(network& net) : net_{net} {}

  [[nodiscard]] std::optional<std::string> step() {
    if (!turn_ && !(turn_ = net_.begin_change())) return std::nullopt;
    switch (stage_) {
      case stage::begin:
        plan();
        break;
      case stage::planning:
        if (planned_.wait_for(std::chrono::seconds{0}) == std::future_status::ready) prepare();
        break;
      case stage::prepared:
        if (net_.grace().is_over()) stage_ = stage::applying;
        break;
      case stage::applying:
        apply();
        break;
      case stage::applied:
        return publish();
    }
    return std::nullopt;
  }

 private:
  enum class stage : std::uint8_t { begin, planning, prepared, applying, applied };

  void plan() {
    std::optional<rules_state> rules;
    if (net_.rules() != nullptr) rules = state_of(*net_.rules());
    planned_ = std::async(std::launch::async, [now = net_.settings(), rules] { return make_plan(now, rules); });
    stage_ = stage::planning;
  }

  // Whatever may be refused yet is refused here.
  void prepare() {
    plan_ = std::make_unique<reload_plan>(planned_.get());
    net_.check(plan_->edits);
    if (plan_->settings.config.nat44) nat_ = net_.plan_nat44(*plan_->settings.config.nat44);
    if (plan_->rules) net_.rules()->prepare(plan_->rules->build);
    if (nat_) net_.nat()->table().prepare(*nat_);
    net_.grace().begin();
    stage_ = stage::prepared;
  }

  void apply() {
    try {
      auto const& edits = plan_->edits;
      for (std::size_t i = 0; i < edits_a_slice && done_ < edits.size(); ++i) net_.carry_out(edits, done_++);
      if (done_ == edits.size()) stage_ = stage::applied;
    } catch (std::exception const&) {
      // No room, mostly: as it was, then.
      while (done_ > 0) net_.undo(plan_->edits, --done_);
      net_.commit();
      throw;
    }
    net_.commit();
  }

  [[nodiscard]] std::string publish() {
    if (plan_->rules) {
      net_.rules()->publish(std::move(plan_->rules->book), std::move(plan_->rules->compiled));
    }
    if (nat_) net_.nat()->table().publish(std::move(*nat_));
    net_.set_settings(std::move(plan_->settings));
    turn_.reset();
    auto const& edits = plan_->edits;
    auto const text = fmt::format("{} is in force: {} routes and {} neighbours changed", net_.settings().config.file,
                                  edits.routes.size(), edits.neighbours.size());
    return success_line({{"text", text}, {"routes", edits.routes.size()}, {"neighbours", edits.neighbours.size()}});
  }

  network& net_;
  stage stage_{stage::begin};
  std::shared_ptr<void> turn_;
  std::future<reload_plan> planned_;
  std::unique_ptr<reload_plan> plan_;
  std::optional<nat::change> nat_;
  std::size_t done_{};
};

}  // namespace

request_work reload(network& net) {
  auto const work = std::make_shared<reload_work>(net);
  return [work] { return work->step(); };
}

}  // namespace packetwarp
