// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <new>
#include <random>
#include <string>
#include <vector>

#include "feature/observe.h"

namespace packetwarp::feature {
namespace {

constexpr hash_key key{0x243f'6a88'85a3'08d3, 0x1319'8a2e'0370'7345};

struct timed_packet {
  packet_facts facts;
  std::uint64_t epoch;
};

__global__ void observe_all(timed_packet const* packets, unsigned count, state_ref state, std::int8_t* rows) {
  auto const i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) observe(packets[i].facts, packets[i].epoch, state, rows + std::size_t{i} * model::row_bytes);
}

template <class T>
T* managed(std::size_t count) {
  void* memory = nullptr;
  if (cudaMallocManaged(&memory, count * sizeof(T)) != cudaSuccess) throw std::bad_alloc{};
  std::memset(memory, 0, count * sizeof(T));
  return static_cast<T*>(memory);
}

// Many packets per epoch between few hosts, so that the threads of a warp meet at one record.
std::vector<timed_packet> random_traffic(unsigned hosts, unsigned ports) {
  std::minstd_rand random{3};
  std::vector<timed_packet> packets;
  std::uint64_t epoch = 250;
  for (unsigned launch = 0; launch < 40; ++launch) {
    for (unsigned i = 0; i < 2000; ++i) {
      packet_facts facts{.length = static_cast<std::uint32_t>(60 + random() % 1400), .ip_version = 4};
      facts.source.low = 1 + random() % hosts;
      facts.destination.low = 1 + random() % hosts;
      facts.has_ports = 1;
      facts.source_port = static_cast<std::uint16_t>(random() % ports);
      facts.destination_port = static_cast<std::uint16_t>(random() % ports);
      facts.protocol = 6;
      facts.kind = transport::tcp;
      facts.tcp_flags = static_cast<std::uint8_t>(random() % 64);
      packets.push_back({facts, epoch + random() % 2});
    }
    constexpr std::uint64_t steps[]{2, 2, 3, 5, 300};
    epoch += steps[random() % 5];
  }
  return packets;
}

// The packets in launches of 2,000: those of two epochs at once, as bursts are in flight.
struct observed {
  explicit observed(state_sizes sizes)
      : layout{sizes}, memory{managed<std::byte>(layout.bytes())}, state{layout.ref(memory, key, &spread)} {}
  ~observed() { cudaFree(memory); }
  observed(observed const&) = delete;
  observed& operator=(observed const&) = delete;

  std::vector<std::int8_t> on_gpu(std::vector<timed_packet> const& packets) {
    constexpr unsigned at_once = 2000;
    auto* const given = managed<timed_packet>(packets.size());
    auto* const rows = managed<std::int8_t>(packets.size() * model::row_bytes);
    std::memcpy(given, packets.data(), packets.size() * sizeof(timed_packet));
    for (std::size_t at = 0; at < packets.size(); at += at_once) {
      observe_all<<<(at_once + 127) / 128, 128>>>(given + at, at_once, state, rows + at * model::row_bytes);
    }
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    std::vector<std::int8_t> made{rows, rows + packets.size() * model::row_bytes};
    cudaFree(given);
    cudaFree(rows);
    return made;
  }
  std::vector<std::int8_t> on_cpu(std::vector<timed_packet> const& packets) {
    std::vector<std::int8_t> made(packets.size() * model::row_bytes);
    for (std::size_t i = 0; i < packets.size(); ++i) {
      observe(packets[i].facts, packets[i].epoch, state, &made[i * model::row_bytes]);
    }
    return made;
  }

  state_layout layout;
  std::byte* memory;
  std::uint64_t spread{};  // of the host's thread
  state_ref state;
};

template <class Record>
std::map<std::uint64_t, std::string> records_of(table_ref<Record> const& table) {
  std::map<std::uint64_t, std::string> found;
  for (std::size_t place = 0; place < 4 * (table.bucket_mask + 1); ++place) {
    if (table.keys[place] == 0) continue;
    std::string const bytes{reinterpret_cast<char const*>(&table.records[place]), sizeof(Record)};
    EXPECT_TRUE(found.emplace(table.keys[place], bytes).second) << "a key has two records";
  }
  return found;
}

[[nodiscard]] bool has_gpu() {
  int gpus = 0;
  return cudaGetDeviceCount(&gpus) == cudaSuccess && gpus != 0;
}

TEST(device, makes_the_rows_and_the_state_of_the_host) {
  if (!has_gpu()) GTEST_SKIP() << "no GPU";
  auto const packets = random_traffic(16, 8);
  observed gpu{{.flows = 65'536, .hosts = 1024}};
  observed cpu{{.flows = 65'536, .hosts = 1024}};
  auto const seen = gpu.on_gpu(packets);
  auto const wanted = cpu.on_cpu(packets);
  for (std::size_t i = 0; i < seen.size(); ++i) {
    ASSERT_EQ(seen[i], wanted[i]) << "packet " << i / model::row_bytes << ", feature " << i % model::row_bytes;
  }
  EXPECT_EQ(records_of(gpu.state.flows), records_of(cpu.state.flows));
  EXPECT_EQ(records_of(gpu.state.hosts), records_of(cpu.state.hosts));
  EXPECT_EQ(gpu.state.flows.counts->untracked, 0u);
}

TEST(device, gives_no_key_two_records_in_full_tables) {
  if (!has_gpu()) GTEST_SKIP() << "no GPU";
  auto const packets = random_traffic(500, 60'000);
  for (std::uint32_t const places : {8U, 64U}) {
    observed gpu{{.flows = places, .hosts = places}};
    gpu.on_gpu(packets);
    EXPECT_EQ(records_of(gpu.state.flows).size(), places);
    EXPECT_EQ(records_of(gpu.state.hosts).size(), places);
    for (auto const* counts : {gpu.state.flows.counts, gpu.state.hosts.counts}) {
      EXPECT_EQ(counts->inserted, places);
      EXPECT_GT(counts->replaced, 0u);
      EXPECT_GT(counts->untracked, 0u);
    }
    for (std::uint64_t bucket = 0; bucket <= gpu.state.flows.bucket_mask; ++bucket) {
      EXPECT_EQ(gpu.state.flows.locks[bucket], 0u);
    }
  }
}

}  // namespace
}  // namespace packetwarp::feature
