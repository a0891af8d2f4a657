// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "rdma/network/verbs_endpoint.h"

#include <fmt/format.h>
#include <infiniband/verbs.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <limits>
#include <random>

#include "base/error.h"
#include "base/process/stop.h"
#include "rdma/queue_pair.h"

namespace packetwarp::rdma {
namespace {

constexpr std::uint8_t first_port = 1;
constexpr std::uint32_t psn_mask = 0xff'ffff;
constexpr std::uint32_t posts_at_a_time = 64;  // work requests of one call

template <class T, int (*Release)(T*)>
struct releaser {
  void operator()(T* held) const { (void)Release(held); }
};
using device_context = std::unique_ptr<ibv_context, releaser<ibv_context, ibv_close_device>>;
using protection_domain = std::unique_ptr<ibv_pd, releaser<ibv_pd, ibv_dealloc_pd>>;
using memory_region = std::unique_ptr<ibv_mr, releaser<ibv_mr, ibv_dereg_mr>>;
using completion_queue = std::unique_ptr<ibv_cq, releaser<ibv_cq, ibv_destroy_cq>>;
using queue_handle = std::unique_ptr<ibv_qp, releaser<ibv_qp, ibv_destroy_qp>>;

[[nodiscard]] failure wrong(std::string_view what) {
  return failure(fmt::format("rdma: {} failed: {}", what, std::strerror(errno)));
}

struct free_list {
  void operator()(ibv_device** list) const { ibv_free_device_list(list); }
};

[[nodiscard]] device_context open_device(std::string const& name) {
  int count = 0;
  std::unique_ptr<ibv_device*, free_list> const list{ibv_get_device_list(&count)};
  if (!list || count == 0)
    throw usage_error(
        "rdma: there is no verbs device here; --transport roce needs none, and 'rdma link add rxe0 type rxe netdev IF' "
        "makes a software one");
  std::string names;
  for (int i = 0; i < count; ++i) {
    std::string_view const here = ibv_get_device_name(list.get()[i]);
    names += fmt::format("{}{}", i == 0 ? "" : ", ", here);
    if (here != name && (!name.empty() || count != 1)) continue;
    device_context made{ibv_open_device(list.get()[i])};
    if (!made) throw wrong(fmt::format("opening {}", here));
    return made;
  }
  throw usage_error(name.empty() ? fmt::format("rdma: there are several verbs devices: give -d one of {}", names)
                                 : fmt::format("rdma: there is no verbs device '{}'; there are {}", name, names));
}

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
  verbs_endpoint(endpoint_settings const& settings, verbs_settings const& on);
  [[nodiscard]] std::uint32_t mtu() const override { return mtu_; }
  [[nodiscard]] std::vector<queue_key> keys() const override;
  void connect(std::span<queue_key const> peers, std::uint32_t mtu) override;
  [[nodiscard]] std::vector<post_times> post(post_loop const& loop) override;
  [[nodiscard]] work_status write_first(std::uint32_t bytes) override;
  [[nodiscard]] work_status await_first() override;
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
  void choose_gid(int index);
  void make_queue();
  void make_ready(ibv_qp& queue, queue_key const& own, queue_key const& peer, std::uint32_t mtu) const;
  // Writes [first, last) of an iteration, `before` of earlier ones; the iteration's last asks for a completion.
  void post_some(std::uint32_t queue, post_loop const& loop, std::uint64_t before, std::uint32_t first,
                 std::uint32_t last);
  [[nodiscard]] work_status await(std::uint32_t queue);

