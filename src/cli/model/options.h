// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "cli/command.h"

namespace packetwarp {

struct model_options {
  enum class task : std::uint8_t { check, run };
  task what{};
  std::string file{};
  // Sources of rows for `run`: one of them is given.
  std::string rows{};
  std::string pcap{};
};

// No EAL is started: options may stand before "--" or after it. Throws usage_error.
[[nodiscard]] model_options parse_model_options(invocation const& call);

}  // namespace packetwarp
