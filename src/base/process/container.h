// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

namespace packetwarp {

// The place where this process runs. Advice depends on it: a container cannot change its host, and a pod is what its
// manifest says.
enum class surroundings : std::uint8_t { machine, container, pod };

// A pod has Kubernetes' environment variable KUBERNETES_SERVICE_HOST; a container has a file of its engine's below
// root.
[[nodiscard]] surroundings find_surroundings(std::filesystem::path const& root = "/");

// The smallest limit that control groups set for this process, in bytes: its own group's and those of its parents, of
// version 2 (file: "memory.max") or version 1 (controller "memory", file_v1: "memory.limit_in_bytes"). Nothing: none.
// root: of the file system.
[[nodiscard]] std::optional<std::uint64_t> control_group_limit(std::string_view controller, std::string_view file,
                                                               std::string_view file_v1,
                                                               std::filesystem::path const& root = "/");

// The memory in bytes that the control groups of this process still allow. A process that touches more is killed. The
// caches of the kernel count as free. Nothing: no limit.
[[nodiscard]] std::optional<std::uint64_t> memory_left(std::filesystem::path const& root = "/");
// The field or the file that sets the limit.
[[nodiscard]] std::string_view memory_limit_name(surroundings where);

}  // namespace packetwarp
