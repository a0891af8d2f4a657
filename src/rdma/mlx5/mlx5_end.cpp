// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "rdma/mlx5/mlx5_end.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <utility>

#include "base/error.h"
#include "rdma/bandwidth/cpu_poster.h"

namespace packetwarp::rdma {
namespace {

constexpr std::size_t word_stride = 64;  // the proxy's words lie in lines of their own

[[nodiscard]] bool uses_gpu(endpoint_settings const& settings) {
  return settings.posting == initiator::gpu || settings.payload == memory_kind::device;
}

}  // namespace

mlx5_end::mlx5_end(endpoint_settings const& settings, verbs_settings const& on, mlx5_machine machine)
    : settings_{settings}, machine_{std::move(machine)} {
  open(on);
  source_ = make_payload(IBV_ACCESS_LOCAL_WRITE);
  target_ = make_payload(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
  make_queues();
  choose_doorbells();
}

mlx5_end::~mlx5_end() { mlx5_end::stop(); }

void mlx5_end::open(verbs_settings const& on) {
  // The GPU opens after the device is known to be one that serves, and before memory is pinned for it.
  device_.emplace(machine_.verbs, on, settings_.mtu, [&](ibv_device* device, std::string const& name) {
    if (!machine_.mlx5->is_supported(device))
      throw usage_error(
          fmt::format("rdma: {} is no mlx5 device, which --transport mlx5 needs: give --transport verbs", name));
    if (uses_gpu(settings_)) gpu_ = machine_.make_gpu();
    bool const gpu_posts = settings_.posting == initiator::gpu;
    memory_.emplace(gpu_posts ? gpu_->queue_kind() : memory_kind::host, settings_.gpu);
  });
  auto allocators = memory_->allocators();
  if (auto const error = machine_.mlx5->set_allocators(device_->context(), &allocators); error != 0)
    throw call_failed("mlx5dv_set_context_attr", device_->name(), error < 0 ? errno : error,
                      "install a newer rdma-core");
}

std::optional<payload_memory> mlx5_end::make_payload(unsigned access) {
  auto const bytes = std::size_t{settings_.queues} * settings_.area;
  if (settings_.payload == memory_kind::device)
    return payload_memory{payload_memory::in_gpu{}, *device_, *gpu_, bytes, access};
  return payload_memory{*device_, settings_.posting == initiator::gpu ? gpu_.get() : nullptr, bytes, access};
}

void mlx5_end::make_queues() {
  bool const gpu_posts = settings_.posting == initiator::gpu;
  mlx5_queue_settings const wanted{.entries = std::min(std::bit_ceil(2 * settings_.posts), most_entries),
                                   .cursors = gpu_posts ? gpu_->cursor_kind() : memory_kind::host,
                                   .gpu = settings_.gpu,
                                   .needs_own_register = gpu_posts};
  mlx5_device const device{*device_, *machine_.mlx5, *memory_};
  for (std::uint32_t n = 0; n < settings_.queues; ++n) {
    queues_.emplace_back(device, wanted);
    parts_.push_back(queues_.back().parts());
  }
}

void mlx5_end::choose_doorbells() {
  if (settings_.posting == initiator::cpu || map_doorbells()) return;
  start_proxy();
}

bool mlx5_end::map_doorbells() {
  pages_.emplace(*gpu_);
  for (std::size_t n = 0; n < queues_.size(); ++n) {
    auto const& shares = queues_[n].shares_because();
    auto* const mapped = shares.empty() ? pages_->map(queues_[n].parts().doorbell, proxy_because_) : nullptr;
    if (mapped == nullptr) {
      if (!shares.empty()) proxy_because_ = "queues share doorbell registers: " + shares;
      pages_.reset();
      return false;
    }
    parts_[n].doorbell = mapped;
  }
  return true;
}

void mlx5_end::start_proxy() {
  words_ = placed_memory{gpu_->queue_kind(), settings_.gpu, queues_.size() * word_stride};
  std::vector<doorbell_proxy::line> lines;
  for (std::size_t n = 0; n < queues_.size(); ++n) {
    parts_[n].doorbell = reinterpret_cast<std::uint64_t*>(words_.data() + n * word_stride);
    lines.push_back({parts_[n].doorbell, queues_[n].parts().doorbell});
  }
  proxy_.emplace(lines);
}

std::vector<queue_key> mlx5_end::keys() const {
  std::vector<queue_key> made;
  for (std::uint32_t n = 0; n < settings_.queues; ++n)
    made.push_back(device_->key_of(queues_[n].handle(), n, target_->rkey(),
                                   target_->address() + std::uint64_t{n} * settings_.area));
  return made;
}

void mlx5_end::connect(std::span<queue_key const> peers, std::uint32_t mtu) {
  auto const own = keys();
  for (std::size_t n = 0; n < peers.size(); ++n) {
    device_->connect(queues_[n].handle(), own[n], peers[n], mtu, settings_);
    remote_.push_back({peers[n].address, peers[n].rkey});
  }
  watch_.emplace(nullptr, [this] {
    for (auto const& queue : queues_) queue.end_waits();
  });
}

posted_queue mlx5_end::posted(std::uint32_t queue) const {
  memory_place const local{source_->address(), source_->lkey()};
  return {parts_[queue], local + std::uint64_t{queue} * settings_.area, remote_[queue]};
}

std::vector<post_times> mlx5_end::post(post_loop const& loop) {
  std::vector<posted_queue> all;
  for (std::uint32_t n = 0; n < settings_.queues; ++n) all.push_back(posted(n));
  auto patient = loop;
  patient.limit = wait_limit(std::uint64_t{loop.bytes} * loop.posts * settings_.queues, settings_, machine_.limit);
  auto times = settings_.posting == initiator::gpu ? gpu_->post(all, patient) : post_by_cpu(all, patient);
  watch_->require_none();
  explain_silence(times);
  return times;
}

void mlx5_end::explain_silence(std::span<post_times const> times) const {
  for (std::size_t n = 0; n < times.size(); ++n) {
    if (times[n].status != work_status::waited_too_long) continue;
    ibv_qp_attr now{};
    if (device_->calls().query_qp(&queues_[n].handle(), &now, IBV_QP_STATE) != 0 || now.qp_state != IBV_QPS_ERR) return;
    throw failure(fmt::format(
        "rdma: queue {} of {} is in the error state, and no completion says why: the kernel's log ('dmesg') may", n,
        device_->name()));
  }
}

work_status mlx5_end::write_first(std::uint32_t bytes) {
  if (auto const status = await_first(); status != work_status::done) return status;
  auto const first = posted(0);
  queue_pair_ref const queue{first.parts};
  last_ = queue.reserve(single_thread{}, 1);
  queue.post_write(last_, 0, first.local, first.remote, bytes);
  queue.commit(single_thread{}, last_);
  return queue.status();
}

work_status mlx5_end::await_first() {
  queue_pair_ref const queue{parts_.front()};
  auto const limit = wait_limit(settings_.area, settings_, machine_.limit);
  auto const status = last_.count == 0 ? work_status::done : queue.flush(single_thread{}, last_, limit);
  watch_->require_none();
  if (status != work_status::done) return status;
  last_ = {};
  return work_status::done;
}

work_status mlx5_end::look_at_first() {
  queue_pair_ref const queue{parts_.front()};
  (void)queue.poll();
  return queue.status();
}

std::optional<ping_times> mlx5_end::ping(std::uint32_t bytes, std::uint32_t iterations, ping_side side) {
  if (settings_.posting == initiator::cpu) return {};
  if (settings_.payload == memory_kind::device && !gpu_->kernels_see_inbound_writes())
    throw usage_error(
        fmt::format("rdma-lat: a kernel of GPU {} does not see a NIC's writes to the GPU's memory while it runs: give "
                    "--payload host",
                    gpu_->index()));
  return gpu_->ping({.queue = posted(0),
                     .told = target_->address() + bytes - 1,
                     .bytes = bytes,
                     .iterations = iterations,
                     .side = side,
                     .limit = wait_limit(2 * std::uint64_t{bytes}, settings_, peer_wait)});
}

void mlx5_end::read_target(std::uint32_t queue, std::span<std::byte> into) {
  if (settings_.payload == memory_kind::device) gpu_->see_inbound_writes();
  target_->bytes().read(std::size_t{queue} * settings_.area, into);
}

void mlx5_end::stop() {
  watch_.reset();
  if (proxy_) proxy_->stop();
  pages_.reset();
  queues_.clear();
}

std::vector<std::pair<std::string, std::string>> mlx5_end::properties() const {
  std::vector<std::pair<std::string, std::string>> made;
  made.emplace_back("doorbell", settings_.posting == initiator::cpu ? "cpu" : proxy_ ? "proxy" : "gpu");
  if (!proxy_because_.empty()) made.emplace_back("doorbell_reason", proxy_because_);
  made.emplace_back("registration", to_string(source_->way()));
  return made;
}

std::vector<std::pair<std::string, std::uint64_t>> mlx5_end::counters() const {
  if (!proxy_) return {};
  return {{"doorbells_by_proxy", proxy_->rung()}};
}

}  // namespace packetwarp::rdma
