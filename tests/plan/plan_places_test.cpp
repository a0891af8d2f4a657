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
using testing::ElementsAre;
using testing::IsEmpty;

// The reference's machine, with its hyperthreads on: CPUs n and n + 10 are a core, 0 to 4 and 10 to 14 on node 0, the
// others on node 1. Lcore n is on CPU n, and all CPUs are kept for workers.
machine_facts two_sockets(unsigned ports = 1) {
  auto machine = machine_with(20, ports);
  for (auto& lcore : machine.others) lcore.socket = lcore.id.value() % 10 < 5 ? 0 : 1;
  for (unsigned cpu = 0; cpu < 10; ++cpu) machine.cpus.shared_cores.push_back({cpu, cpu + 10});
  for (unsigned cpu = 0; cpu < 20; ++cpu) machine.cpus.isolated.push_back(cpu);
  return machine;
}

// The notices of places: notices of idle lcores belong to another test.
std::vector<std::string> notices_of(data_plane_config const& config, machine_facts const& machine) {
  auto all = make_plan(config, machine).notices;
  std::erase_if(all, [](auto const& text) { return text.find("no worker is listed") != text.npos; });
  std::erase_if(all, [](auto const& text) { return text.find("have nothing to do") != text.npos; });
  return all;
}

data_plane_config with_forwarding_on(unsigned lcore) {
  return with_workers({master_on(0), forwarding_on(lcore, {on_port(0, {0}, {0})})});
}

TEST(places, that_are_good_are_not_spoken_of) {
  EXPECT_THAT(notices_of(with_forwarding_on(1), two_sockets()), IsEmpty());
  EXPECT_THAT(notices_of(with_forwarding_on(19), two_sockets()), IsEmpty());
}

TEST(places, of_busy_workers_are_not_the_first_core) {
  auto machine = two_sockets();
  std::swap(machine.main, machine.others[4]);  // lcore 5 is the main one
  auto const forwarding_on_first = with_workers({master_on(5), forwarding_on(0, {on_port(0, {0}, {0})})});
  EXPECT_THAT(notices_of(forwarding_on_first, machine),
              ElementsAre("CPU 0 has lcore 0, where the kernel's own work gathers; use others (--lcores)"));
  EXPECT_THAT(notices_of(with_forwarding_on(10), two_sockets()),
              ElementsAre("CPU 10 has lcore 10 and is of one core with CPU 0, where the kernel's own work gathers; use "
                          "others (--lcores)"));
}

TEST(places, of_two_busy_workers_are_not_hyperthreads_of_one_core) {
  auto const two = [](unsigned one, unsigned other) {
    return with_workers(
        {master_on(0), forwarding_on(one, {on_port(0, {0}, {0})}), forwarding_on(other, {on_port(0, {1}, {1})})});
  };
  EXPECT_THAT(notices_of(two(1, 2), two_sockets()), IsEmpty());
  EXPECT_THAT(notices_of(two(1, 11), two_sockets()),
              ElementsAre("lcores 1 and 11 are on CPUs 1 and 11 of one core, and slow each other; only an isolated "
                          "receiver and the worker it receives for should be"));
  // A master that only watches is never busy.
  auto machine = two_sockets();
  std::swap(machine.main, machine.others[10]);  // lcore 11 is the main one
  EXPECT_THAT(notices_of(with_workers({master_on(11), forwarding_on(1, {on_port(0, {0}, {0})})}), machine), IsEmpty());
}

TEST(places, of_a_receiver_and_its_own_worker_may_be_one_core) {
  auto const first = forwarding_on(1, {isolated(on_port(0, {0}, {0}), 11)});
  EXPECT_THAT(notices_of(with_workers({master_on(0), first}), two_sockets()), IsEmpty());
  auto const crossed = with_workers({master_on(0), forwarding_on(1, {isolated(on_port(0, {0}, {0}), 12)}),
                                     forwarding_on(2, {isolated(on_port(0, {1}, {1}), 11)})});
  EXPECT_EQ(notices_of(crossed, two_sockets()).size(), 2u) << "each is beside the other's";
}

