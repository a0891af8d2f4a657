// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "doctor/machine/machine_reader.h"

namespace packetwarp::doctor {

// The paths of a file of this process's control group: the group's own first, then those of its parents, whose limits
// apply too. Missing files are left out; a container sees its own group as the root. name_v1: the file's name for a
// controller of version 1. Throws failure.
[[nodiscard]] std::vector<std::string> group_files(machine_reader const& files, std::string_view controller,
                                                   std::string_view name, std::string_view name_v1);

}  // namespace packetwarp::doctor
