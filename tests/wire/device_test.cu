// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <vector>

#include "fixtures/packet_builder.h"
#include "wire/parse.h"

namespace packetwarp::wire {
namespace {

struct outcome {
  layers found;
  std::uint16_t sum;
  std::uint16_t hop_checksum;
};

// The work of both sides: every header is parsed, every byte summed, and one header changed.
HOST_DEVICE outcome examine(std::byte* packet, std::size_t length) {
  outcome seen{parse(packet, length), internet_sum{}.add(packet, length).checksum(), 0};
  if (seen.found.error == parse_error::none && seen.found.l3 == l3_kind::ipv4) {
    ipv4_view const ip{packet + seen.found.l3_offset};
    ip.decrement_ttl();
    ethernet_view{packet}.swap_addresses();
    seen.hop_checksum = ip.checksum();
  }
  return seen;
}

constexpr std::size_t stride = 257;  // odd, so that packets start at odd addresses too

__global__ void examine_all(std::byte* packets, std::size_t const* lengths, outcome* seen, unsigned count) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    seen[i] = examine(packets + i * stride, lengths[i]);
  }
}

// Every truncation of each kind of packet.
std::vector<test::bytes> all_packets() {
  using test::packet_builder;
  std::vector<packet_builder> const builders{
      packet_builder{}.eth().ipv4().udp(1, 2).payload(18),
      packet_builder{}.eth().ipv4().options(test::to_bytes({1, 1, 1, 0})).tcp(1, 2).payload(7),
      packet_builder{}.eth().service_vlan(100).vlan(5).ipv4().icmp_echo(1, 2).payload(64),
      packet_builder{}.eth().ipv4().fragment(1480, 1).protocol(17).payload(99),
      packet_builder{}.eth().ipv6().hop_by_hop().routing().fragment6(0, 1).udp(1, 2).payload(33),
      packet_builder{}.eth().ipv6().icmp_echo(1, 2).payload(64),
      packet_builder{}.eth().arp_request("10.0.0.1", "10.0.0.2").pad_to(60),
  };
  std::vector<test::bytes> packets;
  for (auto const& builder : builders) {
    auto const whole = builder.build();
    for (std::size_t length = 0; length <= whole.size(); ++length) {
      packets.emplace_back(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length));
    }
  }
  return packets;
}

template <class T>
T* managed(std::size_t count) {
  void* memory = nullptr;
  if (cudaMallocManaged(&memory, count * sizeof(T)) != cudaSuccess) throw std::bad_alloc{};
  return static_cast<T*>(memory);
}

TEST(device, sees_in_every_packet_what_the_host_sees) {
  int gpus = 0;
  if (cudaGetDeviceCount(&gpus) != cudaSuccess || gpus == 0) GTEST_SKIP() << "no GPU";
  auto packets = all_packets();
  auto* const bytes = managed<std::byte>(packets.size() * stride);
  auto* const lengths = managed<std::size_t>(packets.size());
  auto* const seen = managed<outcome>(packets.size());
  for (std::size_t i = 0; i < packets.size(); ++i) {
    std::copy(packets[i].begin(), packets[i].end(), bytes + i * stride);
    lengths[i] = packets[i].size();
  }
  examine_all<<<4, 64>>>(bytes, lengths, seen, static_cast<unsigned>(packets.size()));
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  for (std::size_t i = 0; i < packets.size(); ++i) {
    outcome const wanted = examine(packets[i].data(), packets[i].size());
    EXPECT_EQ(seen[i].found, wanted.found) << i;
    EXPECT_EQ(seen[i].sum, wanted.sum) << i;
    EXPECT_EQ(seen[i].hop_checksum, wanted.hop_checksum) << i;
    EXPECT_TRUE(std::equal(packets[i].begin(), packets[i].end(), bytes + i * stride)) << i;
  }
  cudaFree(bytes);
  cudaFree(lengths);
  cudaFree(seen);
}

}  // namespace
}  // namespace packetwarp::wire
