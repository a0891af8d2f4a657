// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "function/forward/forward.h"
#include "plan/listed_workers.h"
#include "plan/machines.h"
#include "plan/plan.h"

namespace packetwarp {
namespace {

using namespace test;
using testing::ElementsAre;
using testing::IsEmpty;

// "1 forwarding: r0 e0 t0", in the plan's order.
std::vector<std::string> workers_of(plan const& p) {
  std::vector<std::string> all;
  for (auto const& worker : p.workers) {
    auto line = fmt::format("{} {}:", worker.lcore.id.value(), worker.role);
    for (auto const& job : worker.jobs) line += fmt::format(" {}{}", to_string(job.kind).front(), job.pipeline);
    all.push_back(line);
  }
  return all;
}

// "0.1 > 0.1 1.1": a pipeline's RX queue and the TX queues of each port.
std::vector<std::string> ways_of(plan const& p) {
  std::vector<std::string> all;
  for (auto const& one : p.pipelines) {
    auto line = fmt::format("{}.{} >", one.rx_port.value(), one.rx_queue.value());
    for (auto const& to : one.egresses) line += fmt::format(" {}.{}", to.port.value(), to.queue.value());
    all.push_back(line);
  }
  return all;
}

// "2+1": RX and TX queues that a port is set up with.
std::vector<std::string> set_up(plan const& p) {
  std::vector<std::string> all;
  for (auto const& port : p.ports) all.push_back(fmt::format("{}+{}", port.config.rx_queues, port.config.tx_queues));
  return all;
}

[[nodiscard]] listed_worker spread(listed_worker worker, unsigned execute_on, unsigned transmit_on) {
  worker.execute_on = lcore_id{execute_on};
  worker.transmit_on = lcore_id{transmit_on};
  return worker;
}

std::vector<unsigned> spread_over(planned_port const& port) {
  std::vector<unsigned> all;
  for (auto const queue : port.config.rss_queues) all.push_back(queue.value());
  return all;
}

std::string said_of(data_plane_config const& config, machine_facts const& machine) {
  try {
    (void)make_plan(config, machine);
  } catch (usage_error const& wrong) {
    return wrong.what();
  }
  return "planned";
}

// A machine whose CPUs, except the first, are the workers' own.
machine_facts quiet_machine(unsigned lcores, unsigned ports) {
  auto machine = machine_with(lcores, ports);
  for (unsigned cpu = 1; cpu < 64; ++cpu) machine.cpus.isolated.push_back(cpu);
  return machine;
}

// Ports that spread packets over their queues, and can be told over which.
machine_facts with_rss(machine_facts machine, std::uint16_t table = 128) {
  for (auto& port : machine.ports) {
    port.rss_types = 1;
    port.rss_table = table;
  }
  return machine;
}

// The reference's first example: a master, four forwarding workers with a queue each.
std::vector<listed_worker> four_workers() {
  std::vector<listed_worker> all{master_on(0)};
  for (unsigned n = 0; n < 4; ++n) all.push_back(forwarding_on(n + 1, {on_port(0, {n}, {n})}));
  return all;
}

TEST(listed_plan, three_lcores_share_a_pipeline) {
  auto const worker = forwarding_on(1, {on_port(0, {0}, {0}), on_port(1, {0}, {0})});
  auto config = with_workers({master_on(0), spread(worker, 2, 3)});
  EXPECT_THAT(workers_of(make_plan(config, quiet_machine(4, 2))),
              ElementsAre("0 master:", "1 forwarding: r0 r1", "2 execute: e0 e1", "3 transmit: t0 t1"));
  config.listed[1].transmit_on = lcore_id{2};
  EXPECT_THAT(workers_of(make_plan(config, quiet_machine(4, 2))),
              ElementsAre("0 master:", "1 forwarding: r0 r1", "2 execute: e0 t0 e1 t1"));
  config.listed[1].transmit_on.reset();
  EXPECT_THAT(workers_of(make_plan(config, quiet_machine(4, 2))),
              ElementsAre("0 master:", "1 forwarding: r0 r1", "2 execute: e0 t0 e1 t1"));
}

TEST(listed_plan, the_receiving_lcore_gives_bursts_to_a_gpu_for_another_that_collects_them) {
  auto const worker = forwarding_on(1, {on_port(0, {0}, {0}), on_port(1, {}, {0})});
  auto config = with_workers({master_on(0), spread(worker, 2, 3)});
  config.executor = executor_kind::kernel;
  auto const p = make_plan(config, quiet_machine(4, 2));
  EXPECT_THAT(workers_of(p), ElementsAre("0 master:", "1 forwarding: r0 g0", "2 execute: e0", "3 transmit: t0"));
  EXPECT_TRUE(p.pipelines[0].gives_apart);
}

TEST(listed_plan, an_lcore_that_runs_the_function_for_a_worker_is_no_other_workers) {
  auto const worker = forwarding_on(1, {on_port(0, {0}, {0}), on_port(1, {}, {0})});
  auto const other = forwarding_on(2, {on_port(0, {1}, {1}), on_port(1, {}, {1})});
  EXPECT_THAT(said_of(with_workers({master_on(0), spread(worker, 2, 3), other}), quiet_machine(5, 2)),
              testing::HasSubstr("lcore 2 is that of workers[2] already"));
}

TEST(listed_plan, has_each_worker_on_its_lcore_with_its_queues) {
  auto const p = make_plan(with_workers(four_workers()), quiet_machine(5, 1));
  EXPECT_THAT(workers_of(p), ElementsAre("0 master:", "1 forwarding: r0 e0 t0", "2 forwarding: r1 e1 t1",
                                         "3 forwarding: r2 e2 t2", "4 forwarding: r3 e3 t3"));
  EXPECT_THAT(ways_of(p), ElementsAre("0.0 > 0.0", "0.1 > 0.1", "0.2 > 0.2", "0.3 > 0.3"));
  EXPECT_THAT(set_up(p), ElementsAre("4+4"));
  EXPECT_EQ(p.config.pipelines, 4);
  EXPECT_THAT(p.notices, IsEmpty());
  EXPECT_FALSE(p.kni);
}

// The reference's second: the master is lcore 2, and each forwarding worker has another lcore receive.
TEST(listed_plan, has_isolated_receivers_on_lcores_of_their_own) {
  std::vector<listed_worker> workers{master_on(2)};
  constexpr unsigned forwarding[]{0, 1, 3, 4};
  for (unsigned n = 0; n < 4; ++n) {
    workers.push_back(forwarding_on(forwarding[n], {isolated(on_port(0, {n}, {n}), 5 + n, 1U << 20)}));
  }
  auto machine = quiet_machine(9, 1);
  std::swap(machine.main, machine.others[1]);
  auto const p = make_plan(with_workers(workers), machine);
  EXPECT_THAT(workers_of(p), ElementsAre("2 master:", "0 forwarding: r0 e0 t0", "5 isolated-receive: i0",
                                         "1 forwarding: r1 e1 t1", "6 isolated-receive: i1", "3 forwarding: r2 e2 t2",
                                         "7 isolated-receive: i2", "4 forwarding: r3 e3 t3", "8 isolated-receive: i3"));
  for (auto const& pipeline : p.pipelines) EXPECT_EQ(pipeline.isolated_ring, 1048576u);
  EXPECT_GE(p.pool.packets, 4u * 1048576u) << "as many as the rings hold";
}

TEST(listed_plan, bounds_the_pool_where_that_is_asked_for) {
  auto config = with_workers({master_on(0), forwarding_on(1, {isolated(on_port(0, {0}, {0}), 2, 1U << 20)})});
  config.pool_packets = 60000;
  auto p = make_plan(config, quiet_machine(3, 1));
  EXPECT_EQ(p.pool.packets, 65535u);
  EXPECT_THAT(p.notices, IsEmpty());
  // queues 1024 + 1024, burst ring (4 + 2) x 32, caches 3 x 768, and the control plane's
  config.pool_packets = 4000;
  p = make_plan(config, quiet_machine(3, 1));
  EXPECT_EQ(p.pool.packets, 16383u);
  EXPECT_THAT(p.notices, ElementsAre(fmt::format("packet pool: 4000 packets asked for; queues, bursts, caches and the "
                                                 "control plane alone hold {}",
                                                 4544 + p.control->packets())));
}

TEST(listed_plan, deals_a_workers_tx_queues_over_its_pipelines) {
  auto const p =
      make_plan(with_workers({master_on(0), forwarding_on(1, {on_port(0, {0, 1}, {0, 1}), on_port(1, {0}, {0})}),
                              forwarding_on(2, {on_port(1, {1}, {1}), on_port(0, {}, {2})})}),
                quiet_machine(3, 2));
  EXPECT_THAT(ways_of(p), ElementsAre("0.0 > 0.0 1.0", "0.1 > 0.1 1.0", "1.0 > 0.0 1.0", "1.1 > 0.2 1.1"));
  EXPECT_THAT(workers_of(p),
              ElementsAre("0 master:", "1 forwarding: r0 e0 t0 r1 e1 t1 r2 e2 t2", "2 forwarding: r3 e3 t3"));
  EXPECT_THAT(set_up(p), ElementsAre("2+3", "2+2"));
}

TEST(listed_plan, has_one_receiver_for_all_ports_of_a_worker) {
  auto const p = make_plan(with_workers({master_on(0), forwarding_on(1, {isolated(on_port(0, {0, 1}, {0}), 2, 128),
                                                                         isolated(on_port(1, {0}, {0}), 2, 256)})}),
                           quiet_machine(3, 2));
  EXPECT_THAT(workers_of(p),
              ElementsAre("0 master:", "1 forwarding: r0 e0 t0 r1 e1 t1 r2 e2 t2", "2 isolated-receive: i0 i1 i2"));
  EXPECT_EQ(p.pipelines[0].isolated_ring, 128u);
  EXPECT_EQ(p.pipelines[1].isolated_ring, 128u);
  EXPECT_EQ(p.pipelines[2].isolated_ring, 256u);
}

TEST(listed_plan, keeps_the_kni_workers_queues_from_others) {
  auto workers = four_workers();
  workers.push_back(kni_on(9, {on_port(0, {8}, {8})}));
  auto const p = make_plan(with_workers(workers), with_rss(quiet_machine(10, 1)));
  ASSERT_TRUE(p.kni);
  EXPECT_EQ(p.kni->place, "workers[5]");
  EXPECT_EQ(p.kni->lcore, lcore_id{9});
  ASSERT_EQ(p.kni->ports.size(), 1u);
  EXPECT_EQ(p.kni->ports[0].port, port_id{0});
  EXPECT_THAT(p.kni->ports[0].rx_queues, ElementsAre(queue_id{8}));
  EXPECT_THAT(p.kni->ports[0].tx_queues, ElementsAre(queue_id{8}));
  EXPECT_EQ(workers_of(p).back(), "9 kni:");
  EXPECT_THAT(set_up(p), ElementsAre("9+9"));
  EXPECT_THAT(spread_over(p.ports[0]), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(p.notices,
              ElementsAre("lcore 5, 6, 7, 8: no worker is listed on it",
                          "port 0 (net_null0): no worker receives from RX queue 4, 5, 6, 7; RSS puts nothing there",
                          "port 0 (net_null0): no worker sends by TX queue 4, 5, 6, 7"));
}

TEST(listed_plan, leaves_the_spreading_alone_where_every_queue_forwards) {
  auto const p = make_plan(with_workers(four_workers()), with_rss(quiet_machine(5, 1)));
  EXPECT_THAT(spread_over(p.ports[0]), IsEmpty());
}

TEST(listed_plan, warns_of_queues_that_a_port_without_rss_may_fill) {
  auto const p = make_plan(with_workers({master_on(0), forwarding_on(1, {on_port(0, {1}, {1})})}), quiet_machine(2, 1));
  EXPECT_THAT(spread_over(p.ports[0]), IsEmpty());
  EXPECT_THAT(
      p.notices,
      ElementsAre("port 0 (net_null0): no worker receives from RX queue 0; packets that the port puts there are lost",
                  "port 0 (net_null0): no worker sends by TX queue 0"));
}

TEST(listed_plan, refuses_queues_that_rss_would_fill_and_cannot_leave_out) {
  auto const machine = with_rss(quiet_machine(3, 1), 0);
  auto const forwarding = forwarding_on(1, {on_port(0, {0}, {0})});
  EXPECT_EQ(said_of(with_workers({master_on(0), forwarding, kni_on(2, {on_port(0, {1}, {1})})}), machine),
            "workers[1].ports[0]: port 0 (net_null0) spreads packets over all of its RX queues (RSS) and cannot leave "
            "out 1; give each of them a forwarding worker");
  EXPECT_EQ(said_of(with_workers({master_on(0), forwarding, kni_on(2, {on_port(0, {}, {1})})}), machine), "planned");
}

TEST(listed_plan, refuses_what_the_machine_does_not_have) {
  auto const forwarding = [](unsigned lcore, unsigned queue) {
    return forwarding_on(lcore, {on_port(0, {queue}, {queue})});
  };
  EXPECT_EQ(said_of(with_workers({master_on(0), forwarding(7, 0)}), quiet_machine(3, 1)),
            "workers[1]: the EAL has no lcore 7; it has 0, 1, 2 (--lcores, -l)");
  EXPECT_EQ(said_of(with_workers({master_on(1), forwarding(2, 0)}), quiet_machine(3, 1)),
            "workers[0]: the EAL's main lcore is 0; give it --main-lcore 1, or the master lcore 0");
  EXPECT_EQ(said_of(with_workers({master_on(5), forwarding(2, 0)}), quiet_machine(3, 1)),
            "workers[0]: the EAL has no lcore 5; it has 0, 1, 2 (--lcores, -l)");
  EXPECT_EQ(
      said_of(with_workers({master_on(0), forwarding_on(1, {isolated(on_port(0, {0}, {0}), 4)})}), quiet_machine(3, 1)),
      "workers[1].ports[0]: the EAL has no lcore 4; it has 0, 1, 2 (--lcores, -l)");
  EXPECT_EQ(said_of(with_workers({master_on(0), forwarding(1, 16)}), quiet_machine(2, 1)),
            "workers[1].ports[0]: port 0 (net_null0) has no RX queue 16; it can have 16, 0 to 15");
  auto one_queue = quiet_machine(2, 1);
  one_queue.ports[0].max_tx_queues = 1;
  EXPECT_EQ(said_of(with_workers({master_on(0), forwarding(1, 1)}), one_queue),
            "workers[1].ports[0]: port 0 (net_null0) has no TX queue 1; it can have one, 0");
}

TEST(listed_plan, refuses_workers_that_do_not_go_together) {
  EXPECT_EQ(said_of(with_workers({master_on(0)}), quiet_machine(2, 1)),
            "workers[0]: no worker forwards; add one of role forwarding");
}

TEST(listed_plan, is_for_functions_that_send_by_any_port) {
  auto config = with_workers(four_workers());
  config.function = &facts_of<forward>;
  EXPECT_EQ(said_of(config, quiet_machine(5, 1)),
            "workers are listed for functions that send by any port; forward sends by a port's peer");
}

}  // namespace
}  // namespace packetwarp
