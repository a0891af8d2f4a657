// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/run/rules_edit_work.h"

#include <future>
#include <memory>

namespace packetwarp {
namespace {

// Where an edit is.
class rules_edit {
 public:
  rules_edit(network& net, std::function<rules_change(rules_state const&)> plan, std::function<json()> result)
      : net_{net}, plan_{std::move(plan)}, result_{std::move(result)} {}

  [[nodiscard]] std::optional<std::string> step() {
    if (!turn_ && !(turn_ = net_.begin_change())) return std::nullopt;
    if (!planned_.valid()) {
      planned_ = std::async(std::launch::async, [plan = plan_, from = state_of(*net_.rules())] { return plan(from); });
    }
    if (!change_) {
      if (planned_.wait_for(std::chrono::seconds{0}) != std::future_status::ready) return std::nullopt;
      change_ = std::make_unique<rules_change>(planned_.get());
      net_.rules()->prepare(change_->build);
      net_.grace().begin();
    }
    if (!net_.grace().is_over()) return std::nullopt;
    net_.rules()->publish(std::move(change_->book), std::move(change_->compiled));
    turn_.reset();
    return success_line(result_());
  }

 private:
  network& net_;
  std::function<rules_change(rules_state const&)> plan_;
  std::function<json()> result_;
  std::shared_ptr<void> turn_;
  std::future<rules_change> planned_;
  std::unique_ptr<rules_change> change_;
};

}  // namespace

request_work edit_rules(network& net, std::function<rules_change(rules_state const&)> plan,
                        std::function<json()> result) {
  auto const edit = std::make_shared<rules_edit>(net, std::move(plan), std::move(result));
  return [edit] { return edit->step(); };
}

}  // namespace packetwarp
