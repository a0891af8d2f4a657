// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "executor/executor_fixture.h"
#include "executor/gpu/gpu_work.h"
#include "executor/make.h"
#include "fixtures/eal_environment.h"
#include "function/swap_payload/swap_payload.h"
#include "function/swap_payload/swap_payload_oracle.h"
#include "gpu/packet_shuttle.h"

namespace packetwarp {
namespace {

[[maybe_unused]] auto* const eal = testing::AddGlobalTestEnvironment(new test::eal_environment);

constexpr std::uint32_t packets = 300;  // of every length up to this
constexpr std::uint32_t data_room = 512;
constexpr swap_payload::ref tables{egress_index{2}};

[[nodiscard]] packet_pool_config in_gpu(std::string name) {
  auto config = test::small_pool(std::move(name), 1023, data_room);
  config.gpu = 0;
  return config;
}

// Packets that no CPU can read, as from a port that writes into GPU memory. The test writes and reads them like the
// generator.
class placement_device_test : public test::executor_fixture, public testing::WithParamInterface<executor_kind> {
 protected:
  void SetUp() override {
    if (find_gpus().empty()) GTEST_SKIP() << "no GPU";
    settings_.gpu = open_gpu(0);
    settings_.timeout = std::chrono::seconds{10};
    in_gpu_ = std::make_unique<packet_pool>(in_gpu("in_gpu"));
    shuttle_ = std::make_unique<packet_shuttle>(0, packets, data_room);
    registrations_ = register_packet_pools(0);
  }

  [[nodiscard]] static std::vector<std::byte> frame(std::uint32_t n) { return test::numbered_bytes(n, n); }

  // Packet n, its first bytes in host memory and the rest in the GPU's; the contents follow with deliver().
  [[nodiscard]] rte_mbuf* make_packet(std::uint32_t n, std::uint32_t in_host) {
    auto const bytes = frame(n);
    std::copy(bytes.begin(), bytes.end(), shuttle_->room(n));
    auto const here = std::min(n, in_host);
    auto* const payload = here == n && n != 0 ? nullptr : rte_pktmbuf_alloc(&in_gpu_->get());
    if (payload != nullptr) {
      payload->data_len = static_cast<std::uint16_t>(n - here);
      payload->pkt_len = n - here;
      shuttle_->note(n, here, rte_pktmbuf_mtod(payload, std::byte*), n - here);
    }
    if (here == 0) return payload;
    auto* const header = test::make_packet(pool_, std::span{bytes}.first(here));
    if (payload == nullptr) return header;
    EXPECT_EQ(rte_pktmbuf_chain(header, payload), 0);
    return header;
  }

  void pass(placement where, std::uint32_t in_host) {
    settings_.where = where;
    auto const gpu = make_executor<swap_payload>(GetParam(), ring_, {tables, tables}, egress_index{0},
                                                 std::chrono::nanoseconds{0}, settings_);
    auto* const open = ring_.open();
    for (std::uint32_t n = 0; n < packets; ++n) open->packets[open->size++] = make_packet(n, in_host);
    open->has_chained = in_host != 0;
    // Before a persistent kernel starts: compute-sanitizer lets no second kernel run beside one.
    ASSERT_TRUE(shuttle_->to_gpu());
    auto& work = *gpu->on_gpu();
    work.start();
    ring_.publish();
    for (std::uint32_t done = 0; done < packets && !work.has_failed();) done += gpu->poll();
    EXPECT_EQ(work.stop(), end_state::ended);
    ASSERT_FALSE(work.has_failed());
    check(take_done());
  }

  void check(finished const& done) {
    ASSERT_EQ(done.packets.size(), packets);
    for (std::uint32_t n = 0; n < packets; ++n) read(*done.packets[n], n);
    ASSERT_TRUE(shuttle_->from_gpu());
    for (std::uint32_t n = 0; n < packets; ++n) {
      auto wanted = frame(n);
      test::swap_macs_and_payload(wanted.data(), wanted.size());
      EXPECT_EQ(std::vector<std::byte>(shuttle_->room(n), shuttle_->room(n) + n), wanted) << n;
      EXPECT_EQ(done.verdicts[n], n < test::shortest_frame ? verdict::drop(function_drop(forward::runt))
                                                           : verdict::forward(tables.egress))
          << n;
    }
    free(done);
    EXPECT_EQ(in_gpu_->available(), in_gpu_->config().packets);
    EXPECT_EQ(pool_.available(), pool_.config().packets);
  }

  // Every byte of a packet, or a note to fetch it.
  void read(rte_mbuf const& packet, std::uint32_t n) {
    std::fill_n(shuttle_->room(n), data_room, std::byte{0xee});
    std::uint32_t at = 0;
    for (auto const* segment = &packet; segment != nullptr; segment = segment->next) {
      auto* const data = rte_pktmbuf_mtod(segment, std::byte*);
      if (segment->pool == &in_gpu_->get()) {
        shuttle_->note(n, at, data, segment->data_len);
      } else {
        std::copy_n(data, segment->data_len, shuttle_->room(n) + at);
      }
      at += segment->data_len;
    }
  }

  gpu_settings settings_;
  std::unique_ptr<packet_pool> in_gpu_;
  std::unique_ptr<packet_shuttle> shuttle_;
  std::vector<memory_registration> registrations_;
};

TEST_P(placement_device_test, packets_in_gpu_memory_are_worked_on_there) { pass(placement::device, 0); }

TEST_P(placement_device_test, packets_that_a_port_has_split_are_worked_on_in_both_memories) {
  pass(placement::split, split_header_bytes);
}

INSTANTIATE_TEST_SUITE_P(of, placement_device_test,
                         testing::Values(executor_kind::kernel, executor_kind::persistent, executor_kind::graph),
                         [](auto const& given) { return std::string{to_string(given.param)}; });

}  // namespace
}  // namespace packetwarp
