// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>

#include "traffic/capture/capture.h"

namespace packetwarp::traffic {

// The packets of a capture, round and round: a source like a stream, but its packets carry no signature.
class replay {
 public:
  explicit replay(std::shared_ptr<capture const> recorded) : recorded_{std::move(recorded)} {}

  [[nodiscard]] capture const& recorded() const { return *recorded_; }
  [[nodiscard]] std::uint16_t length(std::uint64_t index) const {
    return static_cast<std::uint16_t>(packet_of(index).length);
  }
  [[nodiscard]] std::uint16_t largest_length() const { return static_cast<std::uint16_t>(recorded_->largest()); }
  void write(std::uint64_t index, std::uint64_t /*ticks*/, std::byte* frame) const {
    auto const bytes = recorded_->bytes(packet_of(index));
    std::memcpy(frame, bytes.data(), bytes.size());
  }

 private:
  [[nodiscard]] capture::packet const& packet_of(std::uint64_t index) const {
    return recorded_->packets()[index % recorded_->packets().size()];
  }
  std::shared_ptr<capture const> recorded_;
};

}  // namespace packetwarp::traffic
