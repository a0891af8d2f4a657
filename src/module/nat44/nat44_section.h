// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "function/nat44/nat44_config.h"

namespace packetwarp {

// The nat44 section of a network's file.
struct nat44_section {
  int line{};
  nat44_config config;
  std::string log;                              // file of the session log; empty: none
  std::size_t log_room{std::size_t{16} << 20};  // bytes of lines that may wait for the file
  std::string state;                            // keeps sessions over a restart; empty: none
  int state_line{};
  std::uint32_t state_period{60};  // seconds between two saves; 0: at the end only
};

}  // namespace packetwarp
