// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "capture/pcapng.h"

namespace packetwarp::pcapng {

// Counts what is in a file of ours while it passes by, in whatever pieces.
class scanner {
 public:
  void take(std::span<char const> some);

  // Packets that have passed whole.
  [[nodiscard]] std::uint64_t packets() const { return packets_; }
  // The sum over interfaces. Nothing before the end of the file.
  [[nodiscard]] interface_counts const& counts() const { return counts_; }
  // The statistics, which are the last blocks, have passed, and nothing of a block is missing.
  [[nodiscard]] bool is_whole() const { return has_ended_ && block_.empty(); }

 private:
  void count_block();
  std::string block_;  // what has passed of it so far
  std::uint64_t packets_{};
  interface_counts counts_;
  bool has_ended_{};
};

}  // namespace packetwarp::pcapng
