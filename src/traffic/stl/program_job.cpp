// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "traffic/stl/program_job.h"

namespace packetwarp::traffic::stl {

program_job::program_job(std::string name, program const& sent, timeline times, tx_queue queue, packet_pool const& pool,
                         sending_limits const& limits)
    : generator{std::move(name), queue, pool, limits, pacer{rate{}, 0, 1}}, times_{std::move(times)} {
  for (auto const& one : sent.streams) makers_.emplace_back(one);
  spare_.resize(limits.burst);
}

program_job::~program_job() {
  if (spares_ != 0) rte_pktmbuf_free_bulk(spare_.data(), spares_);
}

std::uint32_t program_job::poll(tick const& t) {
  if (finished_.load(std::memory_order_relaxed)) return 0;
  if (!has_begun(t)) return 0;
  if (t.phase == run_phase::abandoning) drop_waiting();
  if (waiting() == 0 && wants_more_of_program(t)) make_packets(t.now);
  auto const taken = waiting() == 0 ? 0 : send_waiting(t.now);
  if (!wants_more_of_program(t)) conclude(t);
  return taken;
}

void program_job::make_packets(cycles now) {
  times_.let_pass(now);
  begin_ = end_ = 0;
  // Dummies count, too: without a bound they could take every iteration.
  for (std::uint32_t turns = 0; turns < limits_.burst && times_.is_due(); ++turns) {
    if (is_beyond(made_)) break;
    if (times_.is_dummy()) {
      times_.advance();
      continue;
    }
    if (!has_spares()) break;
    write_one();
  }
  if (end_ == 0) return;
  if (!deliver(end_)) {
    drop_waiting();
    has_lost_gpu_ = true;
    stop();
    return;
  }
  last_progress_ = now;
}

// Due packets show one by one, but the pool gives packets burst by burst.
bool program_job::has_spares() {
  if (spares_ != 0) return true;
  if (rte_pktmbuf_alloc_bulk(pool_, spare_.data(), limits_.burst) != 0) {
    counters_.no_mbuf.add(1);
    return false;
  }
  spares_ = limits_.burst;
  return true;
}

void program_job::write_one() {
  auto const [stream, index] = times_.front();
  auto const& maker = makers_[stream];
  rte_mbuf* const packet = packets_[end_] = spare_[--spares_];
  packet->data_len = lengths_[end_] = maker.length(index);
  packet->pkt_len = packet->data_len;
  maker.write(index, 0, room_for(end_));
  times_.advance();
  ++made_;
  ++end_;
}

}  // namespace packetwarp::traffic::stl
