// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace packetwarp {

// The most bytes that the EAL can still allocate: the free memory of its heaps and the free hugepages. An upper bound:
// a container's limit may be lower, and pieces may be too small. The largest number if the EAL does not run on
// hugepages. hugepages: the kernel's list of them. The EAL must be running.
[[nodiscard]] std::uint64_t most_free_memory(std::string const& hugepages = "/sys/kernel/mm/hugepages");

}  // namespace packetwarp
