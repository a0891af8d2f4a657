// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "topology/egress.h"

namespace packetwarp {

void waiting_line::add(std::span<rte_mbuf* const> packets) {
  if (end_ + packets.size() > packets_.size()) {
    std::copy(packets_.begin() + begin_, packets_.begin() + end_, packets_.begin());
    end_ -= begin_;
    begin_ = 0;
  }
  std::copy(packets.begin(), packets.end(), packets_.begin() + end_);
  end_ += static_cast<std::uint32_t>(packets.size());
}

egress::egress(tx_queue queue, std::uint32_t longest_chain, std::uint32_t capacity, cycles timeout)
    : queue_{queue}, longest_chain_{longest_chain}, timeout_{timeout}, waiting_{capacity}, allowance_{timeout} {}

std::uint32_t egress::send(std::span<rte_mbuf*> packets, cycles now) {
  // Behind waiting packets there is no overtaking.
  if (!is_clear()) {
    waiting_.add(packets);
    return 0;
  }
  auto const taken = queue_.send(packets);
  if (taken < packets.size()) keep(packets.subspan(taken), now);
  return taken;
}

std::uint32_t egress::flush(cycles now) {
  if (waiting() == 0) return 0;
  auto const taken = queue_.send(waiting_.all());
  waiting_.remove_front(taken);
  if (taken != 0) last_progress_ = now;
  if (waiting() == 0) state_ = state::clear;
  return taken;
}

std::span<rte_mbuf*> egress::take_waiting() {
  auto const all = waiting_.all();
  waiting_.clear();
  state_ = state::clear;
  return all;
}

std::span<rte_mbuf*> egress::give_up(cycles now) {
  auto const all = take_waiting();
  state_ = state::given_up;
  plan_probe(now);
  return all;
}

std::uint32_t egress::probe(std::span<rte_mbuf*> packets, cycles now) {
  auto const taken = queue_.send(packets);
  if (taken == 0) {
    plan_probe(now);
    return 0;
  }
  state_ = state::clear;
  if (taken < packets.size()) keep(packets.subspan(taken), now);
  return taken;
}

void egress::keep(std::span<rte_mbuf*> packets, cycles now) {
  last_progress_ = now;
  state_ = state::waiting;
  waiting_.add(packets);
}

}  // namespace packetwarp
