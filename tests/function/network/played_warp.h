// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <barrier>
#include <cstdint>
#include <thread>
#include <vector>

#include "function/group.h"

namespace packetwarp::test {

// A warp that a CPU plays, a thread per lane, so that the code of a GPU's warp runs without one: its group, and a
// matrix unit that has each element in the lane in which the PTX ISA has it for mma.m16n8k32 of 8-bit integers.
class played_warp {
 public:
  // Calls work(group, unit) on each lane.
  template <class Work>
  static void run(unsigned packets, Work const& work) {
    played_warp warp;
    std::vector<std::jthread> lanes;
    for (unsigned lane = 0; lane < joint_packets; ++lane) {
      lanes.emplace_back([&, lane] { work(group{warp, packets, lane}, unit{warp, lane}); });
    }
  }

  class group {
   public:
    group(played_warp& warp, unsigned packets, unsigned lane) : warp_{&warp}, packets_{packets}, lane_{lane} {}
    [[nodiscard]] unsigned packets() const { return packets_; }
    [[nodiscard]] static constexpr unsigned lanes() { return joint_packets; }
    [[nodiscard]] unsigned lane() const { return lane_; }
    void sync() const { warp_->all_.arrive_and_wait(); }

   private:
    played_warp* warp_;
    unsigned packets_;
    unsigned lane_;
  };

  class unit {
   public:
    unit(played_warp& warp, unsigned lane) : warp_{&warp}, lane_{lane} {}
    void multiply_add(std::int32_t (&sums)[4], std::uint32_t const (&low)[2], std::uint32_t const (&high)[2],
                      std::uint32_t low_weights, std::uint32_t high_weights) const {
      auto& lanes = warp_->lanes_;
      lanes[lane_] = {{low[0], low[1]}, {high[0], high[1]}, low_weights, high_weights};
      warp_->all_.arrive_and_wait();
      for (unsigned i = 0; i < 4; ++i) {
        auto const row = lane_ / 4 + i / 2 * 8;
        auto const output = lane_ % 4 * 2 + i % 2;
        for (unsigned input = 0; input < 32; ++input) {
          auto const& rows = lanes[row % 8 * 4 + input % 16 / 4];
          auto const& weights = lanes[output * 4 + input % 16 / 4];
          sums[i] += byte(input < 16 ? rows.low[row / 8] : rows.high[row / 8], input % 4) *
                     byte(input < 16 ? weights.low_weights : weights.high_weights, input % 4);
        }
      }
      warp_->all_.arrive_and_wait();
    }

   private:
    [[nodiscard]] static std::int32_t byte(std::uint32_t word, unsigned number) {
      return static_cast<std::int8_t>(word >> number * 8 & 0xff);
    }
    played_warp* warp_;
    unsigned lane_;
  };

 private:
  struct operands {
    std::array<std::uint32_t, 2> low{}, high{};
    std::uint32_t low_weights{}, high_weights{};
  };
  std::barrier<> all_{joint_packets};
  std::array<operands, joint_packets> lanes_{};
};

}  // namespace packetwarp::test
