// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "rdma/region_table.h"
#include "rdma/roce/connection.h"
#include "rdma/roce/inbox.h"

namespace packetwarp::rdma::roce {

// Responders on a GPU: a kernel with a block per queue reads requests' frames, which a CPU thread gives, out of host
// memory, or their second pieces out of the GPU's, checks their ICRC, writes the payload to registered memory, which
// may be that GPU's, and gives answers. The CPU's work for a frame is its headers, and the port. Eight aligned bytes
// are stored at once, after all earlier payload, so that a kernel may poll them.
class gpu_responders {
 public:
  // pieces: that frames have at most; if two, each is given by both spans. The regions' memory outlives it; the GPU is
  // open (open_gpu). Throws usage_error without GPU code and for more connections than blocks run at a time, failure.
  gpu_responders(int gpu, std::span<connection_settings const> connections, std::span<region const> regions,
                 frame_pieces pieces = frame_pieces::one);
  gpu_responders(gpu_responders const&) = delete;
  gpu_responders& operator=(gpu_responders const&) = delete;
  ~gpu_responders();

  // Starts the kernel, once all memory is allocated. Throws failure.
  void start();
  // The reason why the kernel works no more although it was not told to end; empty while it works. Any thread.
  [[nodiscard]] std::string trouble() const;
  // Ends it. Throws failure if it does not end within seconds.
  void stop();

  // The inboxes of the connections, for one thread.
  [[nodiscard]] std::span<inbox_end> ends();
  // The sums over all connections, after stop().
  [[nodiscard]] responder_counters received() const;
  [[nodiscard]] std::uint64_t bad_icrc() const;

 private:
  struct kernel_state;
  std::unique_ptr<kernel_state> state_;
};

}  // namespace packetwarp::rdma::roce
