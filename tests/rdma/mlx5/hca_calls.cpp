// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>

#include "rdma/mlx5/hca_objects.h"
#include "rdma/network/queue_key.h"

namespace packetwarp::rdma::test {

ibv_device** software_hca::get_device_list(int* count) {
  std::lock_guard const lock{mutex_};
  if (refused("ibv_get_device_list")) return nullptr;
  *count = static_cast<int>(devices_.size());
  return made("device list", list_.data());
}
void software_hca::free_device_list(ibv_device** list) {
  std::lock_guard const lock{mutex_};
  if (list != nullptr) gone("device list");
}

ibv_context* software_hca::open_device(ibv_device* device) {
  std::lock_guard const lock{mutex_};
  if (refused("ibv_open_device")) return nullptr;
  auto* const context = new ibv_context{};
  context->device = device;
  return made("context", context);
}
int software_hca::close_device(ibv_context* context) {
  std::lock_guard const lock{mutex_};
  must(queues_.empty() && domains_.empty() && regions_.empty(), "ibv_close_device before its objects");
  delete context;
  gone("context");
  return 0;
}

int software_hca::query_port(ibv_context*, std::uint8_t, ibv_port_attr* into) {
  std::lock_guard const lock{mutex_};
  if (refused("ibv_query_port")) return errno;
  into->state = manner_.port;
  into->active_mtu = IBV_MTU_4096;
  return 0;
}
int software_hca::query_gid(ibv_context*, std::uint8_t, int index, ibv_gid* into) {
  std::lock_guard const lock{mutex_};
  if (refused("ibv_query_gid") || index > 3) return -1;
  *into = {};
  if (index == 0) into->raw[0] = 0xfe, into->raw[1] = 0x80;  // of the link, over IPv6; 1 and 2 are empty
  if (index == 3) std::ranges::copy(gid_of(address_), into->raw);
  return 0;
}
ssize_t software_hca::query_gid_table(ibv_context*, std::span<ibv_gid_entry> into) {
  std::lock_guard const lock{mutex_};
  if (refused("ibv_query_gid_table")) return -1;
  into[0].gid_type = IBV_GID_TYPE_ROCE_V1;
  into[0].port_num = 1;
  into[1] = {.gid = {}, .gid_index = 3, .port_num = 1, .gid_type = IBV_GID_TYPE_ROCE_V2, .ndev_ifindex = 0};
  std::ranges::copy(gid_of(address_), into[1].gid.raw);
  return manner_.has_ipv4 ? 2 : 1;
}

ibv_pd* software_hca::alloc_pd(ibv_context* context) {
  std::lock_guard const lock{mutex_};
  if (refused("ibv_alloc_pd")) return nullptr;
  auto* const domain = new domain_object{};
  domain->context = context;
  domains_.push_back(domain);
  return made("domain", domain);
}
ibv_td* software_hca::alloc_td(ibv_context* context) {
  std::lock_guard const lock{mutex_};
  if (!manner_.has_thread_domains) errno = EOPNOTSUPP;
  if (!manner_.has_thread_domains || refused("ibv_alloc_td")) return nullptr;
  auto* const domain = new ibv_td{};
  domain->context = context;
  return made("thread domain", domain);
}
ibv_pd* software_hca::alloc_parent_domain(ibv_context* context, ibv_parent_domain_init_attr* of) {
  std::lock_guard const lock{mutex_};
  if (refused("ibv_alloc_parent_domain")) return nullptr;
  auto* const domain = new domain_object{};
  domain->context = context;
  domain->parent = of->pd;
  domain->thread = of->td;
  domains_.push_back(domain);
  return made("domain", domain);
}
int software_hca::dealloc_pd(ibv_pd* domain) {
  std::lock_guard const lock{mutex_};
  auto const uses = [&](auto const* one) { return one->pd == domain; };
  must(std::ranges::none_of(queues_, uses) && std::ranges::none_of(regions_, uses) &&
           std::ranges::none_of(domains_, [&](auto const* one) { return one->parent == domain; }),
       "ibv_dealloc_pd of a domain in use");
  auto* const object = static_cast<domain_object*>(domain);
  std::erase(domains_, object);
  delete object;
  gone("domain");
  return 0;
}
int software_hca::dealloc_td(ibv_td* domain) {
  std::lock_guard const lock{mutex_};
  must(std::ranges::none_of(domains_, [&](auto const* one) { return one->thread == domain; }),
       "ibv_dealloc_td of a domain in use");
  delete domain;
  gone("thread domain");
  return 0;
}

ibv_mr* software_hca::register_region(ibv_pd* domain, std::uint64_t address, std::size_t bytes, unsigned access) {
  auto* const region = new ibv_mr{};
  region->pd = domain;
  region->lkey = region->rkey = network_->add(address, bytes, access);
  regions_.push_back(region);
  return made("region", region);
}
ibv_mr* software_hca::reg_mr(ibv_pd* domain, void* at, std::size_t bytes, unsigned access) {
  std::lock_guard const lock{mutex_};
  bool const of_gpu = std::ranges::any_of(gpu_memory_, [&](auto const& one) { return one.first == at; });
  if (of_gpu && !manner_.has_peer_memory) errno = EFAULT;
  if ((of_gpu && !manner_.has_peer_memory) || refused("ibv_reg_mr")) return nullptr;
  return register_region(domain, reinterpret_cast<std::uint64_t>(at), bytes, access);
}
ibv_mr* software_hca::reg_dmabuf_mr(ibv_pd* domain, std::uint64_t offset, std::size_t bytes, std::uint64_t address,
                                    int descriptor, unsigned access) {
  std::lock_guard const lock{mutex_};
  must(offset == 0 && bytes % page_bytes == 0 && ::fcntl(descriptor, F_GETFD) >= 0, "a wrong dma-buf");
  if (!manner_.takes_dma_buf) errno = EOPNOTSUPP;
  if (!manner_.takes_dma_buf || refused("ibv_reg_dmabuf_mr")) return nullptr;
  return register_region(domain, address, bytes, access);
}
int software_hca::dereg_mr(ibv_mr* region) {
  network_->remove(region->rkey);  // it waits for writes of other devices
  std::lock_guard const lock{mutex_};
  std::erase(regions_, region);
  delete region;
  gone("region");
  return 0;
}

ibv_cq* software_hca::create_cq(ibv_context* context, int entries) {
  std::lock_guard const lock{mutex_};
  if (refused("ibv_create_cq")) return nullptr;
  auto* const queue = new completion_object{};
  queue->context = context;
  queue->cqe = static_cast<int>(std::bit_ceil(static_cast<unsigned>(entries) + 1)) - 1;
  auto const bytes = (static_cast<std::size_t>(queue->cqe) + 1) * entry_bytes;
  queue->entries_at = allocate(bytes);
  queue->record = queue->entries_at != nullptr ? take_record() : nullptr;
  if (queue->record == nullptr) {
    if (queue->entries_at != nullptr) free(queue->entries_at);
    delete queue;
    return nullptr;
  }
  std::memset(queue->entries_at, 0xf0, bytes);  // op_own: MLX5_CQE_INVALID << 4
  return made("completion queue", queue);
}
int software_hca::destroy_cq(ibv_cq* queue) {
  std::lock_guard const lock{mutex_};
  must(std::ranges::none_of(queues_, [&](auto const* one) { return one->completing == queue; }),
       "ibv_destroy_cq of a queue in use");
  auto* const object = static_cast<completion_object*>(queue);
  free(object->entries_at);
  give_record(object->record);
  delete object;
  gone("completion queue");
  return 0;
}
int software_hca::poll_cq(ibv_cq*, ibv_wc*) {
  must(false, "ibv_poll_cq of a queue that packetwarp reads itself");
  return -1;
}

ibv_qp* software_hca::create_qp_ex(ibv_context* context, ibv_qp_init_attr_ex* of) {
  std::lock_guard const lock{mutex_};
  if (refused("ibv_create_qp")) return nullptr;
  // mlx5_calc_send_wqe: without the promise of writes only, an entry has room for atomics and memory windows.
  bool const only_writes = (of->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS) != 0 &&
                           of->send_ops_flags == IBV_QP_EX_WITH_RDMA_WRITE && of->cap.max_inline_data == 0;
  must((of->comp_mask & IBV_QP_INIT_ATTR_PD) != 0 && of->qp_type == IBV_QPT_RC, "a queue without domain, or not RC");
  auto const bytes = of->cap.max_send_wr * (only_writes ? 64U : 192U);
  auto* const queue = new queue_object{};
  queue->context = context;
  queue->pd = of->pd;
  queue->entries = std::bit_ceil(bytes) / static_cast<std::uint32_t>(entry_bytes) * manner_.more_entries;
  queue->buffer = allocate(receive_bytes + queue->entries * entry_bytes);
  queue->record = queue->buffer != nullptr ? take_record() : nullptr;
  if (queue->record == nullptr) {
    if (queue->buffer != nullptr) free(queue->buffer);
    delete queue;
    return nullptr;
  }
  queue->doorbell = take_register();
  queue->completing = static_cast<completion_object*>(of->send_cq);
  queue->qp_num = next_number_++;
  queues_.push_back(queue);
  return made("queue", queue);
}
int software_hca::destroy_qp(ibv_qp* queue) {
  std::lock_guard const lock{mutex_};
  auto* const object = static_cast<queue_object*>(queue);
  if (object->engine) past_.add(object->engine->counters());
  std::erase(queues_, object);
  free(object->buffer);
  give_record(object->record);
  delete object;
  gone("queue");
  return 0;
}

void software_hca::check_attributes(queue_object const& queue, ibv_qp_attr const& to, int mask) {
  constexpr int init = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS;
  constexpr int rtr = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
                      IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
  constexpr int rts =
      IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC;
  auto const step = std::pair{queue.now, to.qp_state};
  bool const is_right = (step == std::pair{IBV_QPS_RESET, IBV_QPS_INIT} && mask == init) ||
                        (step == std::pair{IBV_QPS_INIT, IBV_QPS_RTR} && mask == rtr) ||
                        (step == std::pair{IBV_QPS_RTR, IBV_QPS_RTS} && mask == rts);
  must(is_right, "a step of a queue's state, or its attributes");
}

int software_hca::modify_qp(ibv_qp* queue, ibv_qp_attr* to, int mask) {
  std::lock_guard const lock{mutex_};
  auto* const object = static_cast<queue_object*>(queue);
  auto const name = to->qp_state == IBV_QPS_INIT  ? "ibv_modify_qp to INIT"
                    : to->qp_state == IBV_QPS_RTR ? "ibv_modify_qp to RTR"
                                                  : "ibv_modify_qp to RTS";
  if (refused(name)) return errno;
  check_attributes(*object, *to, mask);
  object->now = to->qp_state;
  if (object->now != IBV_QPS_RTS) return 0;
  object->engine = std::make_unique<served_queue>(
      queue_parts{.entries = reinterpret_cast<work_queue_entry*>(object->send_queue()),
                  .completions = reinterpret_cast<completion_entry*>(object->completing->entries_at),
                  .send_record = object->record + 1,
                  .completion_record = object->completing->record,
                  .doorbell = &object->rung,
                  .cursors = nullptr,
                  .size = object->entries,
                  .number = object->qp_num});
  if (manner_.fails_silently) object->now = IBV_QPS_ERR;
  return 0;
}
int software_hca::query_qp(ibv_qp* queue, ibv_qp_attr* into, int) {
  std::lock_guard const lock{mutex_};
  if (refused("ibv_query_qp")) return errno;
  into->qp_state = static_cast<queue_object*>(queue)->now;
  return 0;
}
int software_hca::post_send(ibv_qp*, ibv_send_wr*, ibv_send_wr**) {
  must(false, "ibv_post_send to a queue that packetwarp writes itself");
  return EINVAL;
}

int software_hca::set_allocators(ibv_context*, mlx5dv_ctx_allocators* to) {
  std::lock_guard const lock{mutex_};
  if (refused("mlx5dv_set_context_attr")) return errno;
  allocators_ = *to;
  return 0;
}

int software_hca::init_obj(mlx5dv_obj* object, std::uint64_t types) {
  std::lock_guard const lock{mutex_};
  if (refused("mlx5dv_init_obj")) return errno;
  if ((types & MLX5DV_OBJ_QP) != 0) {
    auto const* const queue = static_cast<queue_object*>(object->qp.in);
    auto& out = *object->qp.out;
    out.dbrec = reinterpret_cast<__be32*>(queue->record);
    out.rq = {.buf = queue->buffer, .wqe_cnt = 4, .stride = 16};
    out.sq = {.buf = queue->send_queue(), .wqe_cnt = queue->entries, .stride = entry_bytes};
    out.bf = {.reg = queue->doorbell, .size = 256};
  }
  if ((types & MLX5DV_OBJ_CQ) != 0) {
    auto const* const queue = static_cast<completion_object*>(object->cq.in);
    auto& out = *object->cq.out;
    out.buf = queue->entries_at;
    out.dbrec = reinterpret_cast<__be32*>(queue->record);
    out.cqe_cnt = static_cast<std::uint32_t>(queue->cqe) + 1;
    out.cqe_size = manner_.completion_bytes;
  }
  return 0;
}

}  // namespace packetwarp::rdma::test
