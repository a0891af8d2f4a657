// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
// NAT44 alone on a GPU: batches of 65,536 packets that lie in its memory, one thread per packet, as executors run it.
// Prints one number per line: packets per second with existing sessions, both ways, and sessions made per second.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

#include "executor/gpu/device/near_headers.cuh"
#include "function/chain.h"
#include "function/nat44/nat44.h"
#include "function/nat44/nat44_table.h"
#include "function/nat44/session/age.h"
#include "function/router/router.h"
#include "routing/router_table.h"
#include "wire/ethernet.h"

namespace packetwarp {
namespace {

constexpr std::uint32_t batch = 65536;
constexpr std::uint32_t batches = 32;  // of a measurement: more packets than caches hold
constexpr std::uint32_t stride = 128;
constexpr std::uint32_t frame = 60;
constexpr std::uint32_t sessions_per_host = 64;
constexpr std::uint32_t pool_addresses = 512;
constexpr std::uint32_t pool_first = 0xc6120000;  // 198.18.0.0
constexpr std::uint32_t remote = 0xc0000209;
constexpr std::uint64_t router_mac = 0x02'00'00'00'00'10;
constexpr interface_index inside{0};
constexpr interface_index outside{1};
enum class way : std::uint8_t { out, in };

void require_cuda(cudaError_t result, char const* what) {
  if (result != cudaSuccess) throw failure(std::string{what} + ": " + cudaGetErrorString(result));
}

// Session n's inside endpoint.
[[nodiscard]] HOST_DEVICE constexpr nat::endpoint inside_of(std::uint32_t n) {
  return {{0x0a00'0000 + n / sessions_per_host}, static_cast<std::uint16_t>(2048 + n % sessions_per_host * 17)};
}

__device__ void build(std::byte* at, nat::endpoint source, nat::endpoint destination, std::uint64_t to) {
  for (std::uint32_t i = 0; i < frame; ++i) at[i] = std::byte{0};
  wire::ethernet_view const ethernet{at};
  ethernet.set_destination(wire::mac_address::from_number(to));
  ethernet.set_source(wire::mac_address::from_number(0x02'00'00'00'00'99));
  ethernet.set_type(wire::ether_type::ipv4);
  wire::ipv4_view const ip{at + routing::ip_at};
  ip.set_header_length(20);
  ip.set_total_length(frame - routing::ip_at);
  ip.set_ttl(64);
  ip.set_protocol(wire::ip_protocol::udp);
  ip.set_source(source.address);
  ip.set_destination(destination.address);
  ip.fill_checksum();
  wire::udp_view const udp{at + routing::ip_at + 20};
  udp.set_source_port(source.port);
  udp.set_destination_port(destination.port);
  udp.set_length(frame - routing::ip_at - 20);
  udp.set_checksum(0x1234);
}

// Packets of sessions first, first + 1, ..., or of any of the first `among`.
__global__ void fill(std::byte* packets, std::uint32_t count, std::uint32_t first, std::uint32_t among, way go,
                     nat44_ref tables) {
  auto const i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  auto const n = among == 0 ? first + i : static_cast<std::uint32_t>(nat::mix(first + i + 1) % among);
  nat::endpoint const far{{remote}, 53};
  auto const near = inside_of(n);
  if (go == way::out) {
    build(packets + std::size_t{i} * stride, near, far, router_mac);
  } else {
    auto const found = nat::find_inside(tables, nat::key_of(nat::transport::udp, near));
    build(packets + std::size_t{i} * stride, far, nat::endpoint_of(found.held.outside), router_mac + 1);
  }
}

__global__ void work(chain<nat44, router>::ref tables, std::byte* packets, std::uint32_t count,
                     unsigned long long* refused) {
  auto const i = blockIdx.x * blockDim.x + threadIdx.x;
  bool const is_there = i < count;
  packet_view const packet{packets + std::size_t{i} * stride, frame, frame};
  device::near_headers<chain<nat44, router>> headers{packet, is_there};
  auto const said = is_there ? chain<nat44, router>::process(headers.view(), tables) : verdict::punt();
  headers.put_back(packet, said);
  if (is_there && said.what() != verdict::action::forward) atomicAdd(refused, 1);
}

__global__ void sweep(nat44_ref tables) {
  auto const all = nat::records_to_age(tables);
  for (auto n = blockIdx.x * blockDim.x + threadIdx.x; n < all; n += gridDim.x * blockDim.x) {
    nat::age_record(tables, n, tables.now());
  }
}

class bench {
 public:
  explicit bench(std::uint32_t sessions) : sessions_{sessions}, nat_{config_of(sessions), {0}} {
    routes_.add_interface(wire::mac_address::from_number(router_mac), 1500);
    routes_.add_interface(wire::mac_address::from_number(router_mac + 1), 1500);
    routes_.add_address(inside, {wire::ipv4_address{0x0bff'0001}, 24});
    routes_.add_address(outside, {wire::ipv4_address{0xc633'6401}, 24});
    neighbour_key const near{inside, wire::ipv4_address{0x0bff'0002}};
    neighbour_key const far{outside, wire::ipv4_address{0xc633'64fe}};
    routes_.set_route({wire::ipv4_address{0x0a00'0000}, 8}, near);
    routes_.set_route({wire::ipv4_address{0}, 0}, far);
    bool const has_room = routes_.set_neighbour(near, wire::mac_address::from_number(0x02'00'00'00'00'20)) &&
                          routes_.set_neighbour(far, wire::mac_address::from_number(0x02'00'00'00'00'21));
    if (!has_room) throw failure("bench: no room for two neighbours");
    routes_.commit();
    require_cuda(cudaMalloc(&packets_, std::size_t{batches} * batch * stride), "memory of packets");
    require_cuda(cudaMalloc(&refused_, sizeof *refused_), "a counter");
    require_cuda(cudaEventCreate(&begin_), "an event");
    require_cuda(cudaEventCreate(&end_), "an event");
    nat_.tick(1);
  }
  ~bench() {
    cudaFree(packets_);
    cudaFree(refused_);
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
  }
  bench(bench const&) = delete;
  bench& operator=(bench const&) = delete;

  void make_all() {
    float milliseconds = 0;
    unsigned long long refused = 0;
    for (std::uint32_t done = 0; done < sessions_;) {
      auto const count = std::min(sessions_ - done, batch * batches);
      auto const [took, not_made] = run(count, done, 0, way::out);
      milliseconds += took;
      refused += not_made;
      done += count;
    }
    say("new sessions", sessions_, milliseconds, refused);
  }
  void forward(way go, char const* name) {
    for (int round = 0; round < 3; ++round) {
      auto const [took, refused] = run(batches * batch, static_cast<std::uint32_t>(round) * 7919, sessions_, go);
      say(name, batches * batch, took, refused);
    }
  }
  void age() {
    cudaEventRecord(begin_);
    sweep<<<132 * 4, 256>>>(nat_.gpu());
    say("sweep, records", sessions_, finish(), 0);
  }

 private:
  static nat44_config config_of(std::uint32_t sessions) {
    nat44_config made;
    made.pool = {{{pool_first}, {pool_first + pool_addresses - 1}}};
    made.sessions = std::min(sessions + sessions / 8, 1U << 24);
    made.per_host = made.per_prefix = made.sessions;  // counted, and never reached
    made.interfaces = {nat::side::inside, nat::side::outside};
    made.journal = 1U << 20;
    return made;
  }
  [[nodiscard]] float finish() {
    cudaEventRecord(end_);
    require_cuda(cudaEventSynchronize(end_), "the measured work");
    float milliseconds = 0;
    cudaEventElapsedTime(&milliseconds, begin_, end_);
    return milliseconds;
  }
  [[nodiscard]] std::pair<float, unsigned long long> run(std::uint32_t count, std::uint32_t first, std::uint32_t among,
                                                         way go) {
    fill<<<(count + 255) / 256, 256>>>(packets_, count, first, among, go, nat_.gpu());
    cudaMemset(refused_, 0, sizeof *refused_);
    chain<nat44, router>::ref const tables{nat_.gpu(), routes_.gpu(go == way::out ? inside : outside)};
    cudaEventRecord(begin_);
    for (std::uint32_t at = 0; at < count; at += batch) {
      auto const size = std::min(batch, count - at);
      work<<<(size + 127) / 128, 128, 128 * near_stride>>>(tables, packets_ + std::size_t{at} * stride, size, refused_);
    }
    auto const took = finish();
    unsigned long long refused = 0;
    cudaMemcpy(&refused, refused_, sizeof refused, cudaMemcpyDeviceToHost);
    return {took, refused};
  }
  void say(char const* what, std::uint64_t count, float milliseconds, unsigned long long refused) const {
    std::printf("%9u sessions  %-18s %9.1f M/s  (%llu in %.3f ms, %llu refused)\n", sessions_, what,
                static_cast<double>(count) / milliseconds / 1e3, static_cast<unsigned long long>(count), milliseconds,
                refused);
  }

  std::uint32_t sessions_;
  router_table routes_{table_place{0}, {.ipv4_groups = 64, .ipv6_groups = 16, .next_hops = 64, .hosts = 64}};
  nat44_table nat_;
  std::byte* packets_{};
  unsigned long long* refused_{};
  cudaEvent_t begin_{};
  cudaEvent_t end_{};
};

}  // namespace
}  // namespace packetwarp

int main() {
  using namespace packetwarp;
  try {
    (void)open_gpu(0);
    for (std::uint32_t sessions : {10'000u, 1'000'000u, 1U << 24}) {
      bench one{sessions};
      one.make_all();
      one.forward(way::out, "inside to outside");
      one.forward(way::in, "outside to inside");
      one.age();
    }
  } catch (std::exception const& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
