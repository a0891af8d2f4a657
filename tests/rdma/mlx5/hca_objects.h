// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rdma/mlx5/software_hca.h"

namespace packetwarp::rdma::test {

// The layout of a device, and the double's objects, which libibverbs' are parts of.
inline constexpr std::size_t page_bytes = 4096, line_bytes = 64, entry_bytes = 64;
// MLX5_BF_OFFSET; a BlueFlame register has two halves of 256 bytes, and a page two registers.
inline constexpr std::size_t first_register = 0x800, register_bytes = 0x200, registers_of_page = 2;
inline constexpr std::size_t receive_bytes = 64;  // a receive queue of one entry lies before the send queue

struct software_hca::domain_object : ibv_pd {
  ibv_pd* parent{};
  ibv_td* thread{};
};
struct software_hca::completion_object : ibv_cq {
  std::byte* entries_at{};
  std::uint32_t* record{};
};
struct software_hca::queue_object : ibv_qp {
  std::byte* buffer{};
  std::uint32_t* record{};
  std::uint64_t* doorbell{};
  completion_object* completing{};
  std::uint32_t entries{};
  ibv_qp_state now{IBV_QPS_RESET};
  std::uint64_t seen{};  // in the register
  std::uint64_t rung{};  // for the engine
  std::unique_ptr<served_queue> engine;
  [[nodiscard]] std::byte* send_queue() const { return buffer + receive_bytes; }
};
struct software_hca::register_page {
  int file;
  std::byte* at;
};

template <class T>
T* software_hca::made(std::string const& kind, T* object) {
  ++held_[kind];
  return object;
}

}  // namespace packetwarp::rdma::test
