// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "traffic/stl/program.h"
#include "traffic/stl/series.h"

namespace packetwarp::traffic::stl {

// Makes a stream's packets: packet number `index` is a function of the stream and the index alone. A packet_source.
// Immutable; any number of threads may use one.
class packet_maker {
 public:
  // Throws failure if a step names no variable, or cuts the packet to a size that it does not have.
  explicit packet_maker(stream const& from);

  // Bytes in memory of packet number `index`, without the frame check sequence.
  [[nodiscard]] std::uint16_t length(std::uint64_t index) const {
    return trim_ ? static_cast<std::uint16_t>(trim_->at(index)) : static_cast<std::uint16_t>(packet_.size());
  }
  [[nodiscard]] std::uint16_t largest_length() const { return static_cast<std::uint16_t>(packet_.size()); }
  // The length that converts bits per second, in bytes: the mean of the sizes that the packets are cut to.
  [[nodiscard]] double mean_length() const;

  // Writes the packet to `frame`, which has room for largest_length() bytes.
  void write(std::uint64_t index, std::uint64_t /*ticks*/, std::byte* frame) const;

 private:
  struct compiled {
    step what;
    series values;
  };
  std::vector<std::byte> packet_;
  std::vector<compiled> steps_;
  std::optional<series> trim_;
};

}  // namespace packetwarp::traffic::stl
