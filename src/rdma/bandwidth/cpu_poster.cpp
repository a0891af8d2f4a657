// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "rdma/bandwidth/cpu_poster.h"

#include <algorithm>
#include <limits>

#include "base/process/stop.h"

namespace packetwarp::rdma {
namespace {

class cpu_queue {
 public:
  cpu_queue(posted_queue const& queue, post_loop const& loop) : queue_{queue}, loop_{loop}, ref_{queue.parts} {
    times_.began = detail::now_ns();
    times_.shortest = std::numeric_limits<double>::max();
  }

  void post() {
    began_ = detail::now_ns();
    slots_ = ref_.reserve(single_thread{}, loop_.posts, queue_use::one_group, loop_.limit);
    auto const before = loop_.cycle == 0 ? 0 : written_;
    written_ += slots_.count;
    for (std::uint32_t i = 0; i < slots_.count; ++i) {
      auto const at = loop_.offset_of(before + i);
      ref_.post_write(slots_, i, queue_.local + at, queue_.remote + at, loop_.bytes);
    }
    auto const posted = detail::now_ns();
    ref_.commit(single_thread{}, slots_, loop_.commit);
    committed_ = detail::now_ns();
    times_.post += static_cast<double>(posted - began_);
    times_.commit += static_cast<double>(committed_ - posted);
  }

  // False after an error.
  [[nodiscard]] bool flush() {
    auto const began = detail::now_ns();
    times_.status = slots_.count == 0 ? ref_.status() : ref_.flush(single_thread{}, slots_, loop_.limit, loop_.flush);
    times_.ended = detail::now_ns();
    times_.flush += static_cast<double>(times_.ended - began);
    if (times_.status != work_status::done || slots_.count == 0) return false;
    times_.shortest = std::min(times_.shortest, static_cast<double>(times_.ended - began_));
    ++times_.iterations;
    return true;
  }
  [[nodiscard]] post_times const& times() const { return times_; }

 private:
  posted_queue queue_;
  post_loop loop_;
  queue_pair_ref ref_;
  reservation slots_{};
  std::uint64_t written_{};  // writes of all iterations
  std::uint64_t began_{};
  std::uint64_t committed_{};
  post_times times_;
};

}  // namespace

std::vector<post_times> post_by_cpu(std::span<posted_queue const> queues, post_loop const& loop) {
  std::vector<cpu_queue> all;
  all.reserve(queues.size());
  for (auto const& queue : queues) all.emplace_back(queue, loop);
  bool goes_well = true;
  for (std::uint32_t n = 0; n < loop.iterations && goes_well && stop_requested() == stop_request::none; ++n) {
    for (auto& queue : all) queue.post();
    for (auto& queue : all) goes_well = queue.flush() && goes_well;
  }
  std::vector<post_times> times;
  times.reserve(all.size());
  for (auto const& queue : all) times.push_back(queue.times());
  return times;
}

}  // namespace packetwarp::rdma
