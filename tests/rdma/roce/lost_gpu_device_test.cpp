// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
// A GPU that is lost under requesters and responders. Needs a GPU, which this process loses.
#include <gtest/gtest.h>

#include <array>
#include <future>
#include <string>

#include "base/error.h"
#include "gpu/gpu.h"
#include "gpu_breaker.h"
#include "rdma/network/wait_watch.h"
#include "rdma/queue_pair.h"
#include "rdma/region_table.h"
#include "rdma/roce/gpu/gpu_requesters.h"
#include "rdma/roce/gpu/gpu_responders.h"

namespace packetwarp::rdma::roce::test {
namespace {

constexpr patience for_ever{~std::uint64_t{0}};

[[nodiscard]] std::string ended(std::string const& whose) {
  return "GPU 0: the " + whose +
         " kernel has ended: an illegal memory access was encountered (cudaErrorIllegalAddress)";
}

// No port takes the requester's frame, so that its write is under way when the GPU is lost.
TEST(lost_gpu, is_told_of_and_ends_the_waits_of_a_cpu) {
  if (find_gpus().empty()) GTEST_SKIP() << "no GPU can be used here";
  (void)open_gpu(0);
  gpu_breaker const breaker;
  placed_memory const payload{memory_kind::device, 0, 4096};
  region_table regions;
  memory_place const local{reinterpret_cast<std::uint64_t>(payload.data()),
                           regions.add(payload.data(), payload.size(), access::local_read)};
  queue_pair const queue{{.size = 4, .number = 0x101, .queue = memory_kind::pinned, .gpu = 0}};
  std::array<connection_settings, 1> const connections{
      {{.local_number = 0x101,
        .remote_number = 0x102,
        .how = {.mtu = 1024, .window = 64, .ask_every = 16, .timeout_ns = 1'000'000'000}}}};
  std::array<queue_on_gpu, 1> const queues{{{connections[0], queue.parts()}}};
  gpu_requesters requesters{0, queues, regions.regions(), cuda::thread_scope_system};
  gpu_responders responders{0, connections, regions.regions(), frame_pieces::one};
  requesters.start();
  responders.start();
  EXPECT_EQ(requesters.trouble(), "");
  EXPECT_EQ(responders.trouble(), "");
  wait_watch const watch{[&] { return requesters.trouble(); }, [&] { queue.end_waits(); }};

  auto const slots = queue.ref().reserve(single_thread{}, 1);
  queue.ref().post_write(slots, 0, local, {0x2000, 2}, 64);
  queue.ref().commit(single_thread{}, slots);
  auto waiting = std::async(std::launch::async, [&] { return queue.ref().flush(single_thread{}, slots, for_ever); });
  breaker.break_gpu();
  EXPECT_EQ(waiting.get(), work_status::waited_too_long);
  EXPECT_EQ(watch.reason(), ended("requesters'"));
  EXPECT_EQ(responders.trouble(), ended("responders'"));
  EXPECT_THROW(requesters.stop(), failure);
  EXPECT_THROW(responders.stop(), failure);
}

}  // namespace
}  // namespace packetwarp::rdma::roce::test
