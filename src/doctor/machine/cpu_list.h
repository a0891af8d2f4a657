// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/cpu_list.h"
#include "doctor/machine/machine_reader.h"

namespace packetwarp::doctor {

using packetwarp::cpu_list;
using packetwarp::parse_cpu_list;
using packetwarp::to_text;
using packetwarp::without;

// The list in a file. Throws failure.
[[nodiscard]] cpu_list read_cpu_list(machine_reader const& files, std::string_view path);
// CPUs on which the kernel schedules nothing by itself (isolcpus). Throws failure.
[[nodiscard]] cpu_list isolated_cpus(machine_reader const& files);
// CPUs that workers could have: all but those of the first core, which does most of the kernel's own work. Throws
// failure.
[[nodiscard]] cpu_list worker_cpus(machine_reader const& files);

// A parameter of the kernel's command line: the value of "name=value" in /proc/cmdline, the last one if several exist;
// an empty text for a bare "name". Throws failure.
[[nodiscard]] std::optional<std::string> boot_parameter(machine_reader const& files, std::string_view name);

}  // namespace packetwarp::doctor
