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
#include "memory/gpu_domain.h"

namespace packetwarp {

// Gives bursts to a processor that works on them beside the CPU, and takes back what it has finished, in order. When
// that processor's domain is lost, by whatever sign of whatever member, what the executor gave and has not got back is
// dropped as gpu_failed, because its bytes may be half changed, and when all of the domain is quiet another executor
// takes over from the next burst on. Memory of what was dropped so is nobody else's before the processor has ended: it
// may only have been slow, and write yet. Which processor that is, and how it is told, is the derived class's: this one
// touches no GPU.
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

  // Before the first poll.
  void observe_with(std::unique_ptr<burst_observer> observer) { observers_.push_back(std::move(observer)); }
  // Before the first poll, where the fallback is not the CPU with all that the GPU did: taking_over().
  void tell_taking_over(std::string_view what_happens) { taking_over_ = what_happens; }

 protected:
  // fallback: works on the same ring. timeout: how long the processor may finish nothing while it has work.
  offload_executor(burst_ring& ring, offload_ring_ref shared, std::unique_ptr<executor> fallback,
                   std::chrono::nanoseconds timeout, std::shared_ptr<gpu_domain> domain);

  // Hands what is ready to the processor, without waiting for it. False when that did not go.
  [[nodiscard]] virtual bool offer() = 0;
  // See stop().
  [[nodiscard]] virtual end_state end() { return end_state::ended; }
  // What a call of offer() said when it failed.
  [[nodiscard]] virtual std::string refusal() const { return "it takes no more work"; }
  // Why the processor works no more, or nothing. Asked by watch() while it finishes nothing.
  [[nodiscard]] virtual std::string find_trouble() = 0;
  // Before the processor can know of a burst: what its port has written is to be there for it to see.
  virtual void show_received() {}
  // Breaks the processor as it was asked to be broken, to try what happens then; see break_after(). False: it is to be
  // called once more.
  [[nodiscard]] virtual bool cause_fault() { return true; }
  void break_after(std::uint64_t bursts) { break_at_ = bursts; }
  // From here on offers fail.
  void refuse() { refused_.store(true, std::memory_order_release); }
  // Nothing of what the processor has is wanted any more, nor does anybody give. Waits for nothing.
  virtual void let_go() {}
  // What the processor is, in the line that tells of its failure: "GPU 0, persistent kernel".
  [[nodiscard]] virtual std::string what() const = 0;

  // For offer(): published bursts that the processor has not been told of.
  [[nodiscard]] std::uint64_t ready() { return ring_.ready(); }
  // For offer(): describes up to `most` published bursts that the processor has not been told of; says how many.
  std::uint32_t describe_ready(std::uint32_t most);
  // Bursts described, and taken back finished, since the start.
  [[nodiscard]] std::uint64_t described() const { return described_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t finished() const { return finished_.load(std::memory_order_acquire); }
  [[nodiscard]] offload_ring_ref const& shared() const { return shared_; }
  [[nodiscard]] gpu_domain& domain() const { return *domain_; }

 private:
  void describe(burst const& work, std::uint64_t position) const;
  // Takes back what is finished at the ring's end; says how many packets.
  std::uint32_t take_back_finished();
  [[nodiscard]] bool is_done(std::uint64_t position, burst_outcome& outcome) const;
  // The oldest burst that the processor has: finished, or lost with it. Each says how many packets.
  std::uint32_t take_back(burst_outcome outcome);
  std::uint32_t give_up();
  std::uint32_t pass_on(std::uint32_t size, burst_outcome outcome);
  void wait_for_progress();
  // collect() of a domain that works no more.
  std::uint32_t collect_after_loss(gpu_domain::health now);
  // After the last give(): what is finished counts, what is not is lost. Says how many packets.
  std::uint32_t leave(gpu_domain::health now);
  [[nodiscard]] std::string why_failed() const;

  burst_ring& ring_;
  offload_ring_ref shared_;
  std::unique_ptr<executor> fallback_;
  std::string_view taking_over_{"the CPU goes on from the next"};
  std::shared_ptr<gpu_domain> domain_;
  cycles timeout_;
  cycles unsuspicious_;  // finishing nothing for so long is usual: asking the driver why would hold up launches
  std::vector<std::unique_ptr<burst_observer>> observers_;
  held_packets held_;
  std::uint64_t break_at_;
  std::string trouble_;
  std::atomic<bool> in_trouble_{false};      // trouble_ is set, for good
  std::atomic<bool> wants_watching_{false};  // it has finished nothing for a while
  std::atomic<bool> refused_{false};         // offer() failed
  // When the domain works no more: whoever gives must have stopped before what it gave is given up.
  std::atomic<bool> gave_last_{false};
  std::atomic<bool> has_left_{false};
  // Written by who gives, and by who collects.
  alignas(64) std::atomic<std::uint64_t> described_{0};
  alignas(64) std::atomic<std::uint64_t> finished_{0};
  bool has_resumed_{false};  // the CPU has handled packets in the processor's place
  cycles idle_since_{0};     // when it was first seen to finish nothing; 0 while it does
};

}  // namespace packetwarp
