// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <type_traits>

#include "module/module.h"
#include "module/run_view.h"
#include "request/request.h"

namespace packetwarp {

// A request that a running network accepts about one of its modules.
struct module_command {
  std::string_view name;  // as in requests: "flow", "show routes"
  // Makes the work of a request. `of` is a module of the kind that has the command; it and the run outlive the work.
  // Throws usage_error for wrong arguments.
  request_work (*make)(request const& asked, stage_module& of, run_view& run);
  std::string_view absent;  // the error if the network has no such module
};

// A command by a function that knows its module: Make(asked, module, run), or without the run.
template <class Module, auto Make>
[[nodiscard]] constexpr module_command command_of(std::string_view name, std::string_view absent) {
  return {name,
          [](request const& asked, stage_module& of, run_view& run) {
            auto& module = static_cast<Module&>(of);
            if constexpr (std::is_invocable_v<decltype(Make), request const&, Module&, run_view&>) {
              return Make(asked, module, run);
            } else {
              return Make(asked, module);
            }
          },
          absent};
}

}  // namespace packetwarp
