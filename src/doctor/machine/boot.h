// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "doctor/finding.h"
#include "doctor/machine/machine_reader.h"

namespace packetwarp::doctor {

// A single change of the kernel's command line for all findings that need one.
struct boot_edit {
  std::string parameters{};  // of all findings, each once; if two differ in a value, the later one's
  std::string command{};     // adds the parameters; empty without a GRUB whose file has a line for them
};
// Nothing if no finding needs a change.
[[nodiscard]] std::optional<boot_edit> plan_boot(machine_reader const& files, std::vector<finding> const& findings);

}  // namespace packetwarp::doctor
