// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/cycles.h"
#include "port/port.h"

namespace packetwarp {

// Packets that wait for one TX queue, in order. The room is fixed.
class waiting_line {
 public:
  explicit waiting_line(std::uint32_t room) : packets_(room) {}
  [[nodiscard]] std::uint32_t size() const { return end_ - begin_; }
  [[nodiscard]] std::uint32_t room() const { return static_cast<std::uint32_t>(packets_.size()) - size(); }
  [[nodiscard]] std::span<rte_mbuf*> all() { return std::span{packets_}.subspan(begin_, size()); }
  // No more packets than there is room() for.
  void add(std::span<rte_mbuf* const> packets);
  void remove_front(std::uint32_t packets) { begin_ += packets; }
  void clear() { begin_ = end_ = 0; }

 private:
  std::vector<rte_mbuf*> packets_;
  std::uint32_t begin_{0};
  std::uint32_t end_{0};
};

// How long a full egress may keep the bursts of its pipeline waiting: a time in a row and a 128th of all time, so that
// the packets for other egresses lose no more than that. An egress that is full all the time has spent it for good.
class hold_allowance {
 public:
  static constexpr cycles share = 128;

  explicit hold_allowance(cycles most) : most_{most}, left_{most} {}
  // The egress has no room for a burst at this moment. Returns whether it may keep it waiting.
  [[nodiscard]] bool spend(cycles now) {
    auto const passed = now > last_ ? now - last_ : 0;
    last_ = now;
    if (is_holding_) {
      left_ -= std::min(left_, passed);
    } else if (left_ != 0) {
      left_ = std::min(most_, left_ + passed / share);
    } else if (passed / share >= most_) {
      left_ = most_;
    }
    is_holding_ = left_ != 0;
    return is_holding_;
  }
  // The egress keeps no burst waiting any more.
  void rest(cycles now) {
    if (is_holding_) (void)spend(now);
    is_holding_ = false;
  }
  [[nodiscard]] bool is_holding() const { return is_holding_; }

 private:
  cycles most_;
  cycles left_;
  cycles last_{0};
  bool is_holding_{false};
};

// A TX queue of a pipeline, and the packets that wait for room in it. For a single thread.
class egress {
 public:
  // A stuck egress tries a packet so often, or once per time-out where that is shorter.
  static constexpr std::chrono::nanoseconds longest_between_probes{std::chrono::milliseconds{1}};
  // Bursts that may wait in an egress of a pipeline.
  static constexpr std::uint32_t waiting_bursts = 2;
  // Packets of send_first() that may wait.
  static constexpr std::uint32_t first_room = 64;

  // longest_chain: port::longest_chain() of its port. capacity: packets that may wait.
  egress(tx_queue queue, std::uint32_t longest_chain, std::uint32_t capacity, cycles timeout);

  [[nodiscard]] std::uint32_t waiting() const { return waiting_.size(); }
  [[nodiscard]] std::uint32_t room() const { return waiting_.room(); }
  [[nodiscard]] bool has_room_for(std::uint32_t packets) const { return packets <= room(); }
  [[nodiscard]] bool takes(rte_mbuf const& packet) const {
    return packet.nb_segs == 1 || packet.pkt_len <= longest_chain_;
  }
  // Nothing waits, and the port took the last packets: send() goes straight to the port.
  [[nodiscard]] bool is_clear() const { return state_ == state::clear; }
  // The port took nothing for the time-out: give_up() was called, and no probe() has been taken since.
  [[nodiscard]] bool is_given_up() const { return state_ == state::given_up; }

  // Sends what the port takes and keeps the rest waiting: has_room_for() them, and is not given up. Returns how many
  // packets left at once.
  std::uint32_t send(std::span<rte_mbuf*> packets, cycles now);
  // Sends a packet before all that wait by send(); it may wait itself, after few like it. A refused packet is the
  // caller's still.
  enum class fate : std::uint8_t { sent, waits, refused };
  [[nodiscard]] fate send_first(rte_mbuf* packet, cycles now);
  // The same, without waiting: says whether it left. A packet that did not is the caller's still.
  [[nodiscard]] bool send_at_once(rte_mbuf* packet) { return is_clear() && queue_.send({&packet, 1}) == 1; }
  // Packets of send_first() that wait.
  [[nodiscard]] std::span<rte_mbuf*> first_in_line() { return first_.all(); }
  // Tries them again, before flush(); says how many left.
  std::uint32_t flush_first(cycles now);
  // Gives them up: they are the caller's.
  [[nodiscard]] std::span<rte_mbuf*> take_first();
  // Tries the waiting packets of send() again; says how many left.
  std::uint32_t flush(cycles now);
  [[nodiscard]] bool is_waiting() const { return state_ == state::waiting; }
  // The port has taken nothing for the time-out while packets waited.
  [[nodiscard]] bool is_stuck(cycles now) const { return is_waiting() && now - last_progress_ >= timeout_; }
  // Gives up the waiting packets of send(), which the caller then owns; the egress is clear if no others wait.
  [[nodiscard]] std::span<rte_mbuf*> take_waiting();
  // The same of a stuck egress, after take_first(). From then on its packets are the caller's to drop, until a probe is
  // taken.
  [[nodiscard]] std::span<rte_mbuf*> give_up(cycles now);
  // For an egress that is given up: whether its port may be asked again.
  [[nodiscard]] bool is_probe_due(cycles now) const { return now >= next_probe_; }
  // For an egress that is given up: tries the packets. Returns how many left; with none the packets are the caller's
  // still, else the egress has recovered and keeps the rest waiting.
  [[nodiscard]] std::uint32_t probe(std::span<rte_mbuf*> packets, cycles now);

  [[nodiscard]] port_id port() const { return queue_.port(); }
  // The port is taken away: as give_up(), and no probe is due any more.
  [[nodiscard]] std::span<rte_mbuf*> leave(cycles now);
  // The port that was left is started again, and serves.
  void rejoin() {
    if (is_given_up()) state_ = state::clear;
  }

  // For how long it may hold up bursts while it is full: the time-out unless it is told otherwise.
  [[nodiscard]] hold_allowance& allowance() { return allowance_; }
  void hold_up_for_ever() { allowance_ = hold_allowance{std::numeric_limits<cycles>::max() / 2}; }

 private:
  enum class state : std::uint8_t { clear, waiting, given_up };
  void keep(waiting_line& in, std::span<rte_mbuf* const> packets, cycles now);
  [[nodiscard]] std::uint32_t flush(waiting_line& line, cycles now);
  void plan_probe(cycles now) { next_probe_ = now + std::min(timeout_, to_cycles(longest_between_probes)); }

  tx_queue queue_;
  state state_{state::clear};
  std::uint32_t longest_chain_;
  cycles timeout_;
  cycles last_progress_{0};
  cycles next_probe_{0};
  waiting_line first_{first_room};
  waiting_line waiting_;
  hold_allowance allowance_;
};

}  // namespace packetwarp
