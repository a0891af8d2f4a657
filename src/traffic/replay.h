// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "traffic/capture/capture.h"

namespace packetwarp::traffic {

// The packets of a capture, round and round: a source like a stream, but its packets carry no signature.
class replay {
 public:
  replay(std::shared_ptr<capture const> recorded, capture_pace pace);

  [[nodiscard]] capture const& recorded() const { return *recorded_; }
  [[nodiscard]] std::uint16_t length(std::uint64_t index) const {
    return static_cast<std::uint16_t>(packet_of(index).length);
  }
  [[nodiscard]] std::uint16_t largest_length() const { return static_cast<std::uint16_t>(recorded_->largest()); }
  void write(std::uint64_t index, std::uint64_t /*ticks*/, std::byte* frame) const {
    auto const bytes = recorded_->bytes(packet_of(index));
    std::memcpy(frame, bytes.data(), bytes.size());
  }
  [[nodiscard]] bool keeps_times() const { return !due_.empty(); }
  // Nanoseconds after the first packet.
  [[nodiscard]] std::uint64_t due(std::uint64_t index) const {
    return index / due_.size() * round_ + due_[index % due_.size()];
  }

 private:
  [[nodiscard]] capture::packet const& packet_of(std::uint64_t index) const {
    return recorded_->packets()[index % recorded_->packets().size()];
  }
  std::shared_ptr<capture const> recorded_;
  std::vector<std::uint64_t> due_;  // of each packet in the first round; empty if packets are sent by a rate
  std::uint64_t round_{};           // nanoseconds from a round's first packet to the next round's
};

}  // namespace packetwarp::traffic
