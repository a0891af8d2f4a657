// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace packetwarp {

// CPU numbers, each once, in order.
using cpu_list = std::vector<unsigned>;

// Parses "0-3,8", the kernel's notation; an empty text has no CPU. Nothing for another text, or one that names a CPU
// that no Linux has (8192 and above).
[[nodiscard]] std::optional<cpu_list> parse_cpu_list(std::string_view text);
[[nodiscard]] std::string to_text(cpu_list const& cpus);
// The CPUs of `cpus` that are not in `others`.
[[nodiscard]] cpu_list without(cpu_list const& cpus, cpu_list const& others);

}  // namespace packetwarp
