// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "plan/worker_list.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "plan/listed_workers.h"

namespace packetwarp {
namespace {

using namespace test;

struct unsound_case {
  std::string what;
  std::vector<listed_worker> workers;
  std::string said;
};

class unsound_workers : public testing::TestWithParam<unsound_case> {};

TEST_P(unsound_workers, are_refused_where_they_are_written) {
  std::vector<std::string> const ports{"lan", "wan"};
  try {
    require_sound(with_places(GetParam().workers), ports);
    FAIL() << "accepted";
  } catch (usage_error const& wrong) {
    EXPECT_EQ(wrong.what(), GetParam().said);
  }
}

// A forwarding worker that has queue n of both ports.
listed_worker whole(unsigned lcore, unsigned n) {
  return forwarding_on(lcore, {on_port(0, {n}, {n}), on_port(1, {n}, {n})});
}

INSTANTIATE_TEST_SUITE_P(
    of, unsound_workers,
    testing::Values(
        unsound_case{"none", {}, "no worker is listed"},
        unsound_case{"no_master", {whole(1, 0)}, "workers[0]: no worker is the master; add {lcore: 0, role: master}"},
        unsound_case{
            "two_masters", {master_on(0), master_on(2), whole(1, 0)}, "workers[1]: lcore 0 is the master already"},
        unsound_case{"a_master_with_queues",
                     {{.place = {}, .lcore = lcore_id{0}, .role = worker_role::master, .ports = {on_port(0, {0}, {})}}},
                     "workers[0]: the master has no queues; leave out 'ports'"},
        unsound_case{"a_master_alone", {master_on(0)}, "workers[0]: no worker forwards; add one of role forwarding"},
        unsound_case{"two_kni_workers",
                     {master_on(0), kni_on(1, {on_port(0, {8}, {8})}), kni_on(2, {on_port(0, {9}, {9})})},
                     "workers[2]: lcore 1 is the kni worker already"},
        unsound_case{"an_lcore_twice",
                     {master_on(0), whole(1, 0), whole(1, 1)},
                     "workers[2]: lcore 1 is that of workers[1] already; give each an lcore of its own"},
        unsound_case{
            "a_receiver_on_a_workers_lcore",
            {master_on(0), forwarding_on(1, {isolated(on_port(0, {0}, {0}), 2), on_port(1, {}, {0})}), whole(2, 1)},
            "workers[1].ports[0]: lcore 2 is that of workers[2] already; give each an lcore of its own"},
        unsound_case{"a_receiver_on_its_own_workers_lcore",
                     {master_on(0), forwarding_on(1, {isolated(on_port(0, {0}, {0}), 1), on_port(1, {}, {0})})},
                     "workers[1].ports[0]: lcore 1 is that of workers[1] already; give each an lcore of its own"},
        unsound_case{"a_receiver_of_two_workers",
                     {master_on(0), forwarding_on(1, {isolated(on_port(0, {0}, {0}), 3), on_port(1, {}, {0})}),
                      forwarding_on(2, {isolated(on_port(0, {1}, {1}), 3), on_port(1, {}, {1})})},
                     "workers[2].ports[0]: lcore 3 is the isolated receiver of workers[1] already; give each an lcore "
                     "of its own"},
        unsound_case{"an_rx_queue_of_two_workers",
                     {master_on(0), whole(1, 0), forwarding_on(2, {on_port(0, {1, 0}, {1}), on_port(1, {}, {1})})},
                     "workers[2].ports[0]: RX queue 0 of lan is lcore 1's already; a queue has one worker"},
        unsound_case{"a_tx_queue_of_two_workers",
                     {master_on(0), whole(1, 0), forwarding_on(2, {on_port(0, {1}, {1}), on_port(1, {}, {0})})},
                     "workers[2].ports[1]: TX queue 0 of wan is lcore 1's already; a queue has one worker"},
        unsound_case{"a_queue_of_a_forwarding_and_the_kni_worker",
                     {master_on(0), whole(1, 0), kni_on(2, {on_port(1, {1}, {0})})},
                     "workers[2].ports[0]: TX queue 0 of wan is lcore 1's already; a queue has one worker"},
        unsound_case{"a_queue_twice",
                     {master_on(0), forwarding_on(1, {on_port(0, {0, 0}, {0}), on_port(1, {}, {0})})},
                     "workers[1].ports[0]: RX queue 0 of lan is lcore 1's already; a queue has one worker"},
        unsound_case{"a_port_twice",
                     {master_on(0), forwarding_on(1, {on_port(0, {0}, {0}), on_port(0, {1}, {1})})},
                     "workers[1].ports[1]: port lan is there twice"},
        unsound_case{"no_rx_queue",
                     {master_on(0), forwarding_on(1, {on_port(0, {}, {0}), on_port(1, {}, {0})})},
                     "workers[1]: it receives nothing; give it rx_queues of a port"},
        unsound_case{"no_tx_queue_of_a_port",
                     {master_on(0), forwarding_on(1, {on_port(0, {0}, {0}), on_port(1, {0}, {})})},
                     "workers[1]: it has no TX queue of wan, by which any packet may leave; give it tx_queues there"},
        unsound_case{"a_port_missing",
                     {master_on(0), forwarding_on(1, {on_port(1, {0}, {0})})},
                     "workers[1]: it has no TX queue of lan, by which any packet may leave; give it tx_queues there"},
        unsound_case{"a_receiver_without_queues",
                     {master_on(0), forwarding_on(1, {on_port(0, {0}, {0}), isolated(on_port(1, {}, {0}), 2)})},
                     "workers[1].ports[1]: isolated_rx has no queue to receive from; give rx_queues"},
        unsound_case{"a_receiver_of_the_kni_worker",
                     {master_on(0), whole(1, 0), kni_on(2, {isolated(on_port(0, {1}, {1}), 3)})},
                     "workers[2].ports[0]: isolated_rx is a forwarding worker's"},
        unsound_case{"a_kni_worker_without_queues",
                     {master_on(0), whole(1, 0), kni_on(2, {})},
                     "workers[2]: it has no queues; give it rx_queues, tx_queues or both of a port"}),
    [](auto const& given) { return given.param.what; });

TEST(sound_workers, may_have_either_direction_alone_where_that_is_of_use) {
  std::vector<std::string> const ports{"lan", "wan"};
  auto const sound = [&](std::vector<listed_worker> workers) { require_sound(with_places(std::move(workers)), ports); };
  EXPECT_NO_THROW(sound({master_on(0), whole(1, 0)}));
  EXPECT_NO_THROW(sound({whole(1, 0), master_on(7)})) << "in any order";
  EXPECT_NO_THROW(sound({master_on(0), forwarding_on(1, {on_port(0, {0, 1}, {0}), on_port(1, {}, {3, 4})})}));
  EXPECT_NO_THROW(sound({master_on(0), whole(1, 0), kni_on(2, {on_port(0, {1}, {})})}));
  EXPECT_NO_THROW(sound({master_on(0), whole(1, 0), kni_on(2, {on_port(0, {}, {1})})}));
  EXPECT_NO_THROW(
      sound({master_on(0), forwarding_on(1, {isolated(on_port(0, {0}, {0}), 2), isolated(on_port(1, {0}, {0}), 2)})}))
      << "a worker's receiver may have all of its ports";
}

}  // namespace
}  // namespace packetwarp
