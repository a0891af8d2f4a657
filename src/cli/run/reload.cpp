// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/run/reload.h"

#include <fmt/format.h>

#include <exception>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/background.h"
#include "base/error.h"
#include "cli/control/request.h"
#include "cli/run/reload_check.h"
#include "cli/run/rules_source.h"
#include "cli/run/rules_work.h"

namespace packetwarp {
namespace {

// What a look of the master does of a reload: some hundred microseconds.
constexpr std::size_t edits_a_slice = 128;
constexpr std::size_t entries_a_slice = 65536;

// What a file asks for, worked out beside the master.
struct reload_plan {
  network_settings settings;
  network_edits edits;
  flow::rule_book rules;
  std::vector<std::string> nat44;  // keys of it that say something else
};

// ports: those that rules may be of.
[[nodiscard]] reload_plan make_plan(network_settings const& now, std::vector<port_id> const& ports) {
  network_settings wanted{read_network_config(now.config.file), {}};
  require_reloadable(now.config.root.value(), wanted.config.root.value());
  wanted.routes = routes_of(wanted.config);
  auto edits = edits_between(now, wanted);
  auto nat44 = changed_nat44_keys(now.config.root.value(), wanted.config.root.value());
  reload_plan made{std::move(wanted), std::move(edits), {}, std::move(nat44)};
  if (auto const& rules = made.settings.config.rules) made.rules = read_rules_book(*rules, ports);
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
        if (!rules_ || rules_->finish()) return end();
        break;
    }
    return std::nullopt;
  }

 private:
  enum class stage : std::uint8_t { begin, planning, checked, prepared, applying, undoing, applied, published };

  void plan() {
    std::vector<port_id> ports;
    if (net_.rules() != nullptr) {
      for (auto const& one : net_.rules()->queues()) ports.push_back(one.port);
    }
    planned_ = in_background([now = net_.settings(), ports] { return make_plan(now, ports); });
    stage_ = stage::planning;
  }

  void check() {
    plan_ = std::make_unique<reload_plan>(planned_.get());
    net_.check(plan_->edits);
    if (plan_->settings.config.nat44) nat_ = net_.plan_nat44(*plan_->settings.config.nat44);
    if (auto const& rules = plan_->settings.config.rules) {
      rules_.emplace(
          *net_.rules(), [book = plan_->rules](flow::rule_book const&) { return book; }, rules->file);
    }
    stage_ = stage::checked;
  }

  // What needs room may be refused here, too.
  void prepare() {
    if (rules_) rules_->prepare();
    if (nat_) net_.nat()->table().prepare(*nat_);
    net_.grace().begin();
    stage_ = stage::prepared;
  }

  void apply() {
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
  void retreat() {
    refused_ = std::current_exception();
    stage_ = stage::undoing;
  }

  void undo() {
    auto entries = entries_a_slice;
    for (std::size_t i = 0; i < edits_a_slice && net_.finish_edit(entries) && done_ > 0; ++i) {
      net_.begin_undo(plan_->edits, --done_);
    }
    bool const is_done = done_ == 0 && net_.finish_edit(entries);
    net_.commit();
    if (is_done) std::rethrow_exception(refused_);
  }

  [[nodiscard]] bool make_way() {
    try {
      return !rules_ || rules_->make_way();
    } catch (std::exception const&) {
      retreat();
      return false;
    }
  }

  void publish() {
    if (rules_) rules_->publish();
    if (nat_) net_.publish_nat44(std::move(*nat_));
    net_.set_settings(std::move(plan_->settings));
    stage_ = stage::published;
  }

  [[nodiscard]] std::string end() {
    turn_.reset();
    auto const& edits = plan_->edits;
    auto text = fmt::format("{} is in force: {} routes and {} neighbours changed", net_.settings().config.file,
                            edits.routes.size(), edits.neighbours.size());
    json result{{"routes", edits.routes.size()}, {"neighbours", edits.neighbours.size()}};
    if (auto const& changed = plan_->nat44; !changed.empty()) {
      text += fmt::format("; of nat44 {} changed", fmt::join(changed, ", "));
      result["nat44"] = changed;
    }
    if (net_.rules() != nullptr) {
      text += fmt::format("; {} rules are read", net_.rules()->size());
      result["rules"] = net_.rules()->size();
    }
    result["text"] = text;
    return success_line(std::move(result));
  }

  network& net_;
  stage stage_{stage::begin};
  std::shared_ptr<void> turn_;
  std::future<reload_plan> planned_;
  std::unique_ptr<reload_plan> plan_;
  std::optional<rules_work> rules_;
  std::optional<nat::change> nat_;
  std::size_t done_{};          // edits that are begun; all but the last are finished
  std::exception_ptr refused_;  // why what was done is undone
};

}  // namespace

request_work reload(network& net) {
  auto const work = std::make_shared<reload_work>(net);
  return [work] { return work->step(); };
}

}  // namespace packetwarp
