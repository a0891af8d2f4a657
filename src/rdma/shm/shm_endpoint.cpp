// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "rdma/shm/shm_endpoint.h"

#include <algorithm>
#include <bit>

#include "rdma/bandwidth/cpu_poster.h"
#include "rdma/engine/counter_names.h"
#include "rdma/network/wait_limit.h"

namespace packetwarp::rdma {
namespace {

constexpr std::uint32_t first_shm_number = 0x100;

// The engine reads sources and queues; a poster that is a kernel reaches pinned ones.
[[nodiscard]] memory_kind kind_near_poster(endpoint_settings const& settings) {
  return settings.posting == initiator::gpu ? memory_kind::pinned : memory_kind::host;
}

}  // namespace

shm_endpoint::shm_endpoint(endpoint_settings const& settings)
    : settings_{settings},
      source_{kind_near_poster(settings), settings.gpu, std::size_t{settings.queues} * settings.area},
      target_{shared_memory::make(std::size_t{settings.queues} * settings.area)} {
  auto const target = target_.bytes();
  local_ = {reinterpret_cast<std::uint64_t>(source_.data()),
            regions_.add(source_.data(), source_.size(), access::local_read)};
  exposed_ = {reinterpret_cast<std::uint64_t>(target.data()),
              regions_.add(target.data(), target.size(), access::remote_write)};
  auto const entries = std::min(std::bit_ceil(2 * settings.posts), most_entries);
  bool const gpu_posts = settings.posting == initiator::gpu;
  for (std::uint32_t n = 0; n < settings.queues; ++n)
    queues_.emplace_back(queue_pair_settings{.size = entries,
                                             .number = first_shm_number + n,
                                             .queue = kind_near_poster(settings),
                                             .cursors = gpu_posts ? memory_kind::device : memory_kind::host,
                                             .gpu = settings.gpu});
  if (!gpu_posts) return;
  gpu_poster_ = std::make_unique<gpu_poster>(settings.gpu, settings.queues);
  gpu_pinger_ = std::make_unique<gpu_pinger>(settings.gpu);
  reached_ = memory_registration{settings.gpu, target.data(), target.size()};
}

shm_endpoint::~shm_endpoint() { shm_endpoint::stop(); }

std::vector<queue_key> shm_endpoint::keys() const {
  std::vector<queue_key> made;
  for (std::uint32_t n = 0; n < settings_.queues; ++n)
    made.push_back({.number = first_shm_number + n,
                    .rkey = exposed_.key,
                    .address = exposed_.address + std::uint64_t{n} * settings_.area,
                    .gid = link_.own_gid()});
  return made;
}

void shm_endpoint::connect(std::span<queue_key const> peers, std::uint32_t /*mtu*/) {
  peer_ = link_.trade(peers.front().gid, own_target(), target_.file());
  mapped_ = {.known = peer_.known, .here = peer_.memory.bytes().data()};
  for (auto const& key : peers) remote_.push_back({key.address, key.rkey});
  watch_.emplace(
      [this] { return std::string{link_.peer_has_ended({}) ? "the peer has ended: its own output says why" : ""}; },
      [this] {
        for (auto const& queue : queues_) queue.end_waits();
      });
}

region shm_endpoint::own_target() const {
  return {.address = exposed_.address,
          .bytes = target_.bytes().size(),
          .key = exposed_.key,
          .rights = access::remote_write};
}

void shm_endpoint::start_engine() {
  if (engine_) return;
  std::vector<queue_parts> parts;
  for (auto const& queue : queues_) parts.push_back(queue.parts());
  engine_.emplace(parts, reachable_memory{regions_.ref(), mapped_});
}

void shm_endpoint::stop() {
  bool const is_given_up = watch_ && !watch_->reason().empty();
  watch_.reset();
  if (engine_) is_given_up ? engine_->abandon() : engine_->stop();
  link_.close();
}

std::vector<post_times> shm_endpoint::post(post_loop const& loop) {
  start_engine();
  std::vector<posted_queue> posted;
  for (std::uint32_t n = 0; n < settings_.queues; ++n)
    posted.push_back({queues_[n].parts(), local_ + std::uint64_t{n} * settings_.area, remote_[n]});
  auto patient = loop;
  patient.limit = wait_limit(std::uint64_t{loop.bytes} * loop.posts * settings_.queues, settings_, completion_wait);
  auto times = gpu_poster_ ? gpu_poster_->post(posted, patient) : post_by_cpu(posted, patient);
  watch_->require_none();
  return times;
}

work_status shm_endpoint::write_first(std::uint32_t bytes) {
  start_engine();
  if (auto const status = await_first(); status != work_status::done) return status;
  auto const queue = queues_.front().ref();
  last_ = queue.reserve(single_thread{}, 1);
  queue.post_write(last_, 0, local_, remote_.front(), bytes);
  queue.commit(single_thread{}, last_);
  return queue.status();
}

work_status shm_endpoint::await_first() {
  auto const queue = queues_.front().ref();
  auto const limit = wait_limit(settings_.area, settings_, completion_wait);
  auto const status = last_.count == 0 ? work_status::done : queue.flush(single_thread{}, last_, limit);
  watch_->require_none();
  if (status == work_status::done) last_ = {};
  return status;
}

work_status shm_endpoint::look_at_first() {
  auto const queue = queues_.front().ref();
  (void)queue.poll();
  watch_->require_none();
  return queue.status();
}

std::optional<ping_times> shm_endpoint::ping(std::uint32_t bytes, std::uint32_t iterations, ping_side side) {
  if (!gpu_pinger_) return {};
  start_engine();
  auto times = gpu_pinger_->ping({.queue = {queues_.front().parts(), local_, remote_.front()},
                                  .told = exposed_.address + bytes - 1,
                                  .bytes = bytes,
                                  .iterations = iterations,
                                  .side = side,
                                  .limit = wait_limit(2 * std::uint64_t{bytes}, settings_, peer_wait)});
  watch_->require_none();
  return times;
}

std::vector<std::pair<std::string, std::uint64_t>> shm_endpoint::counters() const {
  if (!engine_) return {};
  return with_names(engine_->counters());
}

}  // namespace packetwarp::rdma
