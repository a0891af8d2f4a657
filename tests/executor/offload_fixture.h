// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <vector>

#include "executor/executor_fixture.h"
#include "executor/fake_processor.h"
#include "executor/none.h"

namespace packetwarp::test {

// A burst ring whose RX and TX ends the test plays itself, and an offload executor on it whose processor is the test.
class offload_fixture : public executor_fixture {
 protected:
  // The verdict of the executor that takes over for every packet; the processor never gives it.
  static constexpr auto by_fallback = verdict::forward(egress_index{9});
  static constexpr auto lost = verdict::drop(drop_reason::gpu_failed);

  // The test frees the last packets that it took.
  ~offload_fixture() override {
    while (ring_.next_done() != nullptr) free(take_done());
    EXPECT_EQ(pool_.available() + unfinished_, pool_.config().packets) << "packets were lost, or twice there";
  }

  void publish(std::vector<bytes> const& frames, epoch_number epoch = first_epoch) {
    executor_fixture::publish(frames, epoch);
    unfinished_ += frames.size();
  }
  finished take_done() {
    auto const done = executor_fixture::take_done();
    unfinished_ -= done.packets.size();
    return done;
  }

  // Frames that begin with these bytes, followed by a number.
  static std::vector<bytes> frames_of(std::vector<unsigned> const& first_bytes) {
    std::vector<bytes> frames;
    for (auto const first : first_bytes)
      frames.push_back(to_bytes({first, static_cast<unsigned>(frames.size() & 0xff)}));
    return frames;
  }
  // All of them get the same verdict, because only `first_byte` counts.
  static std::vector<bytes> alike(std::size_t count, unsigned first_byte = 2) {
    return frames_of(std::vector<unsigned>(count, first_byte));
  }

  // The processor finishes the burst at a position.
  void finish(std::uint64_t position) { say_done(shared(), position, work_on(shared(), position)); }

  [[nodiscard]] offload_ring_ref const& shared() const { return memory_.ring(); }
  [[nodiscard]] fake_executor make(std::chrono::nanoseconds timeout = std::chrono::hours{1}) {
    return {ring_, shared(), std::make_unique<none_executor>(ring_, by_fallback.to()), timeout, domain_};
  }

  // As the master does in its loop iterations.
  bool look() { return domain_->look(now_cycles()); }
  [[nodiscard]] gpu_domain& domain() { return *domain_; }

  // The packets were worked on, once, by the processor.
  static void expect_worked_on(finished const& done, std::vector<bytes> const& frames) {
    ASSERT_EQ(done.packets.size(), frames.size());
    for (std::size_t i = 0; i < frames.size(); ++i) {
      auto wanted = frames[i];
      EXPECT_EQ(done.verdicts[i], turn_over::process(wanted.data(), static_cast<std::uint32_t>(wanted.size()))) << i;
      EXPECT_EQ(bytes_of(*done.packets[i]), wanted) << i;
    }
  }
  // The packets are unchanged, all with the same verdict.
  static void expect_untouched(finished const& done, std::vector<bytes> const& frames, verdict all) {
    ASSERT_EQ(done.packets.size(), frames.size());
    for (std::size_t i = 0; i < frames.size(); ++i) {
      EXPECT_EQ(done.verdicts[i], all) << i;
      EXPECT_EQ(bytes_of(*done.packets[i]), frames[i]) << i;
    }
  }
  void expect_next(std::vector<bytes> const& frames) {
    auto const done = take_done();
    expect_worked_on(done, frames);
    free(done);
  }
  void expect_next_untouched(std::vector<bytes> const& frames, verdict all) {
    auto const done = take_done();
    expect_untouched(done, frames, all);
    free(done);
  }

 private:
  std::shared_ptr<gpu_domain> domain_{
      std::make_shared<gpu_domain>(0, nullptr, gpu_domain::patience{.executors = std::chrono::hours{1}})};
  std::size_t unfinished_{0};  // packets published and not yet taken
  offload_plain_memory const memory_{offload_layout{{.slots = ring_.slots(), .burst = ring_.capacity()}}};
};

}  // namespace packetwarp::test
