// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <functional>

#include "fixtures/eal_environment.h"
#include "fixtures/mbufs.h"
#include "fixtures/wire.h"
#include "master/data_plane.h"
#include "master/supervisor.h"

namespace packetwarp {
namespace {

[[maybe_unused]] auto* const eal =
    testing::AddGlobalTestEnvironment(new test::eal_environment{1, {"--vdev=net_null0", "--vdev=net_null1,size=64"}});

// Acts first, then runs the supervisor.
class onlooker final : public workforce::master {
 public:
  onlooker(supervisor& inner, std::function<void()> look) : inner_{inner}, look_{std::move(look)} {}
  run_phase supervise(cycles now) override {
    look_();
    return inner_.supervise(now);
  }

 private:
  supervisor& inner_;
  std::function<void()> look_;
};

// net_null makes packets from the data plane's own pool as fast as it is polled, and the wire of the other port holds
// more than the pool has.
class dry_pool : public testing::Test {
 protected:
  static constexpr std::uint32_t deeper_than_the_pool = 8192;

  static data_plane_config between(port_id from, port_id to) {
    data_plane_config config;
    config.ports = {from};
    if (to != from) config.ports.push_back(to);
    config.pipelines = 1;
    config.data_room = 256;
    config.pool_cache = 0;
    config.rx_descriptors = config.tx_descriptors = 64;
    return config;
  }
  std::uint64_t collect() {
    auto const packets = test::receive_all(far_end_.rx(queue_id{0}));
    for (auto* packet : packets) rte_pktmbuf_free(packet);
    collected_ += packets.size();
    return packets.size();
  }

  packet_pool pool_{test::small_pool("dry_pool_test", 63)};
  ring_wire wire_{test::make_wire(1, deeper_than_the_pool)};
  port far_end_{describe_port(wire_.right()), {}, pool_};
  std::uint64_t collected_{0};
};

TEST_F(dry_pool, stops_reception_only_until_packets_come_back) {
  data_plane plane{make_plan(between(port_id{0}, wire_.left()), read_machine())};
  auto const all = plane.pool().config().packets;
  supervisor inner{plane, {}, [](auto const&) {}};
  int looks_while_dry = 0;
  int times_dry = 0;
  onlooker master{inner, [&] {
                    bool const dry = plane.pool().available() < plane.planned().config.burst;
                    if (dry && ++looks_while_dry % 3 == 0) {
                      ++times_dry;
                      (void)collect();
                    }
                    if (times_dry == 3) inner.finish();
                    if (inner.cause() != end_cause::none) (void)collect();
                  }};
  plane.workers().run(master, std::chrono::seconds{60});
  (void)collect();
  auto const totals = plane.totals();
  EXPECT_GE(times_dry, 3);
  EXPECT_GT(totals.rx_packets, 2ull * (all - plane.planned().config.burst)) << "it went on each time";
  EXPECT_EQ(totals.rx_packets, totals.tx_packets);
  EXPECT_EQ(totals.dropped_packets, 0u);
  EXPECT_EQ(collected_, totals.tx_packets);
  EXPECT_EQ(plane.pool().available(), all) << "every packet came back";
}

// Both jobs share one pool: packets sent by one port must become free for the packets that the other receives.
TEST_F(dry_pool, is_never_made_by_a_port_that_frees_what_it_sends) {
  data_plane plane{make_plan(between(port_id{1}, port_id{1}), read_machine())};
  run_limits limits;
  limits.packets = 100'000;
  supervisor master{plane, limits, [](auto const&) {}};
  plane.workers().run(master, std::chrono::seconds{60});
  EXPECT_EQ(master.cause(), end_cause::packets);
  EXPECT_EQ(plane.totals().tx_packets, plane.totals().rx_packets);
  EXPECT_EQ(plane.pool().available(), plane.pool().config().packets);
}

}  // namespace
}  // namespace packetwarp
