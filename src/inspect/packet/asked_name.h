// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

namespace packetwarp::inspect {

// Room for a dot and a name (RFC 1035, 2.3.4: 255 bytes with the length of each label, of which dots take the place).
using asked_name = std::array<std::byte, 256>;

}  // namespace packetwarp::inspect
