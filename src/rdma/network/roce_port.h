// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "base/ids.h"
#include "base/process/owned_fd.h"
#include "memory/packet_pool.h"
#include "port/port.h"
#include "rdma/network/gpu_frames.h"
#include "rdma/network/gpu_requests.h"
#include "rdma/network/packet_limit.h"
#include "rdma/roce/roce_engine.h"
#include "wire/address.h"
#include "wire/arp.h"

namespace packetwarp::rdma {

struct roce_port_settings {
  port_id port{};
  wire::ipv4_address address{};  // this end's
  std::uint32_t mtu{};           // of a packet's payload; 0: the largest that fits the port's own MTU
  std::uint32_t packets{4095};   // of the pool of frames that are received, made and sent
  // The GPU that has frames in its memory: frames that it makes, and the second pieces of frames that the port
  // receives. -1: none, frames are in host memory.
  int gpu_of_frames{-1};
};

// Throws usage_error if a port does not send out of a GPU's memory, and split what it receives into that.
void require_frames_on_gpu(port_facts const& facts);

// The frames that a GPU makes, and the frames that it reads, if there are such.
struct work_of_gpu {
  gpu_frames* frames{};
  gpu_requests* requests{};
};

// A DPDK port with an IPv4 address, whose frames an engine takes and makes on a thread of the port's own. It answers
// ARP requests for its address. A kernel interface under the port may have the same address: its UDP port 4791 is then
// taken meanwhile, so that the kernel does not refuse the packets.
class roce_port {
 public:
  // Throws usage_error if the MTU does not fit the port, failure.
  explicit roce_port(roce_port_settings const& settings);
  roce_port(roce_port const&) = delete;
  roce_port& operator=(roce_port const&) = delete;
  ~roce_port();

  [[nodiscard]] std::uint32_t mtu() const { return mtu_; }
  [[nodiscard]] wire::ipv4_address address() const { return settings_.address; }
  [[nodiscard]] wire::mac_address mac() const { return port_->facts().mac; }
  // The MAC address of a neighbour, by ARP. Called before start(). Throws failure if there is no answer, and if the
  // user asks to stop.
  [[nodiscard]] wire::mac_address resolve(wire::ipv4_address neighbour);

  // The engine, whose frames the thread makes, and the work of a GPU. Only the thread uses them until stop().
  void start(roce::roce_engine& engine, work_of_gpu const& on_gpu);
  void stop();
  // Leaves frames in a GPU's memory to a kernel that does not end: they are not freed.
  void abandon_frames() {
    if (in_gpu_) in_gpu_->abandon();
  }
  // Packets that the driver did not take at once, or had no memory for; after stop().
  [[nodiscard]] std::uint64_t send_waits() const { return send_waits_; }
  // Frames that a driver did not take for so long that they were dropped; after stop().
  [[nodiscard]] std::uint64_t given_up() const { return given_up_; }
  // Frames to other MAC addresses, which a port that takes all receives, too; after stop().
  [[nodiscard]] std::uint64_t of_another_mac() const { return of_another_mac_; }

 private:
  void run();
  void receive(std::uint64_t now);
  // Whether the packet is the GPU's now.
  [[nodiscard]] bool take(rte_mbuf& packet, std::uint64_t now);
  void make_frames(std::uint64_t now);
  void take_frames();
  void open(port_facts const& facts, packet_limit const& limit);
  void transmit(std::uint64_t now);
  void give_up_stuck(std::uint64_t now);
  [[nodiscard]] bool has_blank();
  void send_arp(wire::arp_operation operation, wire::mac_address const& to, wire::ipv4_address about);
  // The neighbour's MAC address, if the frame says so; requests are answered.
  [[nodiscard]] std::optional<wire::mac_address> take_arp(std::span<std::byte const> frame, wire::ipv4_address wanted);

  static constexpr std::size_t burst = 32;
  static constexpr std::size_t most_unsent = 4096;

  roce_port_settings settings_;
  std::uint32_t mtu_{};
  owned_fd held_udp_port_;
  std::optional<packet_pool> pool_;
  std::optional<packet_pool> in_gpu_;  // frames, and second pieces, in a GPU's memory
  std::optional<port> port_;
  roce::roce_engine* engine_{};
  work_of_gpu on_gpu_;
  std::array<rte_mbuf*, burst> blank_{};  // for frames to come
  std::size_t blank_count_{};
  std::array<rte_mbuf*, most_unsent> unsent_{};  // a ring of frames that were made and not yet sent
  std::uint64_t made_{};                         // frames
  std::uint64_t sent_{};
  std::uint64_t send_waits_{};
  std::uint64_t given_up_{};
  std::uint64_t of_another_mac_{};
  std::uint64_t stuck_since_{};  // the time of the last frame that was sent, or of the last round without any to send
  std::uint32_t idle_rounds_{};
  bool moved_{};  // in this round
  std::atomic<bool> stop_{false};
  std::optional<pthread_t> thread_;
};

}  // namespace packetwarp::rdma
