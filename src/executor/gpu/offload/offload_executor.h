// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/cycles.h"
#include "executor/executor.h"
#include "executor/gpu/gpu_work.h"
#include "executor/gpu/offload/burst_observer.h"
#include "executor/gpu/offload/held_packets.h"
#include "executor/gpu/offload/offload_ring.h"
#include "gpu/domain.h"

namespace packetwarp {

// Gives bursts to a processor that works on them beside the CPU, and takes back finished ones, in order. When that
// processor's domain is lost, whichever member noticed it, the bursts that the executor gave and has not got back are
// dropped as gpu_failed, because their bytes may be half changed. When the whole domain is quiet another executor takes
// over from the next burst on. The memory of packets dropped in this way gets no other owner before the processor has
// ended: it may only have been slow, and may still write. The derived class knows the processor and how to tell it:
// this class touches no GPU.
class offload_executor : public executor, public gpu_work, public gpu_member {
 public:
  [[nodiscard]] std::uint32_t poll() final {
    give();
    return collect();
  }
  void give() final;
  [[nodiscard]] std::uint32_t collect() final;
  [[nodiscard]] std::string_view name_of(drop_reason reason) const final { return fallback_->name_of(reason); }
  [[nodiscard]] gpu_work* on_gpu() final { return this; }
  [[nodiscard]] bool has_failed() const final {
    return domain_->state() == gpu_domain::health::lost && has_left_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] std::string trouble() const final;
  [[nodiscard]] std::string_view taking_over() const final { return taking_over_; }
  [[nodiscard]] check_counts checked() const final;
  void watch() final;
  [[nodiscard]] end_state stop() final;

  // To be called before the first poll.
  void observe_with(std::unique_ptr<burst_observer> observer) { observers_.push_back(std::move(observer)); }
  // To be called before the first poll, if the fallback is not the CPU with all that the GPU did: taking_over().
  void tell_taking_over(std::string_view what_happens) { taking_over_ = what_happens; }

 protected:
  // fallback: works on the same ring. timeout: how long the processor may finish no burst while it has work.
  offload_executor(burst_ring& ring, offload_ring_ref shared, std::unique_ptr<executor> fallback,
                   std::chrono::nanoseconds timeout, std::shared_ptr<gpu_domain> domain);

  // Hands ready bursts to the processor, without waiting for it. False if that failed.
  [[nodiscard]] virtual bool offer() = 0;
  // See stop().
  [[nodiscard]] virtual end_state end() { return end_state::ended; }
  // The error of a failed call of offer().
  [[nodiscard]] virtual std::string refusal() const { return "it takes no more work"; }
  // The reason why the processor has stopped working, or nothing. watch() calls it while the processor finishes no
  // burst.
  [[nodiscard]] virtual std::string find_trouble() = 0;
  // For a processor that works until it is told to end: whether it has ended, without an error. watch() calls it after
  // find_trouble(), and takes a yes as a failure unless let_go() or end() was called before.
  [[nodiscard]] virtual bool has_ended() { return false; }
  // Called before the processor can know of a burst: makes the bytes that its port has written visible to the
  // processor.
  virtual void show_received() {}
  // Breaks the processor as break_after() asked, to test the consequences. False: call it once more.
  [[nodiscard]] virtual bool cause_fault() { return true; }
  void break_after(std::uint64_t bursts) { break_at_ = bursts; }
  // From here on offers fail.
  void refuse() { refused_.store(true, std::memory_order_release); }
  // The processor's bursts are not wanted any more, and no thread gives more. It waits for nothing.
  virtual void let_go() {}
  // The processor's name in the line that reports its failure: "GPU 0, persistent kernel".
  [[nodiscard]] virtual std::string what() const = 0;

  // For offer(): published bursts that the processor has not been told of.
  [[nodiscard]] std::uint64_t ready() { return ring_.ready(); }
  // For offer(): describes up to `most` published bursts that the processor has not been told of; returns the number.
  std::uint32_t describe_ready(std::uint32_t most);
  // The number of bursts described since the start, and of bursts taken back finished.
  [[nodiscard]] std::uint64_t described() const { return described_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t finished() const { return finished_.load(std::memory_order_acquire); }
  [[nodiscard]] offload_ring_ref const& shared() const { return shared_; }
  [[nodiscard]] gpu_domain& domain() const { return *domain_; }

 private:
  void describe(burst const& work, std::uint64_t position) const;
  // Takes back the finished bursts at the ring's end; returns the number of packets.
  std::uint32_t take_back_finished();
  [[nodiscard]] bool is_done(std::uint64_t position, burst_outcome& outcome) const;
  // Takes the oldest burst of the processor: finished, or lost with it. Both return the number of packets.
  std::uint32_t take_back(burst_outcome outcome);
  std::uint32_t give_up();
  std::uint32_t pass_on(std::uint32_t size, burst_outcome outcome);
  void wait_for_progress();
  // collect() for a domain that works no more.
  std::uint32_t collect_after_loss(gpu_domain::health now);
  // To be called after the last give(): finished bursts count, unfinished ones are lost. Returns the number of packets.
  std::uint32_t leave(gpu_domain::health now);
  [[nodiscard]] std::string why_failed() const;

  burst_ring& ring_;
  offload_ring_ref shared_;
  std::unique_ptr<executor> fallback_;
  std::string_view taking_over_{"the CPU goes on from the next"};
  std::shared_ptr<gpu_domain> domain_;
  cycles timeout_;
  cycles most_a_check_;  // that the time between two checks counts for
  cycles unsuspicious_;  // shorter idleness is usual: asking the driver why would hold up launches
  std::vector<std::unique_ptr<burst_observer>> observers_;
  held_packets held_;
  std::uint64_t break_at_;
  std::string trouble_;
  std::atomic<bool> in_trouble_{false};      // trouble_ is set, for good
  std::atomic<bool> wants_watching_{false};  // it has finished nothing for a while
  std::atomic<bool> refused_{false};         // offer() failed
  std::atomic<bool> told_to_end_{false};     // let_go() or end() is called
  // For a domain that works no more: the giving thread must have stopped before its bursts are given up.
  std::atomic<bool> gave_last_{false};
  std::atomic<bool> has_left_{false};
  // Written by the thread that gives, and by the thread that collects.
  alignas(64) std::atomic<std::uint64_t> described_{0};
  alignas(64) std::atomic<std::uint64_t> finished_{0};
  bool has_resumed_{false};  // the CPU has handled packets in the processor's place
  // For the thread that collects, while the processor is seen to finish nothing; else both are 0.
  cycles last_check_{0};
  cycles idle_{0};  // the time that counts against its time-out
};

}  // namespace packetwarp
