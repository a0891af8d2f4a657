// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "capture/pcapng.h"

namespace packetwarp::pcapng {

// Counts the packets in a file written by capture_writer while its bytes pass, in pieces of any size.
class scanner {
 public:
  void take(std::span<char const> some);

  // The number of whole packets that have passed.
  [[nodiscard]] std::uint64_t packets() const { return packets_; }
  // The sum over interfaces: zero before the end of the file.
  [[nodiscard]] interface_counts const& counts() const { return counts_; }
  // The statistics, which are the last blocks, have passed, and no block is incomplete.
  [[nodiscard]] bool is_whole() const { return has_ended_ && block_.empty(); }

 private:
  void count_block();
  std::string block_;  // the part of the current block that has passed
  std::uint64_t packets_{};
  interface_counts counts_;
  bool has_ended_{};
};

}  // namespace packetwarp::pcapng
