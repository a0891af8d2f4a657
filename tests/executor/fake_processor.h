// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda/atomic>

#include <atomic>
#include <cstddef>
#include <limits>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "executor/gpu/offload/offload_executor.h"
#include "executor/gpu/offload/offload_memory.h"

namespace packetwarp::test {

// Plain memory where executors on a GPU have pinned memory and the GPU's own: zeroed, aligned as theirs.
class offload_plain_memory {
 public:
  explicit offload_plain_memory(offload_layout const& layout)
      : host_{make(layout.host_bytes())},
        device_{make(layout.device_bytes())},
        ring_{layout.place({host_.get(), layout.host_bytes()}, device_.get())} {}

  [[nodiscard]] offload_ring_ref const& ring() const { return ring_; }

 private:
  static constexpr std::align_val_t line{128};
  struct free_aligned {
    void operator()(std::byte* memory) const { ::operator delete[](memory, line); }
  };
  using block = std::unique_ptr<std::byte[], free_aligned>;
  static block make(std::size_t size) { return block{new (line) std::byte[size]()}; }

  block host_;
  block device_;
  offload_ring_ref ring_;
};

// Its change of a packet: inverts the first byte and drops packets whose first byte was odd, so that a second run, no
// run, or a run on another packet's memory shows.
struct turn_over {
  static constexpr auto odd = verdict::drop(function_drop(0));
  static constexpr auto even = verdict::forward(egress_index{7});
  static verdict process(std::byte* data, std::uint32_t contiguous) {
    if (contiguous == 0) return odd;
    auto const before = data[0];
    data[0] = ~before;
    return (before & std::byte{1}) != std::byte{0} ? odd : even;
  }
};

// Works on a burst like a GPU, with the GPU's only source: the shared ring.
inline burst_outcome work_on(offload_ring_ref const& shared, std::uint64_t position) {
  auto const size = slot_header::from_raw(shared.header(position)).size();
  auto* const verdicts = shared.verdicts_of(position);
  bool differ = false;
  for (std::uint32_t i = 0; i < size; ++i) {
    auto const packet = packet_descriptor::from_raw(shared.descriptors(position)[i]);
    verdicts[i] = turn_over::process(packet.data(), packet.contiguous());
    differ |= verdicts[i] != verdicts[0];
  }
  return differ || size == 0 ? burst_outcome::mixed() : burst_outcome::uniform(verdicts[0]);
}

inline void say_done(offload_ring_ref const& shared, std::uint64_t position, burst_outcome outcome) {
  auto const word = std::uint64_t{outcome.raw()} << 32 | static_cast<std::uint32_t>(position + 1);
  cuda::atomic_ref<std::uint64_t, cuda::thread_scope_system>{shared.done[position & shared.mask].value}.store(
      word, cuda::memory_order_release);
}

// An executor whose processor is the test: it is told of bursts like a persistent kernel, and finishes the ones it
// chooses.
class fake_executor final : public offload_executor {
 public:
  fake_executor(burst_ring& ring, offload_ring_ref shared, std::unique_ptr<executor> fallback,
                std::chrono::nanoseconds timeout, std::shared_ptr<gpu_domain> domain = std::make_shared<gpu_domain>())
      : offload_executor{ring, shared, std::move(fallback), timeout, std::move(domain)} {}

  using offload_executor::described;
  using offload_executor::domain;
  using offload_executor::finished;

  // An offer takes at most this many bursts.
  void take_at_most(std::uint32_t bursts) { most_ = bursts; }
  // From now on offers fail after they have described the ready bursts, as a launch does.
  void refuse_offers() { refuses_ = true; }
  void be_in_trouble(std::string why) { trouble_ = std::move(why); }
  // As a persistent kernel whose GPU breaks it off.
  void end_by_itself() { has_ended_ = true; }

 private:
  [[nodiscard]] bool offer() override {
    (void)describe_ready(most_);
    cuda::atomic_ref<std::uint64_t, cuda::thread_scope_system>{shared().control->given}.store(
        described(), cuda::memory_order_release);
    return !refuses_;
  }
  [[nodiscard]] std::string refusal() const override { return "it takes no more"; }
  [[nodiscard]] std::string find_trouble() override { return trouble_; }
  [[nodiscard]] bool has_ended() override { return has_ended_; }
  void let_go() override { has_ended_ = true; }
  [[nodiscard]] std::string what() const override { return "fake processor"; }

  std::uint32_t most_{std::numeric_limits<std::uint32_t>::max()};
  bool refuses_{};
  std::atomic<bool> has_ended_{false};  // read by the thread that watches
  std::string trouble_;
};

}  // namespace packetwarp::test
