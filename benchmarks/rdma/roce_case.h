// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "memory/packet_pool.h"
#include "memory/placement.h"
#include "port/port.h"
#include "rdma/network/gpu_frames.h"
#include "rdma/roce/connection.h"
#include "rdma/roce/frame.h"

// The cases of roce_frames_bench, and the ports of its threads.
namespace packetwarp::rdma::roce {

inline constexpr std::uint32_t posts = 512, mtu = 4096, first_number = 0x100;
inline constexpr std::size_t burst = 32;
inline constexpr reliability how_reliable{.mtu = mtu, .window = 128, .ask_every = 32, .timeout_ns = 1'000'000'000};
inline constexpr frame_path there{.source_mac = wire::mac_address::from_number(2),
                                  .destination_mac = wire::mac_address::from_number(4),
                                  .source = {0x0a00'0001},
                                  .destination = {0x0a00'0002}};
inline constexpr frame_path back{.source_mac = there.destination_mac,
                                 .destination_mac = there.source_mac,
                                 .source = there.destination,
                                 .destination = there.source};

enum class way : std::uint8_t { of_cpu, of_gpu, whole };
// Queues of all threads: a block of the poster, one of the requesters, and perhaps one of the responders each.
[[nodiscard]] constexpr std::uint32_t most_queues(way how) { return how == way::whole ? 64 : 128; }
[[nodiscard]] inline char const* to_string(way how) {
  return how == way::of_cpu ? "requesters of cpu" : how == way::of_gpu ? "requesters of gpu" : "whole way by gpu";
}

// A case: what makes and takes frames, and where they are.
struct frames_way {
  way how;
  placement where;
  [[nodiscard]] frame_pieces pieces() const {
    return where == placement::split ? frame_pieces::two : frame_pieces::one;
  }
};
[[nodiscard]] inline std::string name_of(frames_way const& with) {
  constexpr std::array places{"", ", frames in GPU memory", ", frames in two pieces"};
  return std::string{to_string(with.how)} + places[static_cast<std::size_t>(with.where)];
}

// A thread's port. A port that is closed is not opened again, so it stays for all measurements.
struct own_port {
  explicit own_port(std::uint32_t thread)
      : pool{{.name = "bench_" + std::to_string(thread), .packets = 16'383, .data_room = mtu + 256, .cache = 512}},
        firsts{{.name = "firsts_" + std::to_string(thread),
                .packets = 16'383,
                .data_room = first_piece_bytes + gpu_frames::room_to_align,
                .cache = 512}},
        rests{{.name = "rests_" + std::to_string(thread),
               .packets = 16'383,
               .data_room = mtu + 256,
               .cache = 512,
               .gpu = 0}},
        opened{describe_port(port_id{static_cast<std::uint16_t>(thread)}), port_config{}, rx_pools{pool}} {}
  [[nodiscard]] frame_pools pools(placement where) const {
    if (where == placement::split) return {&firsts.get(), &rests.get()};
    return {where == placement::host ? &pool.get() : &rests.get()};
  }
  packet_pool pool;
  packet_pool firsts;
  packet_pool rests;
  port opened;
};

}  // namespace packetwarp::rdma::roce
