// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "rdma/queue_endpoint.h"

#include <algorithm>
#include <bit>

#include "rdma/bandwidth/cpu_poster.h"
#include "rdma/network/wait_limit.h"

namespace packetwarp::rdma {

queue_endpoint::queue_endpoint(endpoint_settings const& settings, memory_kind source)
    : settings_{settings}, source_{source, settings.gpu, std::size_t{settings.queues} * settings.area} {
  local_ = {reinterpret_cast<std::uint64_t>(source_.data()),
            regions_.add(source_.data(), source_.size(), access::local_read)};
}

void queue_endpoint::expose(std::span<std::byte> targets) {
  exposed_ = {reinterpret_cast<std::uint64_t>(targets.data()),
              regions_.add(targets.data(), targets.size(), access::remote_write)};
}

void queue_endpoint::make_queues(std::uint32_t first, memory_kind queue) {
  auto const entries = std::min(std::bit_ceil(2 * settings_.posts), most_entries);
  bool const gpu_posts = settings_.posting == initiator::gpu;
  for (std::uint32_t n = 0; n < settings_.queues; ++n)
    queues_.emplace_back(queue_pair_settings{.size = entries,
                                             .number = first + n,
                                             .queue = queue,
                                             .cursors = gpu_posts ? memory_kind::device : memory_kind::host,
                                             .gpu = settings_.gpu});
  if (!gpu_posts) return;
  gpu_poster_ = std::make_unique<gpu_poster>(settings_.gpu, settings_.queues);
  gpu_pinger_ = std::make_unique<gpu_pinger>(settings_.gpu);
}

std::vector<post_times> queue_endpoint::post(post_loop const& loop) {
  begin_posting();
  std::vector<posted_queue> all;
  for (std::uint32_t n = 0; n < settings_.queues; ++n) all.push_back(posted(n));
  auto patient = loop;
  patient.limit = wait_limit(std::uint64_t{loop.bytes} * loop.posts * settings_.queues, settings_, completion_wait);
  auto times = gpu_poster_ ? gpu_poster_->post(all, patient) : post_by_cpu(all, patient);
  watch_->require_none();
  return times;
}

work_status queue_endpoint::write_first(std::uint32_t bytes) {
  begin_posting();
  if (auto const status = await_first(); status != work_status::done) return status;
  auto const queue = queues_.front().ref();
  last_ = queue.reserve(single_thread{}, 1);
  queue.post_write(last_, 0, local_, remote_.front(), bytes);
  queue.commit(single_thread{}, last_);
  return queue.status();
}

work_status queue_endpoint::await_first() {
  auto const queue = queues_.front().ref();
  auto const limit = wait_limit(settings_.area, settings_, completion_wait);
  auto const status = last_.count == 0 ? work_status::done : queue.flush(single_thread{}, last_, limit);
  watch_->require_none();
  if (status == work_status::done) last_ = {};
  return status;
}

work_status queue_endpoint::look_at_first() {
  auto const queue = queues_.front().ref();
  (void)queue.poll();
  watch_->require_none();
  return queue.status();
}

std::optional<ping_times> queue_endpoint::ping(std::uint32_t bytes, std::uint32_t iterations, ping_side side) {
  if (!gpu_pinger_) return {};
  begin_posting();
  return gpu_pinger_->ping({.queue = posted(0),
                            .told = exposed_.address + bytes - 1,
                            .bytes = bytes,
                            .iterations = iterations,
                            .side = side,
                            .limit = wait_limit(2 * std::uint64_t{bytes}, settings_, peer_wait)});
}

}  // namespace packetwarp::rdma
