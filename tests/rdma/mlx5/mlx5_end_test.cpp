// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "rdma/mlx5/mlx5_end.h"

#include <future>
#include <optional>

#include "base/thread/thread_sanitizer.h"
#include "rdma/mlx5/mlx5_fixture.h"
#include "rdma/network/network_latency.h"
#include "rdma/network/network_test.h"

namespace packetwarp::rdma::test {
namespace {

struct bandwidth_shape {
  std::uint32_t bytes;
  std::uint32_t queues;
  std::uint32_t posts;
  std::uint32_t iterations;
  initiator posting{initiator::cpu};
  memory_kind payload{memory_kind::host};
};

[[nodiscard]] endpoint_settings settings_of(bandwidth_shape const& shape) {
  return {.queues = shape.queues,
          .posts = shape.posts,
          .area = area_for(shape.bytes),
          .posting = shape.posting,
          .payload = shape.payload};
}

// rdma-bw between two machines, whose ends meet by perftest's exchange over the loopback.
class two_machines : public testing::Test {
 protected:
  void make(hca_manner const& manner = {}, gpu_manner gpu = {}) {
    client_.emplace(network_, manner, gpu, wire::ipv4_address{0x0a090002});
    server_.emplace(network_, manner, gpu, wire::ipv4_address{0x0a090001});
  }

  // Writes, and has every byte of the server's memory checked.
  void write(bandwidth_shape const& shape) {
    auto const port = free_tcp_port();
    auto serving = std::async(std::launch::async, [&] { return serve(shape, port); });
    auto const end = client_->open(settings_of(shape));
    doorbell_ = property(*end, "doorbell");
    reason_ = property(*end, "doorbell_reason");
    registration_ = property(*end, "registration");
    {
      connected_pair pair{*end, {.server = "127.0.0.1", .tcp_port = port}};
      network_bandwidth test{pair};
      auto const result = test.run(shape.bytes, shape.posts, shape.iterations);
      EXPECT_EQ(result.iterations, shape.iterations);
      test.tell(result, shape.posts, shape.queues);
    }
    end->stop();
    counters_ = end->counters();
    EXPECT_GT(serving.get(), 0U);
    auto const writes = std::uint64_t{shape.queues} * shape.posts * shape.iterations;
    auto const did = client_->hca->counters();
    EXPECT_EQ(did.writes, writes);
    EXPECT_EQ(did.bytes, writes * shape.bytes);
    EXPECT_EQ(did.completions, std::uint64_t{shape.queues} * shape.iterations);
    EXPECT_EQ(did.completion_overruns + did.queue_overruns + did.operation_errors, 0U);
  }
  void must_be_clean() const {
    client_->must_be_clean();
    server_->must_be_clean();
  }

  fabric network_;
  std::optional<machine_double> client_, server_;
  std::string doorbell_, reason_, registration_;
  std::vector<std::pair<std::string, std::uint64_t>> counters_;

