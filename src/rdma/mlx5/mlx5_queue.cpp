// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "rdma/mlx5/mlx5_queue.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <span>

namespace packetwarp::rdma {
namespace {

// Words of an mlx5 doorbell record: a queue pair's second one is the send queue's, a completion queue's first one is
// its consumer index (MLX5_SND_DBR, MLX5_CQ_SET_CI of rdma-core).
constexpr std::size_t send_word = 1, consumer_word = 0;
constexpr std::size_t record_bytes = 2 * sizeof(std::uint32_t);

void must_be(std::uint64_t found, std::uint64_t expected, std::string_view what, std::string_view advice) {
  if (found != expected)
    throw failure(fmt::format("rdma: libmlx5 made a queue with {} {}, and packetwarp needs {}: {}", found, what,
                              expected, advice));
}

}  // namespace

mlx5_queue::mlx5_queue(mlx5_device const& device, mlx5_queue_settings const& settings)
    : cursors_{settings.cursors, settings.gpu, sizeof(queue_cursors)} {
  if (settings.needs_own_register) take_own_register(device.verbs);
  try {
    make(device.verbs, settings.entries);
  } catch (failure const& refused) {
    if (device.memory.problem().empty()) throw;
    throw failure(fmt::format("{} ({})", refused.what(), device.memory.problem()));
  }
  find_parts(device, settings.entries);
  parts_.cursors = reinterpret_cast<queue_cursors*>(cursors_.data());
}

// libmlx5 gives each thread domain a register of its own (mlx5_alloc_td in rdma-core's providers/mlx5/verbs.c).
void mlx5_queue::take_own_register(verbs_device const& device) {
  auto& calls = device.calls();
  thread_domain_ = {calls.alloc_td(device.context()), {&calls}};
  if (!thread_domain_) {
    shares_because_ = fmt::format("ibv_alloc_td failed: {}", std::strerror(errno));
    return;
  }
  ibv_parent_domain_init_attr of{};
  of.pd = device.domain();
  of.td = thread_domain_.get();
  domain_ = {calls.alloc_parent_domain(device.context(), &of), {&calls}};
  if (domain_) return;
  shares_because_ = fmt::format("ibv_alloc_parent_domain failed: {}", std::strerror(errno));
  thread_domain_.reset();
}

// Only RDMA writes are announced: libmlx5 then counts one entry of 64 bytes per request (mlx5_calc_send_wqe in
// providers/mlx5/verbs.c), so that the queue has as many entries as requests. It makes one entry more than were asked
// for in a completion queue, and rounds up to a power of two (mlx5_create_cq).
void mlx5_queue::make(verbs_device const& device, std::uint32_t entries) {
  completions_ = device.make_completions(entries - 1);
  ibv_qp_init_attr_ex wanted{};
  wanted.send_cq = wanted.recv_cq = completions_.get();
  wanted.cap = {.max_send_wr = entries, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1, .max_inline_data = 0};
  wanted.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
  wanted.pd = domain_ ? domain_.get() : device.domain();
  wanted.send_ops_flags = IBV_QP_EX_WITH_RDMA_WRITE;
  queue_ = device.make_queue(wanted);
}

void mlx5_queue::find_parts(mlx5_device const& device, std::uint32_t entries) {
  mlx5dv_qp sending{};
  mlx5dv_cq completing{};
  mlx5dv_obj both{};
  both.qp = {.in = queue_.get(), .out = &sending};
  both.cq = {.in = completions_.get(), .out = &completing};
  if (auto const error = device.calls.init_obj(&both, MLX5DV_OBJ_QP | MLX5DV_OBJ_CQ); error != 0)
    throw call_failed("mlx5dv_init_obj", device.verbs.name(), error < 0 ? errno : error, "install a newer rdma-core");
  must_be(sending.sq.stride, sizeof(work_queue_entry), "bytes per send queue entry", "install a newer rdma-core");
  must_be(sending.sq.wqe_cnt, entries, "send queue entries", "install a newer rdma-core");
  must_be(completing.cqe_size, sizeof(completion_entry), "bytes per completion queue entry", "unset MLX5_CQE_SIZE");
  must_be(completing.cqe_cnt, entries, "completion queue entries", "install a newer rdma-core");
  auto const& memory = device.memory;
  if (!memory.has(sending.sq.buf, entries * sizeof(work_queue_entry)) || !memory.has(sending.dbrec, record_bytes) ||
      !memory.has(completing.buf, entries * sizeof(completion_entry)) || !memory.has(completing.dbrec, record_bytes))
    throw failure(
        "rdma: libmlx5 has not made the queue in the memory that packetwarp offers (MLX5DV_CTX_ATTR_BUF_ALLOCATORS): "
        "install a newer rdma-core");
  if (sending.bf.reg == nullptr || reinterpret_cast<std::uintptr_t>(sending.bf.reg) % sizeof(std::uint64_t) != 0)
    throw failure("rdma: libmlx5 names no doorbell register that takes 8 bytes: install a newer rdma-core");
  // Each doorbell is stored at the register's beginning, as DPDK (mlx5_doorbell_ring) and DeepEP (ibgda_ring_db) do it.
  // libmlx5 alternates between the halves of a BlueFlame register because it copies whole entries to it; a store of
  // 8 bytes has no need of that, and a register that takes no copies (bf.size of 0) has one place only.
  parts_ = {.entries = static_cast<work_queue_entry*>(sending.sq.buf),
            .completions = static_cast<completion_entry*>(completing.buf),
            .send_record = reinterpret_cast<std::uint32_t*>(sending.dbrec) + send_word,
            .completion_record = reinterpret_cast<std::uint32_t*>(completing.dbrec) + consumer_word,
            .doorbell = static_cast<std::uint64_t*>(sending.bf.reg),
            .cursors = nullptr,
            .size = entries,
            .number = queue_->qp_num};
  // No CQE is valid yet. libmlx5 writes the same, and a device none before the queue is connected.
  for (auto& entry : std::span{parts_.completions, entries}) entry.tail = std::uint64_t{completion_invalid} << 60;
}

}  // namespace packetwarp::rdma
