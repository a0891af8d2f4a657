// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "rdma/shm/shm_endpoint.h"

#include <string>

#include "rdma/engine/counter_names.h"

namespace packetwarp::rdma {
namespace {

constexpr std::uint32_t first_shm_number = 0x100;

// The engine reads sources and queues; a poster that is a kernel reaches pinned ones.
[[nodiscard]] memory_kind kind_near_poster(endpoint_settings const& settings) {
  return settings.posting == initiator::gpu ? memory_kind::pinned : memory_kind::host;
}

}  // namespace

shm_endpoint::shm_endpoint(endpoint_settings const& settings)
    : queue_endpoint{settings, kind_near_poster(settings)},
      target_{shared_memory::make(std::size_t{settings.queues} * settings.area)} {
  auto const target = target_.bytes();
  expose(target);
  make_queues(first_shm_number, kind_near_poster(settings));
  if (settings.posting == initiator::gpu) reached_ = memory_registration{settings.gpu, target.data(), target.size()};
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
      [this] { end_waits(); });
}

region shm_endpoint::own_target() const {
  return {.address = exposed_.address,
          .bytes = target_.bytes().size(),
          .key = exposed_.key,
          .rights = access::remote_write};
}

void shm_endpoint::begin_posting() {
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

std::optional<ping_times> shm_endpoint::ping(std::uint32_t bytes, std::uint32_t iterations, ping_side side) {
  auto times = queue_endpoint::ping(bytes, iterations, side);
  if (times) watch_->require_none();
  return times;
}

std::vector<std::pair<std::string, std::uint64_t>> shm_endpoint::counters() const {
  if (!engine_) return {};
  return with_names(engine_->counters());
}

}  // namespace packetwarp::rdma
