// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "rdma/verbs/verbs_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <random>
#include <utility>

#include "wire/address_text.h"

namespace packetwarp::rdma {
namespace {

constexpr std::uint8_t first_port = 1;
constexpr std::uint32_t psn_mask = 0xff'ffff;
constexpr std::string_view fewer = "give a smaller --posts, or a smaller -q";

// A function's result, or errno for -1.
[[nodiscard]] int error_of(int result) { return result > 0 ? result : errno; }

[[nodiscard]] std::array<std::uint8_t, 16> raw_of(ibv_gid const& gid) {
  std::array<std::uint8_t, 16> raw{};
  std::copy_n(gid.raw, raw.size(), raw.begin());
  return raw;
}

}  // namespace

failure call_failed(std::string_view call, std::string_view device, int error, std::string_view advice) {
  return failure(fmt::format("rdma: {} on {} failed: {}: {}", call, device, std::strerror(error), advice));
}

failure verbs_device::failed(std::string_view call, std::string_view advice) const {
  return call_failed(call, name_, errno, advice);
}

verbs_device::verbs_device(std::shared_ptr<verbs_calls> calls, verbs_settings const& on, std::uint32_t mtu,
                           device_check const& check)
    : calls_{std::move(calls)}, first_psn_{std::random_device{}() & psn_mask} {
  open(on, check);
  choose_mtu(mtu);
  choose_gid(on.gid_index);
  domain_ = {calls_->alloc_pd(context()), {calls_.get()}};
  if (!domain_) throw failed("ibv_alloc_pd", "end other programs that use the device");
}

void verbs_device::open(verbs_settings const& on, device_check const& check) {
  int count = 0;
  auto const free_list = [this](ibv_device** list) { calls_->free_device_list(list); };
  std::unique_ptr<ibv_device*, decltype(free_list)> const list{calls_->get_device_list(&count), free_list};
  if (!list || count == 0)
    throw usage_error(
        "rdma: there is no verbs device here; --transport roce needs none, and 'rdma link add rxe0 type rxe netdev IF' "
        "makes a software one");
  std::string names;
  for (int i = 0; i < count; ++i) {
    std::string const here = calls_->get_device_name(list.get()[i]);
    names += fmt::format("{}{}", i == 0 ? "" : ", ", here);
    if (here != on.device && (!on.device.empty() || count != 1)) continue;
    name_ = here;
    if (check) check(list.get()[i], name_);
    context_ = {calls_->open_device(list.get()[i]), {calls_.get()}};
    if (!context_)
      throw failed("ibv_open_device", "load ib_uverbs, and have the right to open /dev/infiniband/uverbs*");
    return;
  }
  throw usage_error(on.device.empty()
                        ? fmt::format("rdma: there are several verbs devices: give -d one of {}", names)
                        : fmt::format("rdma: there is no verbs device '{}'; there are {}", on.device, names));
}

void verbs_device::choose_mtu(std::uint32_t wanted) {
  ibv_port_attr port{};
  if (auto const result = calls_->query_port(context(), first_port, &port); result != 0)
    throw call_failed("ibv_query_port", name_, error_of(result), "'rdma link' lists the device's ports");
  if (port.state != IBV_PORT_ACTIVE)
    throw failure(fmt::format("rdma: port 1 of {} is not active: set its link up", name_));
  mtu_ = std::uint32_t{128} << port.active_mtu;
  if (wanted > mtu_)
    throw usage_error(fmt::format("rdma: {} has an MTU of {}: give a smaller -m than {}", name_, mtu_, wanted));
  if (wanted != 0) mtu_ = wanted;
}

std::vector<ibv_gid_entry> verbs_device::usable_gids() const {
  std::array<ibv_gid_entry, 256> all{};
  auto const count = calls_->query_gid_table(context(), all);
  if (count < 0) throw failed("ibv_query_gid_table", "give -x the index of a GID");
  std::vector<ibv_gid_entry> made;
  std::copy_if(all.begin(), all.begin() + count, std::back_inserter(made), [](ibv_gid_entry const& one) {
    return one.gid_type == IBV_GID_TYPE_ROCE_V2 && one.port_num == first_port && ipv4_of(raw_of(one.gid));
  });
  return made;
}

void verbs_device::take_gid(int index) {
  if (calls_->query_gid(context(), first_port, index, &gid_) != 0)
    throw usage_error(fmt::format("rdma: {} has no GID {}", name_, index));
  gid_index_ = static_cast<std::uint8_t>(index);
  auto const raw = raw_of(gid_);
  if (ipv4_of(raw)) return;
  std::string usable;
  for (auto const& one : usable_gids())
    usable +=
        fmt::format("{}{} ({})", usable.empty() ? "" : ", ", one.gid_index, wire::to_text(*ipv4_of(raw_of(one.gid))));
  bool const is_empty = std::all_of(raw.begin(), raw.end(), [](auto byte) { return byte == 0; });
  throw usage_error(fmt::format("rdma: GID {} of {} is {}: {}", index, name_,
                                is_empty ? "empty" : to_text(raw) + ", which is no IPv4 address's",
                                usable.empty() ? "give its interface an IPv4 address" : "give -x one of " + usable));
}

void verbs_device::choose_gid(int index) {
  if (index >= 0) return take_gid(index);
  auto const usable = usable_gids();
  if (usable.empty())
    throw usage_error(
        fmt::format("rdma: {} has no GID of RoCE v2 over IPv4: give its interface an IPv4 address, or -x the index of "
                    "a GID",
                    name_));
  gid_ = usable.front().gid;
  gid_index_ = static_cast<std::uint8_t>(usable.front().gid_index);
}

memory_region verbs_device::register_memory(std::byte* at, std::size_t bytes, unsigned access) const {
  memory_region made{calls_->reg_mr(domain(), at, bytes, access), {calls_.get()}};
  if (!made) throw failed("ibv_reg_mr", "'ulimit -l' bounds the memory that a program may register");
  return made;
}

completion_queue verbs_device::make_completions(std::uint32_t entries) const {
  completion_queue made{calls_->create_cq(context(), static_cast<int>(entries)), {calls_.get()}};
  if (!made) throw failed(fmt::format("ibv_create_cq of {} entries", entries), fewer);
  return made;
}

queue_handle verbs_device::make_queue(ibv_qp_init_attr_ex of) const {
  of.qp_type = IBV_QPT_RC;
  queue_handle made{calls_->create_qp_ex(context(), &of), {calls_.get()}};
  if (!made) throw failed(fmt::format("ibv_create_qp of {} entries", of.cap.max_send_wr), fewer);
  ibv_qp_attr to{};
  to.qp_state = IBV_QPS_INIT;
  to.port_num = first_port;
  to.qp_access_flags = IBV_ACCESS_REMOTE_WRITE;
  if (auto const result =
          calls_->modify_qp(made.get(), &to, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);
      result != 0)
    throw call_failed("ibv_modify_qp to INIT", name_, error_of(result), "the kernel's log ('dmesg') may say why");
  return made;
}

queue_key verbs_device::key_of(ibv_qp const& queue, std::uint32_t n, std::uint32_t rkey, std::uint64_t address) const {
  queue_key key{.number = queue.qp_num, .psn = (first_psn_ + n) & psn_mask, .rkey = rkey, .address = address};
  std::copy_n(gid_.raw, key.gid.size(), key.gid.begin());
  return key;
}

void verbs_device::connect(ibv_qp& queue, queue_key const& own, queue_key const& peer, std::uint32_t mtu,
                           endpoint_settings const& how) const {
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
  if (auto const result = calls_->modify_qp(&queue, &to,
                                            IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
                                                IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
      result != 0)
    throw call_failed("ibv_modify_qp to RTR", name_, error_of(result),
                      fmt::format("the peer's GID {} must be reachable from this device's interface: ping its address",
                                  to_text(peer.gid)));
  to = {};
  to.qp_state = IBV_QPS_RTS;
  to.timeout = static_cast<std::uint8_t>(how.timeout_code);
  to.retry_cnt = static_cast<std::uint8_t>(how.retries);
  to.rnr_retry = 7;
  to.sq_psn = own.psn;
  to.max_rd_atomic = 1;
  if (auto const result = calls_->modify_qp(&queue, &to,
                                            IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
                                                IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC);
      result != 0)
    throw call_failed("ibv_modify_qp to RTS", name_, error_of(result), "the kernel's log ('dmesg') may say why");
}

}  // namespace packetwarp::rdma
