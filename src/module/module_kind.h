// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "module/config.h"
#include "module/module.h"
#include "plan/config.h"

namespace packetwarp {

// What is known of a module before a network has one. Has no state: any thread may call it.
class module_kind {
 public:
  module_kind() = default;
  module_kind(module_kind const&) = delete;
  module_kind& operator=(module_kind const&) = delete;
  virtual ~module_kind() = default;

  // The stage's.
  [[nodiscard]] virtual std::string_view name() const = 0;
  // What the data plane needs for this module and the file does not say.
  virtual void adjust(network_config const& /*config*/, data_plane_config& /*plane*/) const {}
  // nullptr where the config asks for none. Throws as the module's set-up does.
  [[nodiscard]] virtual std::unique_ptr<stage_module> make(module_surroundings const& around) const = 0;
};

}  // namespace packetwarp
