// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "traffic/streams/frame_size.h"
#include "traffic/streams/signature.h"

namespace packetwarp::traffic {

// The sizes of a stream's frames: a short cycle that repeats, so that the packet's index determines its size.
class size_mix {
 public:
  struct share {
    frame_size size;
    std::uint32_t weight;
    friend bool operator==(share const&, share const&) = default;
  };

  // Throws usage_error for no share, a weight of 0, weights above 4096 in all, or an invalid size.
  explicit size_mix(std::vector<share> shares);

  // "64"; "64,512,1518" in equal shares; "64:7,594:4,1518:1" with weights; "imix" stands for exactly these: the simple
  // IMIX in common use (7:4:1; vendors' sizes differ by a few bytes; RFC 6985 has a notation for others).
  [[nodiscard]] static size_mix parse(std::string_view text, std::string_view option = "--size");

  [[nodiscard]] std::vector<share> const& shares() const { return shares_; }

  // The share of packet number `index`. Each cycle holds every share `weight` times, spread evenly; the start of a
  // cycle is drawn from its number, so that flows taken in turn all meet every size.
  [[nodiscard]] std::uint32_t share_at(std::uint64_t index) const {
    if (cycle_.size() == 1) return 0;
    std::uint64_t const number = index / cycle_.size();
    std::uint64_t const start = (mix_bits(number) >> 32) * cycle_.size() >> 32;
    std::uint64_t const at = start + (index - number * cycle_.size());
    return cycle_[at < cycle_.size() ? at : at - cycle_.size()];
  }

  // Average bytes of the frames on the wire.
  [[nodiscard]] double average() const;

 private:
  std::vector<share> shares_;
  std::vector<std::uint32_t> cycle_;
};

// The text with every weight: size_mix::parse(to_text(s)) has the shares of s.
[[nodiscard]] std::string to_text(size_mix const& sizes);

}  // namespace packetwarp::traffic
