// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "egress/egress.h"

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

egress::egress(tx_queue queue, chain_limit longest_chain, std::uint32_t capacity, cycles timeout)
    : queue_{queue},
      longest_chain_{longest_chain},
      timeout_{timeout},
      shut_{to_cycles(longest_shut)},
      waiting_{capacity},
      allowance_{timeout} {}

std::uint32_t egress::send(std::span<rte_mbuf*> packets, cycles now) {
  // No packet overtakes the waiting ones.
  if (!is_clear()) {
    waiting_.add(packets);
    return 0;
  }
  auto const taken = queue_.send(packets);
  if (taken < packets.size()) keep(waiting_, packets.subspan(taken), now);
  return taken;
}

egress::fate egress::send_first(rte_mbuf* packet, cycles now) {
  if (is_given_up()) {
    bool const is_taken = is_probe_due(now) && probe({&packet, 1}, now) == 1;
    return is_taken ? fate::sent : fate::refused;
  }
  if (is_clear() && queue_.send({&packet, 1}) == 1) return fate::sent;
  if (first_.room() == 0) return fate::refused;
  if (is_clear()) {
    keep(first_, {&packet, 1}, now);
  } else {
    first_.add({&packet, 1});
  }
  return fate::waits;
}

std::uint32_t egress::flush_first(cycles now) { return flush(first_, now); }

std::uint32_t egress::flush(cycles now) { return first_.size() == 0 ? flush(waiting_, now) : 0; }

std::uint32_t egress::flush(waiting_line& line, cycles now) {
  if (line.size() == 0) return 0;
  auto const taken = queue_.send(line.all());
  line.remove_front(taken);
  shut_.check(queue_, now);
  if (taken != 0) note_progress(now);
  if (first_.size() + waiting_.size() == 0) state_ = state::clear;
  return taken;
}

std::span<rte_mbuf*> egress::take_first() {
  auto const all = first_.all();
  first_.clear();
  if (is_waiting() && waiting() == 0) state_ = state::clear;
  return all;
}

std::span<rte_mbuf*> egress::take_waiting() {
  auto const all = waiting_.all();
  waiting_.clear();
  if (is_waiting() && first_.size() == 0) state_ = state::clear;
  return all;
}

std::span<rte_mbuf*> egress::give_up(cycles now) {
  auto const all = take_waiting();
  state_ = state::given_up;
  plan_probe(now);
  return all;
}

std::span<rte_mbuf*> egress::leave(cycles now) {
  allowance_.rest(now);
  auto const all = give_up(now);
  next_probe_ = std::numeric_limits<cycles>::max();
  return all;
}

std::uint32_t egress::probe(std::span<rte_mbuf*> packets, cycles now) {
  auto const taken = queue_.send(packets);
  if (taken == 0) {
    plan_probe(now);
    return 0;
  }
  state_ = state::clear;
  if (taken < packets.size()) keep(waiting_, packets.subspan(taken), now);
  return taken;
}

void egress::keep(waiting_line& in, std::span<rte_mbuf* const> packets, cycles now) {
  note_progress(now);
  shut_.check(queue_, now);
  state_ = state::waiting;
  in.add(packets);
}

}  // namespace packetwarp