 private:
  // The bytes that were compared.
  std::uint64_t serve(bandwidth_shape shape, std::uint16_t port) {
    shape.posting = initiator::cpu;
    auto const end = server_->open(settings_of(shape));
    connected_pair pair{*end, {.listen = "127.0.0.1", .tcp_port = port}};
    network_bandwidth test{pair};
    auto const told = test.await();
    return test.check(told, shape.queues);
  }
};

TEST_F(two_machines, every_byte_of_a_cpus_writes_arrives) {
  for (auto const& shape : {bandwidth_shape{64, 1, 16, 5}, {4096, 3, 10, 3}, {1, 2, 1, 4}, {70'000, 2, 3, 2}}) {
    make();
    write(shape);
    EXPECT_EQ(doorbell_, "cpu");
    EXPECT_EQ(registration_, "host memory");
    must_be_clean();
  }
}

TEST_F(two_machines, write_to_each_other_at_the_same_time) {
  make();
  bandwidth_shape const shape{4096, 3, 10, 3};
  auto const port = free_tcp_port();
  auto const write_and_check = [&](machine_double& machine, peer_settings const& peer) {
    auto const end = machine.open(settings_of(shape));
    connected_pair pair{*end, peer};
    network_bandwidth test{pair};
    auto const both = test.run_both_ways(shape.bytes, shape.posts, shape.iterations);
    EXPECT_EQ(both.own.iterations, shape.iterations);
    EXPECT_EQ(both.peers.iterations, shape.queues * shape.posts * shape.iterations);
    return test.check(both.peers, shape.queues);
  };
  auto serving = std::async(std::launch::async,
                            [&] { return write_and_check(*server_, {.listen = "127.0.0.1", .tcp_port = port}); });
  EXPECT_GT(write_and_check(*client_, {.server = "127.0.0.1", .tcp_port = port}), 0U);
  EXPECT_GT(serving.get(), 0U);
  must_be_clean();
}

TEST_F(two_machines, indices_of_16_bits_and_laps_of_both_queues_wrap) {
  make();
  write({8, 1, 64, 2100});  // 134,400 entries in a queue of 128
  must_be_clean();
}

TEST_F(two_machines, a_gpu_rings_registers_that_its_driver_maps) {
  make();
  write({256, 5, 8, 20, initiator::gpu});
  EXPECT_EQ(doorbell_, "gpu");
  EXPECT_EQ(reason_, "");
  EXPECT_THAT(counters_, testing::IsEmpty());
  EXPECT_EQ(client_->ledger.most_mapped, 3) << "two registers lie on a page, which is mapped once";
  must_be_clean();
}

TEST_F(two_machines, a_cpu_thread_rings_for_a_gpu_whose_driver_does_not_map_them) {
  make({}, {.maps_registers = false});
  write({256, 5, 8, 20, initiator::gpu});
  EXPECT_EQ(doorbell_, "proxy");
  EXPECT_EQ(reason_, "cudaHostRegister of the doorbell's page failed: not permitted");
  ASSERT_EQ(counters_.size(), 1U);
  EXPECT_EQ(counters_.front().first, "doorbells_by_proxy");
  EXPECT_GE(counters_.front().second, 100U) << "each iteration is awaited, so that each of its doorbells is seen";
  must_be_clean();
}

TEST_F(two_machines, a_proxy_passes_the_wraps_of_indices) {
  make({}, {.maps_registers = false});
  write({8, 1, 64, 2100, initiator::gpu});
  must_be_clean();
}

TEST_F(two_machines, a_gpu_does_not_ring_registers_that_queues_share) {
  make({.has_thread_domains = false});
  write({64, 2, 8, 5, initiator::gpu});
  EXPECT_EQ(doorbell_, "proxy");
  EXPECT_THAT(reason_, testing::StartsWith("queues share doorbell registers: ibv_alloc_td failed: "));
  must_be_clean();
}

TEST_F(two_machines, payload_of_a_gpu_is_registered_by_dma_buf_first) {
  make();
  write({4096, 2, 8, 3, initiator::gpu, memory_kind::device});
  EXPECT_EQ(registration_, "GPU memory by dma-buf");
  must_be_clean();
}

TEST_F(two_machines, and_by_a_peer_memory_module_if_either_side_refuses_dma_buf) {
  make({.takes_dma_buf = false});
  write({4096, 2, 8, 3, initiator::cpu, memory_kind::device});
  EXPECT_EQ(registration_, "GPU memory by nvidia-peermem");
  must_be_clean();
  make({}, {.exports_memory = false});
  write({4096, 2, 8, 3, initiator::gpu, memory_kind::device});
  EXPECT_EQ(registration_, "GPU memory by nvidia-peermem");
  must_be_clean();
}

TEST_F(two_machines, write_to_each_other_in_turn) {
#ifdef PACKETWARP_THREAD_SANITIZER
  GTEST_SKIP() << "rdma-lat polls bytes that a device writes, which is a race if a thread is the device";
#endif
  for (auto const posting : {initiator::cpu, initiator::gpu}) {
    make({}, {.maps_registers = false});
    auto const port = free_tcp_port();
    endpoint_settings const settings{.posts = 2, .area = area_for(64), .posting = posting};
    auto const measure = [&](machine_double& machine, peer_settings peer) {
      peer.tcp_port = port;
      peer.program = perftest_program::write_lat;
      auto const end = machine.open(settings);
      connected_pair pair{*end, peer};
      network_latency test{pair, settings};
      auto const result = test.run(64, 300);
      test.finish();
      return result.iterations;
    };
    auto serving = std::async(std::launch::async, [&] { return measure(*server_, {.listen = "127.0.0.1"}); });
    EXPECT_EQ(measure(*client_, {.server = "127.0.0.1"}), 300U);
    EXPECT_EQ(serving.get(), 300U);
    EXPECT_EQ(client_->hca->counters().writes, 300U);
    EXPECT_EQ(server_->hca->counters().writes, 300U);
    must_be_clean();
  }
}

// A peer of another size polls another byte, and so does this end: neither would ever write again.
TEST_F(two_machines, give_up_waiting_for_a_write_that_does_not_come) {
#ifdef PACKETWARP_THREAD_SANITIZER
  GTEST_SKIP() << "rdma-lat polls bytes that a device writes, which is a race if a thread is the device";
#endif
  make();
  auto const port = free_tcp_port();
  auto const reason = [&](machine_double& machine, peer_settings peer, std::uint32_t bytes) -> std::string {
    peer.tcp_port = port;
    peer.program = perftest_program::write_lat;
    endpoint_settings const settings{.posts = 2, .area = area_for(64), .timeout_code = 1};
    auto const end = machine.open(settings);
    connected_pair pair{*end, peer};
    try {
      (void)network_latency{pair, settings, patience{200'000'000}}.run(bytes, 10);
    } catch (failure const& wrong) {
      return wrong.what();
    }
    return "it has ended";
  };
  auto serving = std::async(std::launch::async, [&] { return reason(*server_, {.listen = "127.0.0.1"}, 2); });
  auto const of_client = reason(*client_, {.server = "127.0.0.1"}, 64);
  auto const of_server = serving.get();
  auto const advice = testing::HasSubstr("give both ends the same -s and -n");
  EXPECT_THAT(of_client, advice);
  EXPECT_THAT(of_server, advice);
  EXPECT_THAT((std::vector{of_client, of_server}), testing::Contains(testing::HasSubstr("came for 0.2 s")));
}

}  // namespace
}  // namespace packetwarp::rdma::test
