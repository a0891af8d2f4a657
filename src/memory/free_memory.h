// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace packetwarp {

// The most bytes that the EAL can still allocate: the free memory of its heaps and the free hugepages. An upper bound:
// a container's limit of hugepages may be lower, and pieces may be too small. On ordinary pages it is what the memory
// limit leaves, and without a limit the largest number. hugepages: the kernel's list of them. The EAL must be running.
[[nodiscard]] std::uint64_t most_free_memory(std::string const& hugepages = "/sys/kernel/mm/hugepages");

}  // namespace packetwarp
