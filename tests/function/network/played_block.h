// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <barrier>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "function/network/wide_layout.h"

namespace packetwarp::test {

// A block of a GPU's threads that a CPU plays, a thread for each, so that the code of wide_tile.h runs without a GPU.
// Matrices have each element in the lane in which the PTX ISA has it (ldmatrix, mma.m16n8k32), and a copy is made as
// late as its thread may find it made.
class played_block {
  struct operands_of_lane {
    std::array<std::uint32_t, 2> low{}, high{};
    std::uint32_t low_weights{}, high_weights{};
  };
  struct warp_state {
    std::barrier<> all{32};
    std::array<std::byte const*, 32> rows{};
    std::array<operands_of_lane, 32> operands{};
  };
  using copy = std::pair<std::byte*, std::int8_t const*>;
  using copy_groups = std::deque<std::vector<copy>>;

 public:
  class machine {
   public:
    machine(played_block& block, unsigned thread) : block_{&block}, thread_{thread} {}

    [[nodiscard]] unsigned thread() const { return thread_; }
    void sync() const { block_->all_.arrive_and_wait(); }
    void copy_16(std::byte* to, std::int8_t const* from) const { copies().back().emplace_back(to, from); }
    void close() const { copies().emplace_back(); }
    template <unsigned Pending>
    void await_copies() const {
      // The last group is still open.
      while (copies().size() > Pending + 1) {
        for (auto const& [to, from] : copies().front()) std::memcpy(to, from, 16);
        copies().pop_front();
      }
    }
    void load_matrices(std::uint32_t (&to)[4], std::byte const* row) const {
      auto& of_warp = warp();
      of_warp.rows[lane()] = row;
      of_warp.all.arrive_and_wait();
      for (unsigned matrix = 0; matrix < 4; ++matrix) {
        std::memcpy(&to[matrix], of_warp.rows[matrix * 8 + lane() / 4] + lane() % 4 * 4, 4);
      }
      of_warp.all.arrive_and_wait();
    }
    void multiply_add(std::int32_t (&sums)[4], std::uint32_t const (&low)[2], std::uint32_t const (&high)[2],
                      std::uint32_t low_weights, std::uint32_t high_weights) const {
      auto& of_warp = warp();
      of_warp.operands[lane()] = {{low[0], low[1]}, {high[0], high[1]}, low_weights, high_weights};
      of_warp.all.arrive_and_wait();
      for (unsigned i = 0; i < 4; ++i) {
        auto const row = lane() / 4 + i / 2 * 8;
        auto const output = lane() % 4 * 2 + i % 2;
        for (unsigned input = 0; input < 32; ++input) {
          auto const& rows = of_warp.operands[row % 8 * 4 + input % 16 / 4];
          auto const& weights = of_warp.operands[output * 4 + input % 16 / 4];
          sums[i] += byte(input < 16 ? rows.low[row / 8] : rows.high[row / 8], input % 4) *
                     byte(input < 16 ? weights.low_weights : weights.high_weights, input % 4);
        }
      }
      of_warp.all.arrive_and_wait();
    }

   private:
    [[nodiscard]] static std::int32_t byte(std::uint32_t word, unsigned number) {
      return static_cast<std::int8_t>(word >> number * 8 & 0xff);
    }
    [[nodiscard]] unsigned lane() const { return thread_ % 32; }
    [[nodiscard]] warp_state& warp() const { return *block_->warps_[thread_ / 32]; }
    [[nodiscard]] copy_groups& copies() const { return block_->copies_[thread_]; }

    played_block* block_;
    unsigned thread_;
  };

  // Calls work(machine) on each thread.
  template <class Work>
  static void run(Work const& work) {
    played_block block;
    std::vector<std::jthread> threads;
    for (unsigned thread = 0; thread < wide_threads; ++thread) {
      threads.emplace_back([&, thread] { work(machine{block, thread}); });
    }
  }

 private:
  played_block() : copies_(wide_threads) {
    for (auto& one : copies_) one.emplace_back();
    for (auto& one : warps_) one = std::make_unique<warp_state>();
  }

  std::barrier<> all_{wide_threads};
  std::array<std::unique_ptr<warp_state>, wide_threads / 32> warps_;
  std::vector<copy_groups> copies_;  // by thread; the last group is open
};

}  // namespace packetwarp::test