TEST(places, of_workers_that_were_dealt_jobs_may_not_be_one_core_either) {
  EXPECT_THAT(notices_of({.pipelines = 19, .burst_timeout = {}, .ports = {port_id{0}}},
                         [] {
                           auto machine = two_sockets();
                           machine.ports[0].max_rx_queues = machine.ports[0].max_tx_queues = 64;
                           machine.others.resize(11);  // lcores 1 to 11
                           return machine;
                         }()),
              testing::Contains(testing::HasSubstr("lcores 1 and 11 are on CPUs 1 and 11 of one core")));
}

TEST(places, of_listed_workers_are_cpus_of_their_own) {
  auto machine = two_sockets();
  machine.others[1].cpus = "1";  // lcore 2, too
  auto const config =
      with_workers({master_on(0), forwarding_on(1, {on_port(0, {0}, {0})}), forwarding_on(2, {on_port(0, {1}, {1})})});
  EXPECT_THAT(notices_of(config, machine),
              ElementsAre("CPU 1 has lcores 1, 2, which take turns; give each a CPU of its own (--lcores)"));
}

TEST(places, of_workers_are_near_their_nic) {
  auto machine = two_sockets();
  machine.ports[0].name = "0000:b5:00.0";
  machine.ports[0].socket = 1;
  EXPECT_THAT(notices_of(with_forwarding_on(6), machine), IsEmpty());
  EXPECT_THAT(
      notices_of(with_forwarding_on(1), machine),
      ElementsAre("lcore 1 is on NUMA node 0, and port 0 (0000:b5:00.0) on node 1: each packet crosses from one "
                  "to the other; give the worker a CPU of node 1"));
  // With a receiver beside the NIC it is the receiver's place that matters.
  EXPECT_THAT(notices_of(with_workers({master_on(0), forwarding_on(6, {isolated(on_port(0, {0}, {0}), 2)})}), machine),
              ElementsAre(testing::HasSubstr("lcore 2 is on NUMA node 0, and port 0")));
  machine.ports[0].socket = -1;
  EXPECT_THAT(notices_of(with_forwarding_on(1), machine), IsEmpty()) << "nobody knows where it is";
  machine.ports[0].socket = 1;
  machine.ports[0].name = "net_null0";
  EXPECT_THAT(notices_of(with_forwarding_on(1), machine), IsEmpty()) << "it is nowhere";
}

TEST(places, of_workers_are_near_their_gpu) {
  auto machine = two_sockets();
  machine.gpus = {{.index = 0, .name = "a GPU", .pci_address = "0000:1b:00.0", .socket = 1}};
  auto near = with_forwarding_on(6);
  auto far = with_forwarding_on(1);
  near.executor = far.executor = executor_kind::persistent;
  EXPECT_THAT(notices_of(near, machine), IsEmpty());
  EXPECT_THAT(
      notices_of(far, machine),
      ElementsAre("lcore 1 is on NUMA node 0, and GPU 0 on node 1: each burst crosses from one to the other; give "
                  "the worker a CPU of node 1"));
}

TEST(places, of_listed_workers_are_kept_from_the_kernels_scheduler) {
  auto machine = two_sockets();
  machine.cpus.isolated = {3, 4};
  auto const config =
      with_workers({master_on(0), forwarding_on(2, {on_port(0, {0}, {0})}), forwarding_on(3, {on_port(0, {1}, {1})}),
                    forwarding_on(1, {on_port(0, {2}, {2})})});
  EXPECT_THAT(notices_of(config, machine),
              ElementsAre("CPU 1-2: the kernel schedules other work there (isolcpus, see packetwarp doctor)"));
}

}  // namespace
}  // namespace packetwarp
