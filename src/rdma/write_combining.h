// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/host_device.h"

namespace packetwarp::rdma {

// Stands before and after a CPU's store to a doorbell register. The register of a ConnectX is mapped as write-combining
// memory: a CPU orders stores to it neither with those to other memory nor with each other, and may keep them. The
// first fence sends the doorbell record ahead of the doorbell, the second one sends the doorbell. libmlx5 has the same
// two, mmio_wc_start() and mmio_flush_writes(), in post_send_db() of rdma-core's providers/mlx5/qp.c; the instructions
// are those of util/udma_barrier.h. A GPU needs none: its stores of system scope stay in the order of its fences.
HOST_DEVICE inline void write_combining_fence() {
#if defined(__CUDA_ARCH__)
#elif defined(__x86_64__)
  asm volatile("sfence" ::: "memory");
#elif defined(__aarch64__)
  asm volatile("dsb st" ::: "memory");
#else
#error "the fence of write-combining memory of this processor is not known"
#endif
}

}  // namespace packetwarp::rdma
