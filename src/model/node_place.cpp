// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "model/node_place.h"

#include <fmt/format.h>

#include "base/error.h"
#include "model/printable.h"

namespace packetwarp::model {

void node_place::refuse(std::string_view why) const {
  throw usage_error(fmt::format("{}: node '{}' ({}): {}", *path_, printable(name()), printable(operation()), why));
}

std::string node_place::name() const {
  if (!node_->name.empty() || node_->outputs.empty()) return node_->name;
  return node_->outputs.front();
}

std::string_view node_place::input(std::size_t number) const {
  return number < node_->inputs.size() ? std::string_view{node_->inputs[number]} : std::string_view{};
}

std::string const& node_place::output() const {
  if (node_->outputs.empty() || node_->outputs.front().empty()) refuse("has no output");
  return node_->outputs.front();
}

std::int64_t node_place::integer(std::string_view name, std::int64_t otherwise) const {
  auto const* const found = node_->find(name);
  return found == nullptr ? otherwise : found->integer;
}

float node_place::number(std::string_view name, float otherwise) const {
  auto const* const found = node_->find(name);
  return found == nullptr ? otherwise : found->number;
}

std::string node_place::text(std::string_view name, std::string_view otherwise) const {
  auto const* const found = node_->find(name);
  return found == nullptr ? std::string{otherwise} : found->text;
}

}  // namespace packetwarp::model
