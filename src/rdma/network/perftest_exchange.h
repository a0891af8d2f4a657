// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "rdma/network/queue_key.h"
#include "rdma/network/tcp_stream.h"

namespace packetwarp::rdma {

// The exchange of perftest's programs over TCP, as version 6.06 has it: the ends tell each other messages of equal
// length, the client first. Later versions take that version's exchange if an end announces it. Every function throws
// failure in one line.

enum class exchange_role : std::uint8_t { client, server };

// The result that an end that has written tells the other.
struct told_result {
  std::uint64_t bytes{};       // of a write
  std::uint64_t iterations{};  // writes
  double peak{};               // MiB per second; Gb/s of ib_write_bw --report_gbits
  double average{};
  double messages{};  // millions per second
};

class perftest_exchange {
 public:
  static constexpr std::uint32_t least_cycle = 4096;

  // The time for one message, of a peer that has no reason to wait.
  perftest_exchange(tcp_stream stream, exchange_role role, std::chrono::milliseconds limit = std::chrono::seconds{30})
      : stream_{std::move(stream)}, role_{role}, limit_{limit} {}

  // The versions must go together, which the error line says.
  void agree_on_version();
  // Bytes after which the writes of a queue start at the beginning of its memory again: the larger of both ends'.
  [[nodiscard]] std::uint32_t agree_on_cycle();
  // The smaller one of both ends'.
  [[nodiscard]] std::uint32_t agree_on_mtu(std::uint32_t own);
  // The keys of both ends' queues; each end has as many.
  [[nodiscard]] std::vector<queue_key> trade_keys(std::span<queue_key const> own);
  // Returns when the peer has come as far. A server calls before_answer() once the client waits for its answer.
  void synchronize(queue_key const& own, std::function<void()> const& before_answer = {});
  // The server waits for the client's writes, for as long as they take.
  void await_end(queue_key const& own);
  // The server's own result is not used.
  [[nodiscard]] told_result trade_result(told_result const& own);
  // The results of ends that both write: waits for the peer's writes, for as long as they take.
  [[nodiscard]] told_result await_result(told_result const& own);
  // The last messages. Calls end_traffic() once the peer has come as far, so that it needs no answer to its packets any
  // more, and before the peer may leave. A peer that has closed already is right, too; end_traffic() is not called
  // then. Throws nothing.
  void close(queue_key const& own, std::function<void()> const& end_traffic);

  // The least request of the user that ends a wait from now on.
  void obey(stop_request least) { stream_.obey(least); }

  [[nodiscard]] tcp_stream const& stream() const { return stream_; }
  // "6.06", as the peer announced it.
  [[nodiscard]] std::string const& peer_version() const { return peer_version_; }

 private:
  // Sends and receives as many bytes, in the role's order; the received ones replace those sent.
  void trade(std::span<std::byte> bytes, std::chrono::milliseconds limit,
             std::function<void()> const& before_answer = {});
  void trade(std::span<std::byte> bytes) { trade(bytes, limit_); }
  [[nodiscard]] queue_key trade_key(queue_key const& own, std::chrono::milliseconds limit,
                                    std::function<void()> const& before_answer = {});
  [[nodiscard]] std::uint64_t trade_number(std::uint64_t own, std::chrono::milliseconds limit);
  // The limit is of the first message's.
  [[nodiscard]] told_result trade_result(told_result const& own, std::chrono::milliseconds limit);

  tcp_stream stream_;
  exchange_role role_;
  std::chrono::milliseconds limit_;
  std::string peer_version_;
};

}  // namespace packetwarp::rdma
