// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/run/rules_edit_work.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace packetwarp {
namespace {

// Where an edit is.
class rules_edit {
 public:
  rules_edit(network& net, rules_work::maker wanted, std::function<json()> result)
      : net_{net}, work_{*net.rules(), std::move(wanted), "flow"}, result_{std::move(result)} {}

  [[nodiscard]] std::optional<std::string> step() {
    if (!turn_ && !(turn_ = net_.begin_change())) return std::nullopt;
    switch (stage_) {
      case stage::planning:
        if (!work_.plan()) break;
        work_.prepare();
        net_.grace().begin();
        stage_ = stage::prepared;
        break;
      case stage::prepared:
        if (!work_.make_way() || !net_.grace().is_over()) break;
        work_.publish();
        stage_ = stage::published;
        [[fallthrough]];
      case stage::published:
        if (!work_.finish()) break;
        turn_.reset();
        return success_line(result_());
    }
    return std::nullopt;
  }

 private:
  enum class stage : std::uint8_t { planning, prepared, published };

  network& net_;
  rules_work work_;
  std::function<json()> result_;
  std::shared_ptr<void> turn_;
  stage stage_{stage::planning};
};

}  // namespace

request_work edit_rules(network& net, rules_work::maker wanted, std::function<json()> result) {
  auto const edit = std::make_shared<rules_edit>(net, std::move(wanted), std::move(result));
  return [edit] { return edit->step(); };
}

}  // namespace packetwarp
