// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "network/network_change.h"

#include <chrono>
#include <utility>
#include <vector>

#include "base/thread/background.h"

namespace packetwarp {

network_change::network_change(network& net, maker wanted) : net_{net}, wanted_{std::move(wanted)} {}

// A config that was read before stays readable: its file's values ask for the need of them, too.
network_change::~network_change() {
  if (reading_.valid()) end_.request_stop();
}

bool network_change::step() {
  if (steps_) return change();
  if (!turn_ && !(turn_ = net_.turns().begin())) return false;
  if (!reading_.valid()) {
    read();
  } else if (reading_.wait_for(std::chrono::seconds{0}) == std::future_status::ready) {
    begin();
  }
  return false;
}

void network_change::read() {
  reading_ = in_background(
      [make = wanted_, now = net_.shared_config(), end = end_.get_token()]() -> std::shared_ptr<network_config const> {
        return std::make_shared<network_config>(make(*now, need_until(end)));
      });
}

void network_change::begin() {
  config_ = reading_.get();
  std::vector<std::unique_ptr<module_change>> changes;
  for (auto const& one : net_.modules()) changes.push_back(one->change_to(config_));
  steps_.emplace(net_.turns(), std::move(turn_), std::move(changes));
}

bool network_change::change() {
  bool const was_published = steps_->is_published();
  bool const is_done = steps_->step();
  if (!was_published && steps_->is_published()) net_.set_config(config_);
  return is_done;
}

module_change::facts network_change::result_of(std::string_view module) const {
  for (std::size_t n = 0; n < net_.modules().size(); ++n) {
    if (net_.modules()[n]->name() == module) return steps_->changes()[n]->result();
  }
  return {};
}

}  // namespace packetwarp
