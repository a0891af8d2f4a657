// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rte_mbuf.h>

#include <array>
#include <functional>
#include <vector>

#include "fixtures/mbufs.h"
#include "fixtures/packet_builder.h"
#include "port/port_queues.h"
#include "worker/job.h"

namespace packetwarp::test {

// The fate of a packet in a faulty network.
enum class fate : std::uint8_t {
  pass,
  drop,
  duplicate,
  corrupt,  // a bit of its 20th byte is inverted
  swap_with_next,
  chain,        // harmless: it goes on as a chain of two mbufs
  add_stranger  // harmless: another sender's packet follows it
};

// Takes packets from one queue and sends them on by another, each to its fate. Keeps packets that the port does not
// take.
class faulty_relay final : public job {
 public:
  using fates = std::function<fate(std::uint64_t)>;  // of the n-th packet

  faulty_relay(rx_queue from, tx_queue to, packet_pool const& pool, fates chosen)
      : from_{from}, to_{to}, pool_{pool}, chosen_{std::move(chosen)} {}
  ~faulty_relay() override {
    for (auto* packet : waiting_) rte_pktmbuf_free(packet);
    rte_pktmbuf_free(held_);
  }

  std::uint32_t poll(tick const&) override {
    std::array<rte_mbuf*, 16> packets{};
    auto const n = waiting_.size() < 64 ? from_.receive(packets) : std::uint16_t{0};
    for (std::uint16_t i = 0; i < n; ++i) relay(packets[i], chosen_(seen_++));
    auto const sent = waiting_.empty() ? std::uint16_t{0} : to_.send(waiting_);
    waiting_.erase(waiting_.begin(), waiting_.begin() + sent);
    return n + sent;
  }
  [[nodiscard]] std::string name() const override { return "faulty relay"; }

 private:
  void relay(rte_mbuf* packet, fate what) {
    switch (what) {
      case fate::drop:
        rte_pktmbuf_free(packet);
        return;
      case fate::swap_with_next:
        held_ = packet;
        return;
      case fate::duplicate:
        waiting_.push_back(make_packet(pool_, bytes_of(*packet)));
        break;
      case fate::corrupt:
        rte_pktmbuf_mtod(packet, std::byte*)[19] ^= std::byte{4};
        break;
      case fate::chain:
        packet = chain_of(packet);
        break;
      case fate::add_stranger:
        waiting_.push_back(
            make_packet(pool_, packet_builder{}.eth().ipv4("10.0.0.1", "10.0.0.2").udp(7, 7).payload(30).build()));
        break;
      case fate::pass:
        break;
    }
    waiting_.push_back(packet);
    if (held_ != nullptr) waiting_.push_back(std::exchange(held_, nullptr));
  }
  rte_mbuf* chain_of(rte_mbuf* packet) {
    bytes const all = bytes_of(*packet);
    rte_pktmbuf_free(packet);
    auto const half = static_cast<std::ptrdiff_t>(all.size() / 2);
    auto* const head = make_packet(pool_, bytes{all.begin(), all.begin() + half});
    rte_pktmbuf_chain(head, make_packet(pool_, bytes{all.begin() + half, all.end()}));
    return head;
  }

  rx_queue from_;
  tx_queue to_;
  packet_pool const& pool_;
  fates chosen_;
  std::uint64_t seen_{};
  rte_mbuf* held_{};
  std::vector<rte_mbuf*> waiting_;
};

}  // namespace packetwarp::test
