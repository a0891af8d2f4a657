// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
// The bytes of WQEs, doorbells and CQEs beside rdma-core's own structures and functions for ConnectX NICs.
#include <endian.h>
#include <infiniband/mlx5dv.h>

#include <cstring>
#include <random>

#include "queue_fixture.h"

namespace packetwarp::rdma {
namespace {

using test::queue_fixture;

struct mlx5_entry {
  mlx5_wqe_ctrl_seg control;
  mlx5_wqe_raddr_seg remote;
  union {
    mlx5_wqe_data_seg data;
    std::byte payload[32];
  };
};
static_assert(sizeof(mlx5_entry) == sizeof(work_queue_entry));

mlx5_entry as_mlx5(std::uint16_t index, std::uint8_t flags, std::uint8_t segments, memory_place remote) {
  mlx5_entry made{};
  mlx5dv_set_ctrl_seg(&made.control, index, MLX5_OPCODE_RDMA_WRITE, 0, 0xabcdef, flags, segments, 0, 0);
  made.remote.raddr = htobe64(remote.address);
  made.remote.rkey = htobe32(remote.key);
  return made;
}

class mlx5_format : public queue_fixture {
 protected:
  void expect_entry(std::uint64_t position, mlx5_entry const& expected) const {
    auto const& entry = pair.parts().entries[position % entries];
    EXPECT_EQ(std::memcmp(&entry, &expected, sizeof entry), 0) << "WQE at " << position;
  }
};

TEST_F(mlx5_format, writes_are_those_of_mlx5dv) {
  std::mt19937_64 random{1};
  for (int round = 0; round < 5000; ++round) {
    memory_place const from{random(), static_cast<std::uint32_t>(random())};
    memory_place const to{random(), static_cast<std::uint32_t>(random())};
    auto const bytes = static_cast<std::uint32_t>(1 + random() % (longest_message - 1));
    reservation const slots{random(), 2};
    queue.post_write(slots, 0, from, to, bytes);
    queue.post_write(slots, 1, from, to, bytes);
    for (std::uint32_t i = 0; i < 2; ++i) {
      auto const position = slots.begin + i;
      auto made = as_mlx5(static_cast<std::uint16_t>(position), i == 1 ? MLX5_WQE_CTRL_CQ_UPDATE : 0, 3, to);
      mlx5dv_set_data_seg(&made.data, bytes, from.key, from.address);
      expect_entry(position, made);
    }
  }
}

TEST_F(mlx5_format, a_group_writes_the_same) {
  reservation const slots{65530, entries};
  auto const request = [&](std::uint32_t i) { return write_request{local + i, remote + i, i + 1}; };
  queue.post_writes(single_thread{}, slots, request);
  for (std::uint32_t i = 0; i < entries; ++i) {
    auto made = as_mlx5(static_cast<std::uint16_t>(slots.begin + i), i + 1 == entries ? MLX5_WQE_CTRL_CQ_UPDATE : 0, 3,
                        remote + i);
    mlx5dv_set_data_seg(&made.data, i + 1, local.key, local.address + i);
    expect_entry(slots.begin + i, made);
  }
}

TEST_F(mlx5_format, inline_writes_are_those_of_mlx5dv) {
  for (std::uint32_t bytes = 1; bytes <= most_inline; ++bytes) {
    reservation const slots{bytes, 1};
    queue.post_write_inline(slots, 0, remote, source.data(), bytes);
    auto const segments = static_cast<std::uint8_t>(2 + (sizeof(mlx5_wqe_inl_data_seg) + bytes + 15) / 16);
    auto made = as_mlx5(static_cast<std::uint16_t>(bytes), MLX5_WQE_CTRL_CQ_UPDATE, segments, remote);
    auto const head = htobe32(bytes | MLX5_INLINE_SEG);
    std::memcpy(made.payload, &head, sizeof head);
    std::memcpy(made.payload + sizeof head, source.data(), bytes);
    expect_entry(bytes, made);
  }
}

TEST_F(mlx5_format, doorbell_record_and_doorbell_are_those_of_a_connectx) {
  auto const slots = write(3, 8);
  auto const& parts = pair.parts();
  EXPECT_EQ(*parts.send_record, htobe32(3));
  std::uint64_t control = 0;
  std::memcpy(&control, &parts.entries[slots.end() - 1], sizeof control);
  EXPECT_EQ(*parts.doorbell, control);
  serve();
  ASSERT_EQ(flush(slots), work_status::done);
  EXPECT_EQ(*parts.completion_record, htobe32(1));
  // The send queue's record is the second word of the two that a queue pair has.
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(parts.send_record) % 64, MLX5_SND_DBR * sizeof(std::uint32_t));
}

TEST_F(mlx5_format, completions_of_the_engine_are_read_by_mlx5dv) {
  for (std::uint64_t n = 0; n < 3 * entries; ++n) {
    auto* const cqe = reinterpret_cast<mlx5_cqe64*>(&pair.parts().completions[n % entries]);
    auto const slots = write(1, 8);
    serve();
    EXPECT_EQ(mlx5dv_get_cqe_opcode(cqe), MLX5_CQE_REQ);
    EXPECT_EQ(mlx5dv_get_cqe_owner(cqe), n / entries % 2);
    EXPECT_EQ(be16toh(cqe->wqe_counter), n);
    EXPECT_EQ(be32toh(cqe->sop_drop_qpn), std::uint32_t{MLX5_OPCODE_RDMA_WRITE} << 24 | number);
    ASSERT_EQ(flush(slots), work_status::done);
  }
}

TEST_F(mlx5_format, errors_of_the_engine_are_read_by_mlx5dv) {
  remote.key += 1;
  (void)write(1, 8);
  serve();
  auto const* const cqe = reinterpret_cast<mlx5_err_cqe const*>(pair.parts().completions);
  EXPECT_EQ(cqe->op_own >> 4, MLX5_CQE_REQ_ERR);
  EXPECT_EQ(cqe->syndrome, MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR);
  EXPECT_EQ(be16toh(cqe->wqe_counter), 0);
  EXPECT_EQ(be32toh(cqe->s_wqe_opcode_qpn) & 0xffffff, number);
}

TEST_F(mlx5_format, completions_made_with_mlx5dv_are_read) {
  (void)write(5, 8);
  auto* const cqe = reinterpret_cast<mlx5_cqe64*>(pair.parts().completions);
  EXPECT_FALSE(queue.poll());
  cqe->wqe_counter = htobe16(4);
  cqe->op_own = MLX5_CQE_REQ << 4;
  EXPECT_TRUE(queue.poll());
  EXPECT_EQ(queue.completed(), 5U);
  EXPECT_FALSE(queue.poll()) << "the next one has not come";
}

TEST_F(mlx5_format, syndromes_are_mlx5dvs) {
  EXPECT_EQ(static_cast<int>(work_status::local_length_error), MLX5_CQE_SYNDROME_LOCAL_LENGTH_ERR);
  EXPECT_EQ(static_cast<int>(work_status::local_operation_error), MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR);
  EXPECT_EQ(static_cast<int>(work_status::local_protection_error), MLX5_CQE_SYNDROME_LOCAL_PROT_ERR);
  EXPECT_EQ(static_cast<int>(work_status::flushed), MLX5_CQE_SYNDROME_WR_FLUSH_ERR);
  EXPECT_EQ(static_cast<int>(work_status::remote_access_error), MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR);
}

}  // namespace
}  // namespace packetwarp::rdma
