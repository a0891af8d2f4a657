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

// "0-3,8", as the kernel writes it; an empty text is no CPU. Empty where it is something else, or names a CPU that no
// Linux has (8192 and above).
[[nodiscard]] std::optional<cpu_list> parse_cpu_list(std::string_view text);
[[nodiscard]] std::string to_text(cpu_list const& cpus);
// The CPUs of `cpus` that are not in `others`.
[[nodiscard]] cpu_list without(cpu_list const& cpus, cpu_list const& others);

}  // namespace packetwarp
