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
#include "port/chain_limit.h"
#include "port/frame_limit.h"
#include "port/port_queues.h"

namespace packetwarp {

// Packets that wait for one TX queue, in order. The room is fixed.
class waiting_line {
 public:
  explicit waiting_line(std::uint32_t room) : packets_(room) {}
  [[nodiscard]] std::uint32_t size() const { return end_ - begin_; }
  [[nodiscard]] std::uint32_t room() const { return static_cast<std::uint32_t>(packets_.size()) - size(); }
  [[nodiscard]] std::span<rte_mbuf*> all() { return std::span{packets_}.subspan(begin_, size()); }
  // At most room() packets.
  void add(std::span<rte_mbuf* const> packets);
  void remove_front(std::uint32_t packets) { begin_ += packets; }
  void clear() { begin_ = end_ = 0; }

 private:
  std::vector<rte_mbuf*> packets_;
  std::uint32_t begin_{0};
  std::uint32_t end_{0};
};

// How long a full egress may keep the bursts of its pipeline waiting: a fixed time without interruption and a 128th
// of all time, so that packets for other egresses lose no more than that. An egress that is always full uses up its
// allowance and never gets it back.
class hold_allowance {
 public:
  static constexpr cycles share = 128;

  explicit hold_allowance(cycles most) : most_{most}, left_{most} {}
  // Called when the egress has no room for a burst. Returns whether the burst may wait.
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
  // Called when the egress keeps no burst waiting.
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

// The time for which a queue was shut (tx_queue::is_shut()), as far as its checks tell, and `most` at most.
class shut_time {
 public:
  explicit shut_time(cycles most) : most_{most} {}
  void check(tx_queue const& queue, cycles now) {
    if (since_ != 0) total_ += now - since_;
    since_ = queue.is_shut() ? now : 0;
  }
  void reset() { total_ = since_ = 0; }
  [[nodiscard]] cycles total() const { return std::min(total_, most_); }

 private:
  cycles most_;
  cycles total_{0};
  cycles since_{0};  // the last check, if the queue was shut
};

// A TX queue of a pipeline, and the packets that wait for room in it. For a single thread.
class egress {
 public:
  // The longest time between two probes of a stuck egress; a shorter time-out takes its place.
  static constexpr std::chrono::nanoseconds longest_between_probes{std::chrono::milliseconds{1}};
  static constexpr std::chrono::nanoseconds longest_shut{std::chrono::seconds{2}};
  // The bursts that may wait in an egress of a pipeline.
  static constexpr std::uint32_t waiting_bursts = 2;
  // The packets of send_first() that may wait.
  static constexpr std::uint32_t first_room = 64;
  // The packets of one send_at_once(), for callers that collect some.
  static constexpr std::uint32_t copies_at_once = 32;

  // longest_chain: port::longest_chain() of the queue's port. capacity: packets that may wait.
  egress(tx_queue queue, chain_limit longest_chain, std::uint32_t capacity, cycles timeout);

  [[nodiscard]] std::uint32_t waiting() const { return waiting_.size(); }
  [[nodiscard]] std::uint32_t room() const { return waiting_.room(); }
  [[nodiscard]] bool has_room_for(std::uint32_t packets) const { return packets <= room(); }
  // Whether the port sends the packet whole, once `pushed` bytes are in front of it; is_too_long() apart.
  [[nodiscard]] bool takes_mbufs(rte_mbuf const& packet, int pushed = 0) const {
    auto const bytes = static_cast<std::uint32_t>(static_cast<int>(packet.pkt_len) + pushed);
    if (packet.nb_segs == 1) return bytes <= longest_chain_.single;
    return bytes <= longest_chain_.bytes && packet.nb_segs <= longest_chain_.segments;
  }
  // Whether the port's kernel interface would not take the packet, once `pushed` bytes are in front of it.
  [[nodiscard]] bool is_too_long(rte_mbuf const& packet, int pushed = 0) const {
    return longest_chain_.frames != nullptr && !longest_chain_.frames->allows(packet, pushed);
  }
  [[nodiscard]] bool takes(rte_mbuf const& packet) const { return takes_mbufs(packet) && !is_too_long(packet); }
  // Whether some packet of one mbuf is refused.
  [[nodiscard]] bool limits_lengths() const {
    return longest_chain_.single != any_length || longest_chain_.frames != nullptr;
  }
  // No packet waits, and the port accepted the last packets: send() goes straight to the port.
  [[nodiscard]] bool is_clear() const { return state_ == state::clear; }
  // The port accepted no packet for the time-out: give_up() was called, and no probe() has succeeded since.
  [[nodiscard]] bool is_given_up() const { return state_ == state::given_up; }

