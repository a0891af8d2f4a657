// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "doctor/machine/machine.h"

namespace packetwarp {

// The programs of this machine, found in PATH, then in the folders of administrators' programs.
class child_tools : public doctor::tools {
 public:
  [[nodiscard]] bool is_installed(std::string const& program) const override;
  // Waits up to half a minute. Throws failure.
  [[nodiscard]] std::string output_of(std::vector<std::string> const& words) const override;
};

}  // namespace packetwarp
