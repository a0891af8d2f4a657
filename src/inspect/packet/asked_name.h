// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace packetwarp::inspect {

// Room for a dot and a name (RFC 1035, 2.3.4: 255 bytes with the length of each label, of which dots take the place).
// Windows of it are read by words.
struct asked_name {
  static constexpr std::uint32_t most = 256;

  alignas(8) std::byte bytes[most];
};

}  // namespace packetwarp::inspect
