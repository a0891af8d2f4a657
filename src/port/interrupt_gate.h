// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "base/ids.h"
#include "memory/standing_interrupt.h"

namespace packetwarp {

// The passage of one queue's thread into a driver. The thread calls enter() before a burst and leave() after it.
class alignas(64) queue_pass {
 public:
  explicit queue_pass(std::atomic<bool> const& shut) : shut_{&shut} {}

  // False: the driver must not be called now. The call never blocks. Both sides store and then load, so each order is
  // sequentially consistent: either the thread sees the gate shut, or the gate sees the thread inside.
  [[nodiscard]] bool enter() {
    inside_.store(true, std::memory_order_seq_cst);
    if (!shut_->load(std::memory_order_seq_cst)) return true;
    leave();
    return false;
  }
  void leave() { inside_.store(false, std::memory_order_release); }
  // Whether enter() would be refused now.
  [[nodiscard]] bool is_shut() const { return shut_->load(std::memory_order_relaxed); }
  [[nodiscard]] bool is_inside() const { return inside_.load(std::memory_order_seq_cst); }

 private:
  std::atomic<bool> const* shut_;
  std::atomic<bool> inside_{false};
};

// Keeps the EAL's interrupt thread and the threads of queues from being in a driver at the same time.
//
// net_memif needs this. When its peer leaves, memif_disconnect() of the driver runs on the interrupt thread and unmaps
// the rings that a thread of a queue may be reading (memif_free_regions()): a segmentation fault. When the port is
// stopped meanwhile, the stopping thread runs the same function, and both free the same memory.
//
// The gate is a callback that is always due. The interrupt thread waits in it while the threads of queues are admitted,
// and leaves it once per period for one round of the drivers' callbacks; meanwhile no thread of a queue is admitted.
// All callbacks of the process are thus delayed by up to a period. The EAL has one interrupt thread per process, so all
// ports that need the gate share one.
class interrupt_gate {
 public:
  // Throws failure.
  interrupt_gate();
  interrupt_gate(interrupt_gate const&) = delete;
  interrupt_gate& operator=(interrupt_gate const&) = delete;
  // No thread uses a pass any more.
  ~interrupt_gate();

  // The gate of the process, which lives as long as a caller has it. For the master.
  [[nodiscard]] static std::shared_ptr<interrupt_gate> of_process();

  // While the lock exists, the interrupt thread is in no driver. For the master.
  [[nodiscard]] std::unique_lock<std::mutex> hold();

  // The passes of a port stay valid until forget().
  void add(port_id port, std::deque<queue_pass> const& passes);
  // Called while the caller has the lock of hold().
  void forget(port_id port);
  [[nodiscard]] std::atomic<bool> const& shut() const { return shut_; }

 private:
  struct gated_port {
    port_id id;
    std::deque<queue_pass> const* passes;
  };
  void wait_here();
  [[nodiscard]] bool all_are_connected() const;

  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_here_{false};  // the interrupt thread is in wait_here()
  bool ends_{false};
  std::atomic<bool> shut_{true};
  std::vector<gated_port> ports_;
  std::optional<standing_interrupt> standing_;
};

// The passes of all queues of a port that needs the gate of the process.
class gated_queues {
 public:
  // Throws failure.
  gated_queues(port_id port, std::uint16_t rx_queues, std::uint16_t tx_queues)
      : port_{port}, rx_queues_{rx_queues}, gate_{interrupt_gate::of_process()} {
    for (unsigned n = 0; n < rx_queues + 0U + tx_queues; ++n) passes_.emplace_back(gate_->shut());
    gate_->add(port_, passes_);
  }
  [[nodiscard]] queue_pass* rx(queue_id queue) { return &passes_[queue.value()]; }
  [[nodiscard]] queue_pass* tx(queue_id queue) { return &passes_[rx_queues_ + queue.value()]; }
  [[nodiscard]] std::unique_lock<std::mutex> hold() { return gate_->hold(); }
  void forget() { gate_->forget(port_); }

 private:
  port_id port_;
  std::size_t rx_queues_;
  std::shared_ptr<interrupt_gate> gate_;
  std::deque<queue_pass> passes_;
};

// Throws failure.
[[nodiscard]] inline std::unique_ptr<gated_queues> gate_queues(port_id port, std::uint16_t rx, std::uint16_t tx) {
  return std::make_unique<gated_queues>(port, rx, tx);
}

}  // namespace packetwarp
