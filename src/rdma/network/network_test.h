// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rdma/bandwidth/write_test.h"
#include "rdma/network/endpoint.h"
#include "rdma/network/perftest_exchange.h"

namespace packetwarp::rdma {

// perftest's programs, whose exchanges differ a little; packetwarp is the peer of one of them.
enum class perftest_program : std::uint8_t { write_bw, write_lat };

struct peer_settings {
  std::string server{};           // the server's name or address; empty: this end is the server
  std::string listen{"0.0.0.0"};  // of a server
  std::uint16_t tcp_port{18515};
  perftest_program program{perftest_program::write_bw};
};

// Bytes of a queue's memory for writes of up to `largest` bytes: a peer may write anywhere in its cycle.
[[nodiscard]] std::uint32_t area_for(std::uint32_t largest);

// Two ends that have told each other their keys by perftest's exchange, and are connected. The other end is perftest's
// program, or packetwarp.
class connected_pair {
 public:
  // Connects, or awaits a client, and calls once_it_listens() when one can connect. Throws failure. The endpoint
  // outlives it.
  connected_pair(endpoint& own, peer_settings const& settings, std::function<void()> const& once_it_listens = {});

  [[nodiscard]] endpoint& own() { return *own_; }
  [[nodiscard]] exchange_role role() const { return role_; }
  [[nodiscard]] perftest_exchange& exchange() { return *exchange_; }
  [[nodiscard]] queue_key const& first_key() const { return keys_.front(); }
  [[nodiscard]] std::uint32_t mtu() const { return mtu_; }
  [[nodiscard]] std::uint32_t cycle() const { return cycle_; }

 private:
  endpoint* own_;
  exchange_role role_;
  std::vector<queue_key> keys_;
  std::optional<perftest_exchange> exchange_;
  std::uint32_t cycle_{};
  std::uint32_t mtu_{};
};

// Results of ends that write to each other.
struct two_way_result {
  write_test_result own{};
  told_result peers{};
};

// ib_write_bw: the client writes to the server's memory, and tells the server the result at the end. With its option
// -b each end writes to the other's memory at the same time, and tells the other its result.
class network_bandwidth {
 public:
  explicit network_bandwidth(connected_pair& pair);

  // The client's: writes of a size; every source holds a pattern, which arrives at the same offset of the target.
  [[nodiscard]] write_test_result run(std::uint32_t bytes, std::uint32_t posts, std::uint32_t iterations);
  // The client's: tells the server the last result, even if the user has asked to stop once.
  void tell(write_test_result const& last, std::uint32_t posts, std::uint32_t queues);
  // Either end's, with option -b, once: begins when the peer does, and returns when both have ended. If the user asks
  // once to stop, the rest of the own writes is left out. Throws failure, also if the peer wrote another size, or was
  // called without -b.
  [[nodiscard]] two_way_result run_both_ways(std::uint32_t bytes, std::uint32_t posts, std::uint32_t iterations);
  // The server's: awaits the client's end, and returns its result, in MiB/s if it was told in Gb/s.
  [[nodiscard]] told_result await();
  // After await() or run_both_ways(): that the targets hold the pattern of a peer that is packetwarp, as far as its
  // last size reaches, and nothing else was changed. An earlier size may have left more of the pattern. Returns the
  // bytes that were compared. Throws failure with the first that differs, and if none can be compared.
  [[nodiscard]] std::uint64_t check(told_result const& told, std::uint32_t queues);

 private:
  void fill_sources();
  void begin_both_ways();
  // Throws failure if the peer has written already, as one without -b does.
  void require_untouched();
  void check_target(std::uint32_t queue, std::uint64_t written);
  void close();

  connected_pair* pair_;
};

}  // namespace packetwarp::rdma
