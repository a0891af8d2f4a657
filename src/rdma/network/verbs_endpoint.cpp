// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "rdma/network/verbs_endpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/process/stop.h"
#include "rdma/network/wait_limit.h"
#include "rdma/queue_pair.h"
#include "rdma/verbs/verbs_device.h"

namespace packetwarp::rdma {
namespace {

constexpr std::uint32_t posts_at_a_time = 64;  // work requests of one call
constexpr std::uint32_t polls_between_looks = 4096;

// The same errors, by libibverbs' names.
[[nodiscard]] work_status status_of_completion(ibv_wc_status status) {
  switch (status) {
    case IBV_WC_SUCCESS:
      return work_status::done;
    case IBV_WC_LOC_LEN_ERR:
      return work_status::local_length_error;
    case IBV_WC_LOC_PROT_ERR:
      return work_status::local_protection_error;
    case IBV_WC_WR_FLUSH_ERR:
      return work_status::flushed;
    case IBV_WC_REM_INV_REQ_ERR:
      return work_status::remote_invalid_request;
    case IBV_WC_REM_ACCESS_ERR:
      return work_status::remote_access_error;
    case IBV_WC_REM_OP_ERR:
      return work_status::remote_operation_error;
    case IBV_WC_RETRY_EXC_ERR:
      return work_status::transport_retries_exceeded;
    case IBV_WC_RNR_RETRY_EXC_ERR:
      return work_status::rnr_retries_exceeded;
    default:
      return work_status::local_operation_error;
  }
}

class verbs_endpoint : public endpoint {
 public:
  verbs_endpoint(endpoint_settings const& settings, verbs_settings const& on, std::shared_ptr<verbs_calls> calls);
  [[nodiscard]] std::uint32_t mtu() const override { return device_.mtu(); }
  [[nodiscard]] std::vector<queue_key> keys() const override;
  void connect(std::span<queue_key const> peers, std::uint32_t mtu) override;
  [[nodiscard]] std::vector<post_times> post(post_loop const& loop) override;
  [[nodiscard]] work_status write_first(std::uint32_t bytes) override;
  [[nodiscard]] work_status await_first() override;
  [[nodiscard]] work_status look_at_first() override;
  void write_source(std::uint32_t queue, std::size_t offset, std::span<std::byte const> bytes) override {
    source_.write(std::size_t{queue} * settings_.area + offset, bytes);
  }
  [[nodiscard]] std::span<std::byte> target(std::uint32_t queue) override { return area_of(target_, queue); }
  void stop() override { queues_.clear(); }
  [[nodiscard]] std::vector<std::pair<std::string, std::uint64_t>> counters() const override { return {}; }

 private:
  [[nodiscard]] std::span<std::byte> area_of(placed_memory const& memory, std::uint32_t queue) const {
    return {memory.data() + std::size_t{queue} * settings_.area, settings_.area};
  }
  // Writes [first, last) of an iteration, `before` of earlier ones; the iteration's last asks for a completion.
  void post_some(std::uint32_t queue, post_loop const& loop, std::uint64_t before, std::uint32_t first,
                 std::uint32_t last);
  // The next completion, if there is one.
  [[nodiscard]] std::optional<work_status> poll(std::uint32_t queue);
  // The next completion, while so many bytes are under way. Throws failure if the user asks twice to stop, or the
  // queue is in error and no completion says so.
  [[nodiscard]] work_status await(std::uint32_t queue, std::uint64_t bytes);
  [[nodiscard]] bool is_in_error(std::uint32_t queue) const;

