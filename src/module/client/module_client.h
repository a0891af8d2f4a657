// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "module/client/client_command.h"
#include "module/client/module_screen.h"
#include "module/client/shown_noun.h"

namespace packetwarp {

// A module in other processes, which ask one that has it: nouns of `packetwarp show`, commands of its own, and its part
// of `packetwarp top`.
struct module_client {
  std::span<shown_noun const> nouns{};
  std::span<client_command const> commands{};
  module_screen screen{};
};

}  // namespace packetwarp
