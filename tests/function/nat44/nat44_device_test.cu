// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <vector>

#include "function/chain.h"
#include "function/nat44/nat44_bed.h"
#include "function/nat44/session/age.h"
#include "function/nat44/session_checks.h"
#include "function/router/router.h"

namespace packetwarp::test {
namespace {

constexpr table_place on_gpu{0};
constexpr unsigned block = 256;

struct asked {
  std::uint64_t outside;
  nat::fault wrong;
};

// Thread n asks for session n % different.
__global__ void ask(nat44_ref tables, std::uint32_t threads, std::uint32_t different, asked* answers) {
  auto const n = blockIdx.x * blockDim.x + threadIdx.x;
  if (n >= threads) return;
  auto const host = n % different;
  nat::endpoint const inside{{0x0a000000 + host / 50}, static_cast<std::uint16_t>(2000 + host % 50)};
  auto const got = nat::session_of(tables, nat::transport::udp, inside, 0, tables.now(), nat::when_absent::make);
  answers[n] = {got.found.held.outside, got.wrong};
}

__global__ void sweep(nat44_ref tables) {
  auto const all = nat::records_to_age(tables);
  for (auto n = blockIdx.x * blockDim.x + threadIdx.x; n < all; n += gridDim.x * blockDim.x) {
    nat::age_record(tables, n, tables.now());
  }
}

__global__ void run(chain<nat44, router>::ref tables, std::byte* frame, std::uint32_t size, std::uint16_t* said) {
  *said = chain<nat44, router>::process({frame, size, size}, tables).raw();
}

template <class T>
struct managed {
  explicit managed(std::size_t count) {
    if (cudaMallocManaged(&data, count * sizeof(T)) != cudaSuccess) throw std::bad_alloc{};
  }
  ~managed() { cudaFree(data); }
  T* data{};
};

template <class T>
std::vector<T> read(T const* from, std::size_t count) {
  std::vector<T> all(count);
  EXPECT_EQ(cudaMemcpy(all.data(), from, count * sizeof(T), cudaMemcpyDeviceToHost), cudaSuccess);
  return all;
}

// The GPU's tables as they are, checked by the host.
table_facts check_on_host(nat44_table const& table) {
  auto tables = table.gpu();
  auto const rare = read(tables.rare, 1);
  auto settings = rare[0];
  auto sessions = read(tables.sessions, settings.sessions);
  auto buckets = read(tables.buckets, tables.bucket_mask + 1);
  auto outside = read(tables.outside, std::size_t{tables.pool_size} * nat::transports * nat::port_count);
  auto ports = read(settings.free_ports, std::size_t{tables.pool_size} * nat::transports * nat::words_of_ports);
  auto numbers = read(settings.free_sessions, nat::free_set::words_for(settings.sessions));
  tables.sessions = sessions.data();
  tables.buckets = buckets.data();
  tables.outside = outside.data();
  settings.free_ports = ports.data();
  settings.free_sessions = numbers.data();
  tables.rare = &settings;
  return check_tables(tables, tables.bucket_mask + 1);
}

nat44_config config_of(std::uint32_t sessions, std::uint32_t addresses, std::uint16_t first, std::uint16_t last) {
  auto made = small_nat();
  made.pool = {{ipv4("203.0.113.1"), {ipv4("203.0.113.0").number + addresses}}};
  made.sessions = sessions;
  made.address_room = addresses;  // every port is counted
  made.first_port = first;
  made.last_port = last;
  return made;
}

class nat44_device : public testing::Test {
 protected:
  void SetUp() override {
    int gpus = 0;
    if (cudaGetDeviceCount(&gpus) != cudaSuccess || gpus == 0) GTEST_SKIP() << "no GPU";
    (void)open_gpu(on_gpu.gpu);
  }
  static std::vector<asked> ask_for(nat44_table& table, std::uint32_t threads, std::uint32_t different) {
    managed<asked> answers{threads};
    ask<<<(threads + block - 1) / block, block>>>(table.gpu(), threads, different, answers.data);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    return {answers.data, answers.data + threads};
  }
  static void age(nat44_table& table) {
    sweep<<<64, block>>>(table.gpu());
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  }
};

TEST_F(nat44_device, threads_that_ask_for_the_same_sessions_at_once_get_the_same) {
  nat44_table table{config_of(100'000, 4, 1024, 65535), on_gpu};
  for (std::uint32_t different : {1u, 2u, 33u, 1000u, 65'536u}) {
    auto const answers = ask_for(table, 1U << 18, different);
    std::set<std::uint64_t> outsides;
    for (std::size_t n = 0; n < answers.size(); ++n) {
      ASSERT_EQ(answers[n].wrong, nat::fault::none);
      ASSERT_EQ(answers[n].outside, answers[n % different].outside);
      outsides.insert(answers[n].outside);
    }
    EXPECT_EQ(outsides.size(), different);
    auto const facts = check_on_host(table);
    EXPECT_EQ(facts.live, different) << "those of the rounds before are among them";
    EXPECT_EQ(facts.live + facts.free_sessions, 100'000u);
    EXPECT_EQ(facts.live + facts.free_ports, 4u * nat::transports * 64512);
  }
}

TEST_F(nat44_device, threads_that_run_out_of_ports_at_once_leave_none_behind_and_aging_gives_them_back) {
  auto config = config_of(100'000, 1, 5000, 5999);
  config.journal = 1U << 19;  // nothing of it is lost
  nat44_table table{config, on_gpu};
  std::uint64_t all_made = 0;
  for (std::uint32_t round = 0; round < 3; ++round) {
    table.tick(round * 1000);
    auto const answers = ask_for(table, 50'000, 50'000);
    auto const made = std::ranges::count(answers, nat::fault::none, &asked::wrong);
    auto const refused = std::ranges::count(answers, nat::fault::no_port, &asked::wrong);
    EXPECT_GE(made, 1000);
    EXPECT_EQ(made + refused, 50'000);
    EXPECT_EQ(check_on_host(table).live, 1000u);
    all_made += static_cast<std::uint64_t>(made);
    for (std::uint32_t later : {301u, 304u}) {
      table.tick(round * 1000 + later);
      age(table);
    }
    auto const facts = check_on_host(table);
    EXPECT_EQ(facts.live + facts.ended, 0u);
    EXPECT_EQ(facts.free_sessions, 100'000u);
    // A call reads a bounded number of the journal's records.
    for (int slice = 0; slice < 32; ++slice) table.maintain();
  }
  // A flow that had no answer makes room for a new one.
  EXPECT_EQ(table.counts().made, all_made);
  EXPECT_EQ(table.counts().ended, all_made);
  EXPECT_EQ(table.counts().evicted, all_made - 3000u);
  EXPECT_EQ(table.counts().live, 0u);
}

TEST_F(nat44_device, makes_no_session_once_they_are_refused_and_goes_on_with_the_others) {
  nat44_table table{config_of(10'000, 4, 1024, 65535), on_gpu};
  auto const before = ask_for(table, 1000, 1000);
  table.refuse_new_sessions();
  auto const answers = ask_for(table, 2000, 2000);
  for (std::size_t n = 0; n < answers.size(); ++n) {
    ASSERT_EQ(answers[n].wrong, n < 1000 ? nat::fault::none : nat::fault::draining);
    if (n < 1000) ASSERT_EQ(answers[n].outside, before[n].outside);
  }
  EXPECT_EQ(check_on_host(table).live, 1000u);
}

// By the journal, or by reading all sessions if the journal is too small.
class nat44_device_mirror : public nat44_device, public testing::WithParamInterface<std::uint32_t> {};

TEST_P(nat44_device_mirror, the_host_goes_on_with_the_gpus_sessions) {
  auto config = config_of(50'000, 2, 1024, 65535);
  config.journal = GetParam();
  nat44_table table{config, on_gpu};
  auto const on_device = ask_for(table, 20'000, 20'000);
  table.maintain();
  table.maintain();
  EXPECT_EQ(table.counts().live, 20'000u);
  EXPECT_EQ(table.counts().conflicts, 0u);
  table.gpu_failed();
  auto const tables = table.cpu();
  for (std::uint32_t n = 0; n < 20'000; ++n) {
    nat::endpoint const inside{{0x0a000000 + n / 50}, static_cast<std::uint16_t>(2000 + n % 50)};
    ASSERT_EQ(nat::find_inside(tables, nat::key_of(nat::transport::udp, inside)).held.outside, on_device[n].outside);
  }
  EXPECT_EQ(check_tables(tables, tables.bucket_mask + 1).live, 20'000u);
}
INSTANTIATE_TEST_SUITE_P(with_journal, nat44_device_mirror, testing::Values(65536u, 1024u),
                         testing::PrintToStringParamName());

TEST_F(nat44_device, translates_byte_for_byte_as_the_host_does) {
  auto const config = config_of(1000, 1, 1024, 65535);
  nat44_bed on_host{config};
  router_table routes{on_gpu, {.ipv4_groups = 64, .ipv6_groups = 16, .next_hops = 64, .hosts = 64}};
  nat44_bed::set_up(routes);
  routes.commit();
  nat44_table table{config, on_gpu};
  managed<std::byte> frame{2048};
  managed<std::uint16_t> said{1};
  auto const about = packet_builder{}.eth().ipv4("203.0.113.1", "192.0.2.9").udp(4000, 53).payload(20).build();
  std::vector<std::pair<interface_index, bytes>> const packets{
      {inside, coming(inside, "10.0.0.2", "192.0.2.9").udp(4000, 53).payload(18).build()},
      {outside, coming(outside, "192.0.2.9", "203.0.113.1").udp(53, 4000).payload(18).build()},
      {inside, coming(inside, "10.0.0.2", "192.0.2.9").udp(4000, 53).no_checksum().build()},
      {inside, coming(inside, "10.0.0.3", "192.0.2.9").tcp(4001, 80).payload(3).build()},
      {outside, coming(outside, "192.0.2.9", "203.0.113.1").tcp(80, 4001, 0x12).build()},
      {inside, coming(inside, "10.0.0.3", "192.0.2.9").icmp_echo(7000, 1).payload(8).build()},
      {outside, coming(outside, "192.0.2.9", "203.0.113.1").icmp_echo(7000, 1).payload(8).build()},
      {inside_too, coming(inside_too, "10.1.0.2", "203.0.113.1").udp(6000, 4000).payload(2).build()},
      {outside,
       coming(outside, "192.0.2.77", "203.0.113.1").protocol(1).payload(error_message(3, 3, about, 28)).build()},
      {inside, coming(inside, "10.0.0.2", "10.1.0.2").udp(1, 2).build()},
      {inside, coming(inside, "10.0.0.2", "192.0.2.9").options(to_bytes({1, 1, 1, 0})).udp(4000, 53).build()},
      {inside, coming(inside, "10.0.0.2", "192.0.2.9").ttl(1).udp(4000, 53).build()},
      {inside, coming(inside, "10.0.0.2", "192.0.2.9").fragment(0, 1).udp(4000, 53).build()},
      {outside, coming(outside, "192.0.2.9", "203.0.113.1").udp(53, 9).build()},
      {inside, coming(inside, "10.0.0.2", "192.0.2.9").protocol(47).payload(8).build()}};
  for (auto const& [from, packet] : packets) {
    auto wanted = packet;
    auto const wanted_verdict = on_host.process(wanted, from);
    std::ranges::copy(packet, frame.data);
    run<<<1, 1>>>(routed_nat44::ref{table.gpu(), routes.gpu(from)}, frame.data,
                  static_cast<std::uint32_t>(packet.size()), said.data);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(verdict::from_raw(*said.data), wanted_verdict) << name_of(wanted_verdict);
    EXPECT_EQ(to_hex({frame.data, packet.size()}), to_hex(wanted));
  }
}

}  // namespace
}  // namespace packetwarp::test
