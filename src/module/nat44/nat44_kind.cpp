// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/nat44/nat44_kind.h"

#include <fmt/format.h>

#include "base/error.h"
#include "module/nat44/translation.h"

namespace packetwarp {

std::string_view nat44_kind::name() const { return nat44::name; }

std::unique_ptr<stage_module> nat44_kind::make(module_surroundings const& around) const {
  auto const* const section = around.config->sections.find<nat44_section>();
  if (section == nullptr) return nullptr;
  try {
    return std::make_unique<translation>(*section, around.place);
  } catch (usage_error const& wrong) {
    throw usage_error(fmt::format("{}:{}: {}", around.config->file, section->line, wrong.what()));
  }
}

}  // namespace packetwarp
