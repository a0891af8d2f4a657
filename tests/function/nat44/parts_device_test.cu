// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "function/nat44/nat44_bed.h"
#include "function/nat44/nat44_tables.h"

// Sessions in parts, as kernels of a GPU see them: two parts in the memory of one GPU stand for those of two.
namespace packetwarp::test::nat44_parts_device_tests {
namespace {

constexpr std::size_t parts = 2;
constexpr std::size_t longest = 256;

__global__ void run_chain(routed_nat44::ref tables, std::byte* frame, std::uint32_t size, std::uint16_t* said) {
  *said = routed_nat44::process({frame, size, size}, tables).raw();
}

class nat44_parts_device : public testing::Test {
 protected:
  void SetUp() override {
    int gpus = 0;
    if (cudaGetDeviceCount(&gpus) != cudaSuccess || gpus == 0) GTEST_SKIP() << "no GPU";
    (void)open_gpu(0);
    ASSERT_EQ(cudaMallocManaged(&memory_, longest + sizeof(std::uint16_t)), cudaSuccess);
    table_places const places{{table_place{0}, table_place{0}}};
    routes_ = std::make_unique<router_table>(
        places, router_limits{.ipv4_groups = 64, .ipv6_groups = 16, .next_hops = 64, .hosts = 64});
    nat44_bed::set_up(*routes_);
    routes_->commit();
    tables_ = std::make_unique<nat44_tables>(small_nat(), places);
    tables_->tick(0);
  }
  void TearDown() override {
    if (memory_ != nullptr) cudaFree(memory_);
  }

  // The verdict of the last part that the packet comes to.
  verdict process(bytes& packet, interface_index from, std::size_t part) {
    for (std::size_t hops = 0; hops <= parts; ++hops) {
      std::copy(packet.begin(), packet.end(), memory_);
      auto* const said = reinterpret_cast<std::uint16_t*>(memory_ + longest);
      run_chain<<<1, 1>>>({tables_->part(part).gpu(), routes_->gpu(from, part)}, memory_,
                          static_cast<std::uint32_t>(packet.size()), said);
      EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
      std::copy_n(memory_, packet.size(), packet.begin());
      auto const verdict = verdict::from_raw(*said);
      if (verdict.what() != verdict::action::hand_over) return verdict;
      ++handed_;
      part = static_cast<std::size_t>(verdict.to_gpu());
    }
    ADD_FAILURE() << "it goes round";
    return {};
  }
  void expect(interface_index from, bytes const& packet, interface_index to, bytes const& wanted) {
    for (std::size_t part = 0; part < parts; ++part) {
      auto after = packet;
      EXPECT_EQ(process(after, from, part), forwarded(to)) << "at part " << part;
      EXPECT_EQ(to_hex(after), to_hex(wanted)) << "at part " << part;
    }
  }

  std::byte* memory_{};
  std::unique_ptr<router_table> routes_;
  std::unique_ptr<nat44_tables> tables_;
  std::size_t handed_{};
};

TEST_F(nat44_parts_device, translate_both_ways_whichever_part_a_packet_comes_to) {
  for (unsigned port = 1500; port < 2500; port += 37) {
    expect(inside, coming(inside, "10.0.0.2", "192.0.2.9").udp(port, 53).payload(4).build(), outside,
           leaving(outside, "203.0.113.1", "192.0.2.9").udp(port, 53).payload(4).build());
    expect(outside, coming(outside, "192.0.2.9", "203.0.113.1").udp(53, port).payload(4).build(), inside,
           leaving(inside, "192.0.2.9", "10.0.0.2").udp(53, port).payload(4).build());
  }
  EXPECT_EQ(handed_, 2U * 28) << "half of the packets, once each";
}

TEST_F(nat44_parts_device, translate_between_inside_hosts_of_two_parts) {
  for (unsigned theirs : {5000U, 5064U}) {
    auto opened = coming(inside_too, "10.1.0.2", "192.0.2.9").tcp(theirs, 80).build();
    ASSERT_EQ(process(opened, inside_too, 0), forwarded(outside));
    expect(inside, coming(inside, "10.0.0.2", "203.0.113.1").tcp(4000, theirs).build(), inside_too,
           leaving(inside_too, "203.0.113.1", "10.1.0.2").tcp(4000, theirs).build());
    expect(inside_too, coming(inside_too, "10.1.0.2", "203.0.113.1").tcp(theirs, 4000).build(), inside,
           leaving(inside, "203.0.113.1", "10.0.0.2").tcp(theirs, 4000).build());
  }
  EXPECT_GT(handed_, 0U);
}

TEST_F(nat44_parts_device, are_followed_by_the_host_and_go_on_there) {
  for (unsigned port = 2000; port < 2200; ++port) {
    auto packet = coming(inside, "10.0.0.2", "192.0.2.9").udp(port, 53).build();
    ASSERT_EQ(process(packet, inside, port % parts), forwarded(outside));
  }
  tables_->maintain(65536);
  std::size_t sessions = 0;
  tables_->for_each(0, tables_->records(), [&](nat44_session const& one) {
    ++sessions;
    EXPECT_EQ(one.inside.port, one.outside.port);
  });
  EXPECT_EQ(sessions, 200U);
  tables_->gpu_failed(1);
  auto packet = coming(outside, "192.0.2.9", "203.0.113.1").udp(53, 2112).build();  // of part 1: 2112 / 64 is 33
  auto const said = routed_nat44::process(nat44_bed::view_of(packet),
                                          routed_nat44::ref{tables_->part(1).cpu(), routes_->cpu(outside)});
  EXPECT_EQ(said, forwarded(inside));
}

}  // namespace
}  // namespace packetwarp::test::nat44_parts_device_tests
