// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "traffic/generator_job.h"

namespace packetwarp::traffic {

generator::generator(std::string name, tx_queue queue, packet_pool const& pool, sending_limits const& limits,
                     pacer const& pace)
    : name_{std::move(name)},
      queue_{queue},
      pool_{&pool.get()},
      limits_{limits},
      pace_{pace},
      packets_(limits.burst),
      lengths_(limits.burst) {
  auto const& in = pool.config();
  if (in.gpu >= 0) shuttle_ = std::make_unique<packet_shuttle>(in.gpu, limits.burst, in.data_room);
}

generator::~generator() { drop_waiting(); }

bool generator::has_begun(tick const& t) {
  if (began_ != 0) return true;
  bool const is_wanted = t.phase == run_phase::running && !stop_.load(std::memory_order_relaxed);
  if (is_wanted && line_ != nullptr && !line_->is_clear()) return false;
  began_ = last_progress_ = t.now;
  return true;
}

bool generator::wants_more(tick const& t) const {
  if (t.phase != run_phase::running || stop_.load(std::memory_order_relaxed)) return false;
  if (is_beyond(made_)) return false;
  return limits_.duration == 0 || t.now < began_ + limits_.duration;
}

std::uint32_t generator::send_waiting(cycles now) {
  auto const offered = waiting();
  auto taken = queue_.send(std::span{packets_}.subspan(begin_, offered));
  if (taken < offered) counters_.tx_full.add(1);
  if (taken < offered && limits_.full == when_full::drop) {
    rte_pktmbuf_free_bulk(packets_.data() + begin_ + taken, offered - taken);
    taken = static_cast<std::uint16_t>(offered);
  }
  if (taken == 0) return 0;
  std::uint64_t bytes = 0;
  for (std::uint32_t i = begin_; i < begin_ + taken; ++i) bytes += lengths_[i];
  begin_ += taken;
  last_progress_ = now;
  counters_.packets.add(taken);
  counters_.bytes.add(bytes);
  if (counters_.first_sent.read() == 0) counters_.first_sent.set(now);
  counters_.last_sent.set(now);
  return taken;
}

bool generator::deliver(std::uint32_t packets) {
  if (!shuttle_) return true;
  for (std::uint32_t i = 0; i < packets; ++i) {
    shuttle_->note(i, 0, rte_pktmbuf_mtod(packets_[i], std::byte*), packets_[i]->data_len);
  }
  return shuttle_->to_gpu();
}

void generator::conclude(tick const& t) {
  if (t.now > last_progress_ && t.now - last_progress_ >= to_cycles(patience)) drop_waiting();
  if (waiting() == 0) finished_.store(true, std::memory_order_release);
}

void generator::drop_waiting() {
  if (waiting() != 0) rte_pktmbuf_free_bulk(packets_.data() + begin_, waiting());
  begin_ = end_ = 0;
}

}  // namespace packetwarp::traffic
