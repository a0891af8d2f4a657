// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "traffic/capture/capture.h"
#include "traffic/verify.h"

namespace packetwarp::traffic {

// Judges the packets of a capture that is sent over and over, by their content alone: packets are distinguished by a
// hash of all their bytes, and equal packets stand for each other. A frame of less than 60 bytes is known with the
// zeros to which a NIC pads it (IEEE 802.3), and without them. A packet with a changed byte is not in the capture: it
// counts as unknown, and the original as lost. Order is judged within a flow (addresses, protocol, ports; else MAC
// addresses and type), for packets that are in the capture once; packets that come more than half a round early or late
// count for another round.
class replay_check {
 public:
  replay_check(capture const& sent, transform expected);

  // Returns whether the frame is in the capture. Neither allocates nor throws.
  bool receive(std::span<std::byte const> frame);

  // Without duplicates: after() counts them.
  [[nodiscard]] verify_counts const& counts() const { return counts_; }

  struct outcome {
    std::uint64_t lost{};
    std::uint64_t duplicates{};
  };
  // The outcome if the first `sent` packets of the endless replay were all.
  [[nodiscard]] outcome after(std::uint64_t sent) const;

 private:
  struct content {
    std::uint64_t received{};
    std::uint64_t index{};  // in the capture, of the first packet like this
    std::uint32_t alike{};  // packets like this in the capture
    std::uint32_t flow{};
  };
  void check_order(content const& of);

  std::unordered_map<std::uint64_t, content> by_hash_;
  std::vector<std::uint64_t> hashes_;  // of the capture's packets, in order
  // Positions in the endless replay, counted from one round before its start.
  std::uint64_t latest_{};
  std::vector<std::uint64_t> latest_in_flow_;
  bool sends_as_neighbour_{};  // ARP or neighbour discovery is in the capture
  verify_counts counts_;
};

}  // namespace packetwarp::traffic
