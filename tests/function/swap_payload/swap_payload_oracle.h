// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>

#include "function/forward/mac_swap_oracle.h"

namespace packetwarp::test {

// The expected change of `swap_payload` to a frame in one piece: bytes 0 to 5 with 6 to 11, 60 to 65 with 66 to 71.
inline void swap_macs_and_payload(std::byte* frame, std::size_t length) {
  swap_macs(frame, length);
  if (length >= 72) std::rotate(frame + 60, frame + 66, frame + 72);
}

}  // namespace packetwarp::test
