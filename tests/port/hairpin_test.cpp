// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "port/flow/hairpin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fixtures/recording_nic.h"
#include "port/port.h"

namespace packetwarp {
namespace {

using test::recording_nic;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

port_facts facts_of(std::uint16_t id) {
  port_facts facts;
  facts.id = port_id{id};
  facts.name = "nic0";
  facts.driver = "net_some";
  return facts;
}

std::vector<std::size_t> all_next(hairpin_peers peers, std::size_t ports) {
  std::vector<std::size_t> all;
  for (std::size_t n = 0; n < ports; ++n) {
    all.push_back(hairpin_next(peers, ports, n));
    // The previous port is the one whose packets leave by this port.
    EXPECT_EQ(hairpin_previous(peers, ports, all.back()), n);
  }
  return all;
}

TEST(hairpin, leads_to_the_ports_that_testpmd_means_by_its_mode) {
  EXPECT_THAT(all_next(hairpin_peers::self, 3), ElementsAre(0, 1, 2));
  EXPECT_THAT(all_next(hairpin_peers::loop, 3), ElementsAre(1, 2, 0));
  EXPECT_THAT(all_next(hairpin_peers::pair, 4), ElementsAre(1, 0, 3, 2));
  EXPECT_THAT(all_next(hairpin_peers::pair, 3), ElementsAre(1, 0, 2));
}

TEST(hairpin, knows_the_bits_of_its_mode) {
  EXPECT_EQ(hairpin_mode_of(0x12)->peers, hairpin_peers::pair);
  EXPECT_EQ(hairpin_mode_of(0x12)->tx, hairpin_tx::by_rules);
  EXPECT_EQ(hairpin_mode_of(0x1)->peers, hairpin_peers::loop);
  EXPECT_EQ(hairpin_mode_of(0x1)->tx, hairpin_tx::by_driver);
  EXPECT_EQ(hairpin_mode_of(0)->peers, hairpin_peers::self);
  for (std::uint64_t const bits : {0x3UL, 0x4UL, 0x13UL, 0x20UL, 0x112UL}) {
    EXPECT_FALSE(hairpin_mode_of(bits).has_value()) << bits;
  }
}

TEST(hairpin, says_what_a_port_lacks) {
  recording_nic::instance() = {};
  EXPECT_EQ(hairpin_lack(facts_of(0), 16), std::nullopt);
  EXPECT_EQ(hairpin_lack(facts_of(0), 17), "port 0 (nic0): 17 hairpin queues asked for, it has 16");
  recording_nic::instance().hairpin_queues = 0;
  EXPECT_EQ(hairpin_lack(facts_of(0), 1), "port 0 (nic0): its driver net_some has no hairpin queues");
}

TEST(hairpin, sets_up_queues_behind_the_others) {
  recording_nic::instance() = {};
  hairpin_config const config{.queues = 2,
                              .mode = {},
                              .next = port_id{1},
                              .next_tx = queue_id{4},
                              .previous = port_id{2},
                              .previous_rx = queue_id{5}};
  set_up_hairpin_queues(facts_of(0), config, queue_id{1}, queue_id{3}, 512, 65535);
  EXPECT_THAT(recording_nic::instance().calls,
              ElementsAre("hairpin tx 0 3 descriptors 8192 peers 1 port 2 queue 5 manual 1 explicit 1",
                          "hairpin tx 0 4 descriptors 8192 peers 1 port 2 queue 6 manual 1 explicit 1",
                          "hairpin rx 0 1 descriptors 512 peers 1 port 1 queue 4 manual 1 explicit 1",
                          "hairpin rx 0 2 descriptors 512 peers 1 port 1 queue 5 manual 1 explicit 1"));
}

TEST(hairpin, is_bound_as_long_as_its_bindings_are) {
  recording_nic::instance() = {};
  {
    hairpin_bindings bindings;
    bindings.bind(port_id{1}, port_id{0});
    bindings.bind(port_id{0}, port_id{1});
  }
  EXPECT_THAT(recording_nic::instance().calls, ElementsAre("bind 1 0", "bind 0 1", "unbind 0 1", "unbind 1 0"));
}

}  // namespace
}  // namespace packetwarp
