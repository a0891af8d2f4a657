// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/nothing/nothing_kind.h"

#include <array>

#include "file/yaml_place.h"
#include "function/nothing/nothing.h"
#include "pipeline/stage_tables.h"

namespace packetwarp {
namespace {

constexpr std::array<std::string_view, 1> nothing_keys{"nothing"};

struct nothing_section {};

class nothing_module final : public stage_module {
 public:
  [[nodiscard]] std::string_view name() const override { return nothing::name; }
  void add_tables(function_tables& to) const override { to.stages.push_back(&stage_); }
  [[nodiscard]] std::unique_ptr<module_change> change_to(std::shared_ptr<network_config const>) override {
    return std::make_unique<module_change>();
  }

 private:
  struct stage final : tables_of_stage<nothing> {
    [[nodiscard]] table_refs<nothing> refs_at(stage_place const&) const override { return {}; }
  };
  stage stage_;
};

}  // namespace

std::string_view nothing_kind::name() const { return nothing::name; }

module_keys nothing_kind::keys() const { return {.all = nothing_keys}; }

void nothing_kind::read(yaml_place const& root, network_config& into) const {
  if (root.find("nothing")) into.sections.add(nothing_section{});
}

std::unique_ptr<stage_module> nothing_kind::make(module_surroundings const& around) const {
  if (around.config->sections.find<nothing_section>() == nullptr) return nullptr;
  return std::make_unique<nothing_module>();
}

}  // namespace packetwarp