  endpoint_settings settings_;
  device_context device_;
  std::uint32_t mtu_{};
  std::uint32_t psn_;
  std::uint8_t gid_index_{};
  ibv_gid gid_{};
  protection_domain domain_;
  placed_memory source_;
  placed_memory target_;
  memory_region sending_;
  memory_region receiving_;
  std::vector<completion_queue> completions_;
  std::vector<queue_handle> queues_;
  std::vector<queue_key> peers_;
  bool is_awaited_{};  // write_first()'s last
};

verbs_endpoint::verbs_endpoint(endpoint_settings const& settings, verbs_settings const& on)
    : settings_{settings},
      device_{open_device(on.device)},
      psn_{std::random_device{}() & psn_mask},
      source_{memory_kind::host, 0, std::size_t{settings.queues} * settings.area},
      target_{memory_kind::host, 0, std::size_t{settings.queues} * settings.area} {
  ibv_port_attr port{};
  if (ibv_query_port(device_.get(), first_port, &port) != 0) throw wrong("asking port 1 for its state");
  if (port.state != IBV_PORT_ACTIVE)
    throw failure(
        fmt::format("rdma: port 1 of {} is not active: set its link up", ibv_get_device_name(device_->device)));
  mtu_ = std::uint32_t{128} << port.active_mtu;
  if (settings.mtu > mtu_)
    throw usage_error(fmt::format("rdma: {} has an MTU of {}: give a smaller -m than {}",
                                  ibv_get_device_name(device_->device), mtu_, settings.mtu));
  if (settings.mtu != 0) mtu_ = settings.mtu;
  choose_gid(on.gid_index);
  domain_.reset(ibv_alloc_pd(device_.get()));
  if (!domain_) throw wrong("a protection domain");
  sending_.reset(ibv_reg_mr(domain_.get(), source_.data(), source_.size(), IBV_ACCESS_LOCAL_WRITE));
  receiving_.reset(
      ibv_reg_mr(domain_.get(), target_.data(), target_.size(), IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE));
  if (!sending_ || !receiving_) throw wrong("registering memory ('ulimit -l' bounds it)");
  for (std::uint32_t n = 0; n < settings.queues; ++n) make_queue();
}

void verbs_endpoint::choose_gid(int index) {
  if (index >= 0) {
    if (ibv_query_gid(device_.get(), first_port, index, &gid_) != 0)
      throw usage_error(fmt::format("rdma: {} has no GID {}", ibv_get_device_name(device_->device), index));
    gid_index_ = static_cast<std::uint8_t>(index);
    return;
  }
  std::array<ibv_gid_entry, 256> all{};
  auto const count = ibv_query_gid_table(device_.get(), all.data(), all.size(), 0);
  for (std::size_t i = 0; count > 0 && i < static_cast<std::size_t>(count); ++i) {
    std::array<std::uint8_t, 16> raw{};
    std::copy_n(all[i].gid.raw, raw.size(), raw.begin());
    if (all[i].gid_type != IBV_GID_TYPE_ROCE_V2 || all[i].port_num != first_port || !ipv4_of(raw)) continue;
    gid_ = all[i].gid;
    gid_index_ = static_cast<std::uint8_t>(all[i].gid_index);
    return;
  }
  throw usage_error(fmt::format(
      "rdma: {} has no GID of RoCE v2 over IPv4: give its interface an IPv4 address, or -x the index of a GID",
      ibv_get_device_name(device_->device)));
}

void verbs_endpoint::make_queue() {
  auto const entries = static_cast<int>(2 * settings_.posts);
  completions_.emplace_back(ibv_create_cq(device_.get(), entries, nullptr, nullptr, 0));
  if (!completions_.back()) throw wrong(fmt::format("a completion queue of {} entries", entries));
  ibv_qp_init_attr wanted{};
  wanted.send_cq = wanted.recv_cq = completions_.back().get();
  wanted.qp_type = IBV_QPT_RC;
  wanted.cap = {
      .max_send_wr = 2 * settings_.posts, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1, .max_inline_data = 0};
  queues_.emplace_back(ibv_create_qp(domain_.get(), &wanted));
  if (!queues_.back()) throw wrong(fmt::format("a queue of {} entries", entries));
  ibv_qp_attr to{};
  to.qp_state = IBV_QPS_INIT;
  to.port_num = first_port;
  to.qp_access_flags = IBV_ACCESS_REMOTE_WRITE;
  if (ibv_modify_qp(queues_.back().get(), &to, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS) !=
      0)
    throw wrong("preparing a queue");
}

std::vector<queue_key> verbs_endpoint::keys() const {
  std::vector<queue_key> made;
  for (std::uint32_t n = 0; n < settings_.queues; ++n) {
    queue_key key{.number = queues_[n]->qp_num,
                  .psn = (psn_ + n) & psn_mask,
                  .rkey = receiving_->rkey,
                  .address = reinterpret_cast<std::uint64_t>(target_.data()) + std::uint64_t{n} * settings_.area};
    std::copy_n(gid_.raw, key.gid.size(), key.gid.begin());
    made.push_back(key);
  }
  return made;
}

void verbs_endpoint::make_ready(ibv_qp& queue, queue_key const& own, queue_key const& peer, std::uint32_t mtu) const {
  ibv_qp_attr to{};
  to.qp_state = IBV_QPS_RTR;
  to.path_mtu = static_cast<ibv_mtu>(std::countr_zero(mtu) - 7);
  to.dest_qp_num = peer.number;
  to.rq_psn = peer.psn;
  to.max_dest_rd_atomic = 1;
  to.min_rnr_timer = 12;
  to.ah_attr.is_global = 1;
  to.ah_attr.port_num = first_port;
  std::copy(peer.gid.begin(), peer.gid.end(), to.ah_attr.grh.dgid.raw);
  to.ah_attr.grh.sgid_index = gid_index_;
  to.ah_attr.grh.hop_limit = 64;
  if (ibv_modify_qp(&queue, &to,
                    IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
                        IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER) != 0)
    throw wrong("connecting a queue to the peer's");
  to = {};
  to.qp_state = IBV_QPS_RTS;
  to.timeout = static_cast<std::uint8_t>(settings_.timeout_code);
  to.retry_cnt = static_cast<std::uint8_t>(settings_.retries);
  to.rnr_retry = 7;
  to.sq_psn = own.psn;
  to.max_rd_atomic = 1;
  if (ibv_modify_qp(&queue, &to,
                    IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
                        IBV_QP_MAX_QP_RD_ATOMIC) != 0)
    throw wrong("making a queue ready to send");
}

void verbs_endpoint::connect(std::span<queue_key const> peers, std::uint32_t mtu) {
  auto const own = keys();
  peers_.assign(peers.begin(), peers.end());
  for (std::size_t n = 0; n < peers.size(); ++n) make_ready(*queues_[n], own[n], peers[n], mtu);
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
  if (auto const error = ibv_post_send(queues_[queue].get(), requests.data(), &refused); error != 0)
    throw failure(fmt::format("rdma: queue {} refuses a write: {}", queue, std::strerror(error)));
}

work_status verbs_endpoint::await(std::uint32_t queue) {
  ibv_wc completion{};
  for (;;) {
    auto const n = ibv_poll_cq(completions_[queue].get(), 1, &completion);
    if (n < 0) throw failure(fmt::format("rdma: reading the completions of queue {} failed", queue));
    if (n == 1) return status_of_completion(completion.status);
    detail::rest();
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
      one.status = await(queue);
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
  return await(0);
}

}  // namespace

std::unique_ptr<endpoint> make_verbs_endpoint(endpoint_settings const& settings, verbs_settings const& on) {
  return std::make_unique<verbs_endpoint>(settings, on);
}

}  // namespace packetwarp::rdma
