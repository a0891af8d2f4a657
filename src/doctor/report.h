// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "doctor/finding.h"
#include "doctor/machine/boot.h"
#include "doctor/machine/hugepages.h"

namespace packetwarp::doctor {

// A table with a line for each finding; below it, for each finding that is not ok, why it matters and the command, and
// one change of the kernel's command line for all findings that need one; last, the number of findings of each status.
// Lines include their ends.
[[nodiscard]] std::string to_table(std::vector<finding> const& findings, std::optional<boot_edit> const& boot);

// {"version": ..., "failed": ..., "counts": {...}, "fixes": [...], "boot": {...}, "findings": [...]}, indented.
[[nodiscard]] std::string to_json(std::vector<finding> const& findings, std::vector<hugepage_result> const& fixes,
                                  std::optional<boot_edit> const& boot);

// The plan of a step, and its outcome; one line each, without its end.
[[nodiscard]] std::string describe(hugepage_step const& step);
[[nodiscard]] std::string describe(hugepage_result const& result);

}  // namespace packetwarp::doctor
