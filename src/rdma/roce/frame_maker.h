// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "rdma/roce/frame_plan.h"

namespace packetwarp::rdma::roce {

// Makes the frames of plans, in the order in which they are asked for; a connection's requester and responder decide
// which. For one thread, which does not block.
class frame_maker {
 public:
  frame_maker() = default;
  frame_maker(frame_maker const&) = delete;
  frame_maker& operator=(frame_maker const&) = delete;
  virtual ~frame_maker() = default;

  // The distance of a frame from a multiple of 16 bytes before it. 0: frames begin anywhere.
  [[nodiscard]] virtual std::size_t lead() const = 0;
  // Frames that may be asked for now.
  [[nodiscard]] virtual std::size_t room() const = 0;
  // Asks for the frame of a plan, only with room. From lead() bytes before `at` to the next multiple of 16 after the
  // frame, the memory is the maker's until the frame is made.
  virtual void ask(frame_plan const& plan, std::byte* at) = 0;
  // Returns how many frames are made, of all that were asked for since the beginning.
  [[nodiscard]] virtual std::uint64_t poll() = 0;
};

// The calling thread makes each frame at once. It reaches all payload.
class cpu_frame_maker final : public frame_maker {
 public:
  [[nodiscard]] std::size_t lead() const override { return 0; }
  [[nodiscard]] std::size_t room() const override { return burst - since_poll_; }
  void ask(frame_plan const& plan, std::byte* at) override {
    write_frame(at, plan.path, plan.fields, plan.payload, plan.bytes);
    ++made_;
    ++since_poll_;
  }
  [[nodiscard]] std::uint64_t poll() override {
    since_poll_ = 0;
    return made_;
  }

 private:
  static constexpr std::size_t burst = 32;
  std::uint64_t made_{};
  std::size_t since_poll_{};
};

}  // namespace packetwarp::rdma::roce
