// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/cycles.h"
#include "gpu/driver.h"

namespace packetwarp {

// A user of a GPU beside others, which may be the first to see that it has failed.
class gpu_member {
 public:
  gpu_member() = default;
  gpu_member(gpu_member const&) = delete;
  gpu_member& operator=(gpu_member const&) = delete;
  virtual ~gpu_member() = default;
  // Its name and its reason for giving up the GPU: "GPU 0, persistent kernel: no progress for 100 ms". The master calls
  // this once.
  [[nodiscard]] virtual std::string trouble() const = 0;
  // The fate of its packets from then on, at the end of the line that reports the loss.
  [[nodiscard]] virtual std::string_view taking_over() const = 0;
};

// How a GPU was lost. Times are counted from the first sign of the failure.
struct gpu_loss {
  cycles first_sign{0};     // 0: the GPU works
  cycles taken_over{0};     // 0: not yet
  cycles first_packet{0};   // the first packet handled by the CPU instead; 0: none yet
  cycles last_packet{0};    // the same for the executor that was the last to begin
  std::uint64_t bursts{};   // bursts that the GPU had
  std::uint64_t packets{};  // packets of these bursts, dropped as gpu_failed
};

// Whether a copy to or from a GPU's memory was made.
enum class copied : std::uint8_t {
  done,
  lost  // the GPU is lost, for good
};

// The health of one GPU, for all its users: it is lost as a whole. The first sign of failure, seen by any member,
// changes `working` to `losing`: every executor gives no more bursts, hands on finished ones, and drops the rest. When
// all have done so (or `patience` is over), the master tells the modules, in the order in which they joined, and
// changes the state to `lost`: then, and never before, CPU executors take over. No copy is made to or from a GPU that
// does not work.
class gpu_domain {
 public:
  enum class health : std::uint8_t { working, losing, lost };

  // The time that other executors wait for one that does not stop giving, and the time that a run waits for a copy.
  struct patience {
    std::chrono::nanoseconds executors{std::chrono::milliseconds{100}};
    std::chrono::nanoseconds copies{std::chrono::milliseconds{20}};
  };

  // driver: nullptr if no copies are made.
  gpu_domain(int gpu, std::unique_ptr<gpu_driver> driver, patience const& limits);
  explicit gpu_domain(int gpu = 0);
  gpu_domain(gpu_domain const&) = delete;
  gpu_domain& operator=(gpu_domain const&) = delete;
  ~gpu_domain();

  [[nodiscard]] int gpu() const { return gpu_; }
  [[nodiscard]] gpu_driver& driver() { return *driver_; }

  // For set-up. Adds an executor, which outlives every look(), or a module, which is told once.
  void join(gpu_member const& who);
  void on_loss(std::function<void()> tell) { modules_.push_back(std::move(tell)); }
  // From then on copies wait at most for their patience, and return `lost`; before, they throw failure.
  void begin() { is_running_ = true; }

  // Any thread; one load.
  [[nodiscard]] health state() const { return state_.load(std::memory_order_acquire); }
  [[nodiscard]] bool is_working() const { return state() == health::working; }
  // Reports a sign of failure. Only the first counts. Never blocks or allocates.
  void lose(gpu_member const& who);
  // The same for a user that is no executor. For the master.
  void lose(std::string why);
  // For an executor: it gives no more, and none of its bursts is open. bursts: those that the GPU had; packets: the
  // dropped ones.
  void leave(std::uint64_t bursts, std::uint64_t packets);
  // For an executor, once: the CPU has handled packets in the GPU's place.
  void resume();

  // For the master, in each loop iteration. Returns true when CPU executors have just taken over.
  bool look(cycles now);
  // The last look(), when no worker runs any more.
  void finish();
  [[nodiscard]] gpu_loss loss() const;

  // For the master: copies to a GPU's memory and from it. A read that the GPU's loss ends may leave the first part
  // of `into` changed, if `into` is larger than the driver's room.
  [[nodiscard]] copied write(std::byte* to, std::span<std::byte const> from);
  [[nodiscard]] copied read(std::byte const* from, std::span<std::byte> into);

  // For tests of failures: every later copy fails with this reason. Any thread.
  void break_copies(char const* why) { copies_break_.store(why, std::memory_order_relaxed); }

 private:
  // Returns true for the first sign, which `who` has seen.
  bool note_first_sign(gpu_member const* who);
  [[nodiscard]] copied copy(std::byte* to, std::byte const* from, std::size_t bytes, gpu_driver::course way);
  [[nodiscard]] copied await(gpu_driver::course way);
  [[nodiscard]] copied give_up(std::string_view way, std::string const& why);
  void take_over();
  void report();

  int gpu_;
  std::unique_ptr<gpu_driver> driver_;
  patience limits_;
  std::vector<gpu_member const*> members_;
  std::vector<std::function<void()>> modules_;
  std::string why_;  // the reason from a user that is no executor; for the master only
  bool is_running_{false};
  bool is_reported_{false};
  // Read by every executor at every poll, written once.
  alignas(64) std::atomic<health> state_{health::working};
  alignas(64) std::atomic<bool> has_sign_{false};
  std::atomic<gpu_member const*> who_{nullptr};
  std::atomic<cycles> first_sign_{0};
  std::atomic<cycles> taken_over_{0};
  std::atomic<cycles> first_packet_{0};
  std::atomic<cycles> last_packet_{0};
  std::atomic<std::size_t> resumed_{0};
  std::atomic<std::size_t> quiet_{0};
  std::atomic<std::uint64_t> bursts_{0};
  std::atomic<std::uint64_t> packets_{0};
  std::atomic<char const*> copies_break_{nullptr};
};

}  // namespace packetwarp
