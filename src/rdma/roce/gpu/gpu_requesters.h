// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda/atomic>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "rdma/engine/engine_counters.h"
#include "rdma/queue_pair_ref.h"
#include "rdma/region_table.h"
#include "rdma/roce/connection.h"
#include "rdma/roce/mailbox.h"

namespace packetwarp::rdma::roce {

struct queue_on_gpu {
  connection_settings settings;
  queue_parts parts;
};

// Requesters on a GPU: a kernel with a block per queue reads the queue, decides which packets to send, makes their
// frames, payload and ICRC included, in blanks that a CPU thread gives, takes the peer's answers from it, and writes
// CQEs. The CPU's work for a frame is its blank, its length and the port. It is made before kernels run that do not
// end: GPU memory that is allocated or freed waits for them.
class gpu_requesters {
 public:
  // scope: device if the queues' memory and posting threads are in this GPU. pieces: of the frames that it makes. The
  // queues' memory and that of the regions outlive it; the GPU is open (open_gpu). Throws usage_error without GPU code
  // and for more queues than blocks run at a time, failure.
  gpu_requesters(int gpu, std::span<queue_on_gpu const> queues, std::span<region const> regions,
                 cuda::thread_scope scope, frame_pieces pieces = frame_pieces::one);
  gpu_requesters(gpu_requesters const&) = delete;
  gpu_requesters& operator=(gpu_requesters const&) = delete;
  ~gpu_requesters();

  // Starts the kernel, once all memory is allocated. Throws failure.
  void start();
  // The reason why the kernel works no more although it was not told to end; empty while it works. Any thread.
  [[nodiscard]] std::string trouble() const;
  // Ends it. Throws failure if it does not end within seconds.
  void stop();

  // The distance of a frame from the multiple of 16 bytes before it. From there to the next multiple of 16 after the
  // frame, the memory of a blank, which the GPU reaches, is the kernel's. The second piece begins at a multiple of 16.
  [[nodiscard]] static std::size_t lead();
  // The mailboxes of the queues, for one thread.
  [[nodiscard]] std::span<mailbox_end> ends();
  // The sums over all queues, after stop().
  [[nodiscard]] requester_counters sent() const;
  [[nodiscard]] engine_counters queues() const;

 private:
  struct kernel_state;
  std::unique_ptr<kernel_state> state_;
};

}  // namespace packetwarp::rdma::roce
