// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

struct CUstream_st;  // the type that cudaStream_t points to

namespace packetwarp::rdma::roce::test {

// Makes this process lose the GPU, with all kernels on it, by a kernel that writes where no memory is. It is made
// before kernels run that do not end: loading a kernel waits for them.
class gpu_breaker {
 public:
  gpu_breaker();
  void break_gpu() const;

 private:
  CUstream_st* beside_{};  // is left to the process
};

}  // namespace packetwarp::rdma::roce::test