  // Sends the packets that the port accepts and keeps the rest waiting. Requires has_room_for() them and an egress that
  // is not given up. Returns how many packets left at once.
  std::uint32_t send(std::span<rte_mbuf*> packets, cycles now);
  // Sends a packet before all packets that wait by send(). The packet may have to wait, after the few that wait by
  // send_first(). The caller still owns a refused packet.
  enum class fate : std::uint8_t { sent, waits, refused };
  [[nodiscard]] fate send_first(rte_mbuf* packet, cycles now);
  // Sends a packet now or not at all; returns whether it left. The caller still owns a packet that did not.
  [[nodiscard]] bool send_at_once(rte_mbuf* packet) { return is_clear() && queue_.send({&packet, 1}) == 1; }
  // Sends packets now or not at all; returns how many left. The caller still owns the rest.
  [[nodiscard]] std::uint32_t send_at_once(std::span<rte_mbuf*> packets) {
    return is_clear() ? queue_.send(packets) : std::uint32_t{0};
  }
  // The packets of send_first() that wait.
  [[nodiscard]] std::span<rte_mbuf*> first_in_line() { return first_.all(); }
  // Tries the waiting packets of send_first() again, before flush(); returns how many left.
  std::uint32_t flush_first(cycles now);
  // Gives up the waiting packets of send_first(), which the caller then owns.
  [[nodiscard]] std::span<rte_mbuf*> take_first();
  // Tries the waiting packets of send() again; returns how many left.
  std::uint32_t flush(cycles now);
  [[nodiscard]] bool is_waiting() const { return state_ == state::waiting; }
  // The port has accepted no packet for the time-out while packets waited. The time for which its queue was shut does
  // not count, up to longest_shut: it says nothing about the port, and is as long as the interrupt thread waits for a
  // CPU.
  [[nodiscard]] bool is_stuck(cycles now) const {
    return is_waiting() && now - last_progress_ >= timeout_ + shut_.total();
  }
  // Gives up the waiting packets of send(), which the caller then owns; the egress is clear if no others wait.
  [[nodiscard]] std::span<rte_mbuf*> take_waiting();
  // Does the same for a stuck egress, after take_first(). From then on the caller drops the packets for this egress,
  // until a probe succeeds.
  [[nodiscard]] std::span<rte_mbuf*> give_up(cycles now);
  // For an egress that is given up: whether the next probe of its port is due.
  [[nodiscard]] bool is_probe_due(cycles now) const { return now >= next_probe_; }
  // For an egress that is given up: tries the packets. Returns how many left. If none left, the caller still owns the
  // packets; otherwise the egress has recovered and keeps the rest waiting.
  [[nodiscard]] std::uint32_t probe(std::span<rte_mbuf*> packets, cycles now);

  [[nodiscard]] port_id port() const { return queue_.port(); }
  // The port goes out of service: as give_up(), and no probe is due from then on.
  [[nodiscard]] std::span<rte_mbuf*> leave(cycles now);
  // The port is back in service.
  void rejoin() {
    if (is_given_up()) state_ = state::clear;
  }

  // The time for which a full egress may hold up bursts: the time-out, unless it is set otherwise.
  [[nodiscard]] hold_allowance& allowance() { return allowance_; }
  void hold_up_for_ever() { allowance_ = hold_allowance{std::numeric_limits<cycles>::max() / 2}; }

 private:
  enum class state : std::uint8_t { clear, waiting, given_up };
  void note_progress(cycles now) {
    last_progress_ = now;
    shut_.reset();
  }
  void keep(waiting_line& in, std::span<rte_mbuf* const> packets, cycles now);
  [[nodiscard]] std::uint32_t flush(waiting_line& line, cycles now);
  void plan_probe(cycles now) { next_probe_ = now + std::min(timeout_, to_cycles(longest_between_probes)); }

  tx_queue queue_;
  state state_{state::clear};
  chain_limit longest_chain_;
  cycles timeout_;
  cycles last_progress_{0};
  shut_time shut_;  // since then
  cycles next_probe_{0};
  waiting_line first_{first_room};
  waiting_line waiting_;
  hold_allowance allowance_;
};

}  // namespace packetwarp
