// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace packetwarp {

// The MTU of an interface of the kernel's in this network namespace. Nothing if it cannot be read: errno says why.
[[nodiscard]] std::optional<std::uint32_t> mtu_of_interface(std::string const& name);

}  // namespace packetwarp
