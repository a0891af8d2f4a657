// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace packetwarp {

// The MTU of an interface of the kernel's in this network namespace. Nothing if it cannot be read: errno says why.
[[nodiscard]] std::optional<std::uint32_t> mtu_of_interface(std::string const& name);

// Whether an interface of this network namespace is up and has a carrier.
[[nodiscard]] bool is_interface_up(unsigned index);

// The name of an interface of this network namespace; nothing if there is none of this index.
[[nodiscard]] std::optional<std::string> name_of_interface(unsigned index);

}  // namespace packetwarp
