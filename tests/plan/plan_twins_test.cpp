// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plan/listed_workers.h"
#include "plan/machines.h"
#include "plan/plan.h"

namespace packetwarp {
namespace {

using namespace test;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// A master, a forwarding worker of two ports, and a kernel interface beside the first.
data_plane_config with_twin(std::vector<listed_worker> workers) {
  auto config = with_workers(std::move(workers));
  config.twins.push_back({.port = port_id{0},
                          .interface = "lan.kni",
                          .mac = {},
                          .addresses = {},
                          .flows = {wire::ipv4_address{0x0a000001}}});
  return config;
}

listed_worker forwarding(unsigned isolated_on = 0) {
  auto first = on_port(0, {0}, {0}), second = on_port(1, {0}, {0});
  return forwarding_on(1, {isolated_on != 0 ? isolated(first, isolated_on) : first, second});
}

TEST(kernel_plan, the_master_serves_where_no_worker_does) {
  auto const p = make_plan(with_twin({master_on(0), forwarding()}), machine_with(4, 2));
  ASSERT_EQ(p.twins.size(), 1u);
  EXPECT_FALSE(p.twins[0].lcore);
  EXPECT_EQ(p.twins[0].out, twin_way_out::by_desk);
  EXPECT_EQ(p.twins[0].port, 0u);
  EXPECT_THAT(describe(p), HasSubstr("kernel interface lan.kni ("));
  EXPECT_THAT(describe(p), HasSubstr("beside port 0: carried by the master"));
}

TEST(kernel_plan, notes_where_the_kernel_gets_every_packet_twice) {
  auto machine = machine_with(4, 2);
  auto& facts = machine.ports[0];
  facts.driver = "net_af_packet";
  facts.kernel_interface = "eth1";
  facts.mac = wire::mac_address::from_number(0x020000000001);
  auto config = with_twin({master_on(0), forwarding()});
  config.twins[0].mac = facts.mac;
  auto const twice = Contains(HasSubstr("lan.kni: the kernel has port 0's eth1 too, with the same MAC address"));
  EXPECT_THAT(make_plan(config, machine).notices, twice);
  config.twins[0].mac = wire::mac_address::from_number(0x020000000002);
  EXPECT_THAT(make_plan(config, machine).notices, Not(twice));
  config.twins[0].mac = facts.mac;
  machine.ports[0].driver = "net_af_xdp";  // takes them away from the kernel
  EXPECT_THAT(make_plan(config, machine).notices, Not(twice));
}

TEST(kernel_plan, a_kni_worker_serves_by_the_queues_that_it_has_of_the_port) {
  auto const p =
      make_plan(with_twin({master_on(0), forwarding(), kni_on(3, {on_port(0, {1}, {2})})}), machine_with(4, 2));
  EXPECT_EQ(p.twins[0].lcore, lcore_id{3});
  EXPECT_THAT(p.twins[0].rx_queues, ElementsAre(queue_id{1}));
  EXPECT_EQ(p.twins[0].out, twin_way_out::by_queue);
  EXPECT_EQ(p.twins[0].tx_queue, queue_id{2});
  EXPECT_THAT(p.notices, Not(Contains(HasSubstr("lan.kni"))));
  EXPECT_THAT(describe(p), HasSubstr("carried by lcore 3, rxq 1, txq 2"));
}

TEST(kernel_plan, notes_that_without_a_tx_queue_the_kernel_sends_in_vain) {
  auto const p =
      make_plan(with_twin({master_on(0), forwarding(), kni_on(3, {on_port(0, {1}, {})})}), machine_with(4, 2));
  EXPECT_EQ(p.twins[0].out, twin_way_out::nowhere);
  EXPECT_THAT(p.notices, Contains(HasSubstr("lan.kni: its kni worker has no TX queue of port 0")));
}

TEST(kernel_plan, notes_that_nobody_leads_packets_past_forwarding_workers) {
  auto const kni = kni_on(3, {on_port(0, {}, {1})});
  auto const without = make_plan(with_twin({master_on(0), forwarding(), kni}), machine_with(4, 2));
  EXPECT_THAT(without.notices, Contains(HasSubstr("lan.kni: no address flow")));
  auto const with = make_plan(with_twin({master_on(0), forwarding(2), kni}), machine_with(4, 2));
  EXPECT_THAT(with.notices, Not(Contains(HasSubstr("no address flow"))));
}

TEST(kernel_plan, notes_what_address_flows_mean_for_a_chain_of_stages) {
  auto const notices = [](listed_worker forwards, queues const& own, std::vector<ip_address> flows) {
    auto config = with_twin({master_on(0), std::move(forwards), kni_on(3, {on_port(0, own, {1})})});
    config.twins[0].flows = std::move(flows);
    config.twins[0].stages = "rules, router";
    return make_plan(config, machine_with(4, 2)).notices;
  };
  auto const withheld =
      Contains(HasSubstr("lan.kni: no address flow: packets to its addresses go through the chain "
                         "[rules, router] first"));
  auto const past = Contains(HasSubstr("lan.kni: packets to 10.0.0.1 bypass the chain [rules, router]"));
  std::vector<ip_address> const one{wire::ipv4_address{0x0a000001}};
  EXPECT_THAT(notices(forwarding(2), {}, {}), withheld);
  EXPECT_THAT(notices(forwarding(), {1}, {}), withheld);
  EXPECT_THAT(notices(forwarding(), {}, {}), Not(withheld)) << "another notice says that there is none";
  EXPECT_THAT(notices(forwarding(2), {}, one), past);
  EXPECT_THAT(notices(forwarding(), {1}, one), past);
  EXPECT_THAT(notices(forwarding(), {}, one), Not(past));
}

TEST(kernel_plan, finds_a_kni_workers_port_that_has_no_kernel_interface) {
  auto const on_second = kni_on(3, {on_port(1, {}, {1})});
  auto const p = make_plan(with_twin({master_on(0), forwarding(), on_second}), machine_with(4, 2));
  EXPECT_EQ(kni_port_without_twin(p), port_id{1});
  EXPECT_FALSE(p.twins[0].lcore) << "the first port is not in its list: the master's";
  auto const both = kni_on(3, {on_port(0, {}, {1})});
  EXPECT_FALSE(kni_port_without_twin(make_plan(with_twin({master_on(0), forwarding(), both}), machine_with(4, 2))));
}

}  // namespace
}  // namespace packetwarp