  endpoint_settings settings_;
  verbs_device device_;
  placed_memory source_;
  placed_memory target_;
  memory_region sending_;
  memory_region receiving_;
  std::vector<completion_queue> completions_;
  std::vector<queue_handle> queues_;
  std::vector<queue_key> peers_;
  bool is_awaited_{};  // write_first()'s last
};

verbs_endpoint::verbs_endpoint(endpoint_settings const& settings, verbs_settings const& on,
                               std::shared_ptr<verbs_calls> calls)
    : settings_{settings},
      device_{std::move(calls), on, settings.mtu},
      source_{memory_kind::host, 0, std::size_t{settings.queues} * settings.area},
      target_{memory_kind::host, 0, std::size_t{settings.queues} * settings.area},
      sending_{device_.register_memory(source_.data(), source_.size(), IBV_ACCESS_LOCAL_WRITE)},
      receiving_{
          device_.register_memory(target_.data(), target_.size(), IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE)} {
  for (std::uint32_t n = 0; n < settings.queues; ++n) {
    completions_.push_back(device_.make_completions(2 * settings.posts));
    ibv_qp_init_attr_ex wanted{};
    wanted.send_cq = wanted.recv_cq = completions_.back().get();
    wanted.cap = {.max_send_wr = 2 * settings.posts,
                  .max_recv_wr = 1,
                  .max_send_sge = 1,
                  .max_recv_sge = 1,
                  .max_inline_data = 0};
    wanted.comp_mask = IBV_QP_INIT_ATTR_PD;
    wanted.pd = device_.domain();
    queues_.push_back(device_.make_queue(wanted));
  }
}

std::vector<queue_key> verbs_endpoint::keys() const {
  std::vector<queue_key> made;
  auto const target = reinterpret_cast<std::uint64_t>(target_.data());
  for (std::uint32_t n = 0; n < settings_.queues; ++n)
    made.push_back(device_.key_of(*queues_[n], n, receiving_->rkey, target + std::uint64_t{n} * settings_.area));
  return made;
}

void verbs_endpoint::connect(std::span<queue_key const> peers, std::uint32_t mtu) {
  auto const own = keys();
  peers_.assign(peers.begin(), peers.end());
  for (std::size_t n = 0; n < peers.size(); ++n) device_.connect(*queues_[n], own[n], peers[n], mtu, settings_);
}

void verbs_endpoint::post_some(std::uint32_t queue, post_loop const& loop, std::uint64_t before, std::uint32_t first,
                               std::uint32_t last) {
  std::array<ibv_send_wr, posts_at_a_time> requests{};
  std::array<ibv_sge, posts_at_a_time> pieces{};
  auto const from = reinterpret_cast<std::uint64_t>(area_of(source_, queue).data());
  for (auto i = first; i < last; ++i) {
    auto& request = requests[i - first];
    auto const at = loop.offset_of(before + i);
    pieces[i - first] = {.addr = from + at, .length = loop.bytes, .lkey = sending_->lkey};
    request.next = i + 1 == last ? nullptr : &requests[i - first + 1];
    request.sg_list = &pieces[i - first];
    request.num_sge = 1;
    request.opcode = IBV_WR_RDMA_WRITE;
    request.send_flags = i + 1 == loop.posts ? unsigned{IBV_SEND_SIGNALED} : 0U;
    request.wr.rdma.remote_addr = peers_[queue].address + at;
    request.wr.rdma.rkey = peers_[queue].rkey;
  }
  ibv_send_wr* refused = nullptr;
  if (auto const error = device_.calls().post_send(queues_[queue].get(), requests.data(), &refused); error != 0)
    throw failure(fmt::format("rdma: queue {} refuses a write: {}", queue, std::strerror(error)));
}

std::optional<work_status> verbs_endpoint::poll(std::uint32_t queue) {
  ibv_wc completion{};
  auto const n = device_.calls().poll_cq(completions_[queue].get(), &completion);
  if (n < 0) throw failure(fmt::format("rdma: reading the completions of queue {} failed", queue));
  if (n == 0) return {};
  return status_of_completion(completion.status);
}

bool verbs_endpoint::is_in_error(std::uint32_t queue) const {
  ibv_qp_attr now{};
  return device_.calls().query_qp(queues_[queue].get(), &now, IBV_QP_STATE) == 0 && now.qp_state == IBV_QPS_ERR;
}

work_status verbs_endpoint::await(std::uint32_t queue, std::uint64_t bytes) {
  auto const until = detail::now_ns() + wait_limit(bytes, settings_, completion_wait).nanoseconds;
  for (std::uint32_t n = 1;; ++n) {
    if (auto const status = poll(queue)) return *status;
    detail::rest();
    if (n % polls_between_looks != 0) continue;
    if (detail::now_ns() > until) return work_status::waited_too_long;
    if (stop_requested() == stop_request::abandon) throw failure("rdma: interrupted while writes were under way");
    if (!is_in_error(queue)) continue;
    if (auto const status = poll(queue)) return *status;  // it came in between
    throw failure(fmt::format(
        "rdma: queue {} of {} is in the error state, and no completion says why: the kernel's log ('dmesg') may", queue,
        device_.name()));
  }
}

std::vector<post_times> verbs_endpoint::post(post_loop const& loop) {
  std::vector<post_times> times(settings_.queues);
  for (auto& one : times) {
    one.began = detail::now_ns();
    one.shortest = std::numeric_limits<double>::max();
  }
  bool goes_well = true;
  std::vector<std::uint64_t> began(settings_.queues);
  for (std::uint32_t n = 0; n < loop.iterations && goes_well && stop_requested() == stop_request::none; ++n) {
    for (std::uint32_t queue = 0; queue < settings_.queues; ++queue) {
      began[queue] = detail::now_ns();
      for (std::uint32_t i = 0; i < loop.posts; i += posts_at_a_time)
        post_some(queue, loop, std::uint64_t{n} * loop.posts, i, std::min(i + posts_at_a_time, loop.posts));
      times[queue].post += static_cast<double>(detail::now_ns() - began[queue]);
    }
    for (std::uint32_t queue = 0; queue < settings_.queues; ++queue) {
      auto& one = times[queue];
      auto const flushing = detail::now_ns();
      one.status = await(queue, std::uint64_t{loop.bytes} * loop.posts * settings_.queues);
      one.ended = detail::now_ns();
      one.flush += static_cast<double>(one.ended - flushing);
      if (one.status != work_status::done) {
        goes_well = false;
        continue;
      }
      one.shortest = std::min(one.shortest, static_cast<double>(one.ended - began[queue]));
      ++one.iterations;
    }
  }
  return times;
}

work_status verbs_endpoint::write_first(std::uint32_t bytes) {
  if (auto const status = await_first(); status != work_status::done) return status;
  post_some(0, {.bytes = bytes, .posts = 1}, 0, 0, 1);
  is_awaited_ = true;
  return work_status::done;
}

work_status verbs_endpoint::await_first() {
  if (!is_awaited_) return work_status::done;
  is_awaited_ = false;
  return await(0, settings_.area);
}

work_status verbs_endpoint::look_at_first() {
  auto const status = is_awaited_ ? poll(0) : std::nullopt;
  if (!status) return work_status::done;
  is_awaited_ = false;
  return *status;
}

}  // namespace

std::unique_ptr<endpoint> make_verbs_endpoint(endpoint_settings const& settings, verbs_settings const& on) {
  return make_verbs_endpoint(settings, on, library_verbs_calls());
}

std::unique_ptr<endpoint> make_verbs_endpoint(endpoint_settings const& settings, verbs_settings const& on,
                                              std::shared_ptr<verbs_calls> calls) {
  return std::make_unique<verbs_endpoint>(settings, on, std::move(calls));
}

}  // namespace packetwarp::rdma
