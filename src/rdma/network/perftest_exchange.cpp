// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "rdma/network/perftest_exchange.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <string>

#include "base/error.h"
#include "wire/big_endian.h"

namespace packetwarp::rdma {
namespace {

constexpr std::string_view own_version = "6.06";
constexpr unsigned oldest_version = 570;
constexpr std::uint32_t cache_line = 64;
constexpr std::chrono::milliseconds as_long_as_it_takes = std::chrono::hours{24 * 365};

// Bytes of a peer for an error line.
[[nodiscard]] std::string printable(std::string_view text) {
  std::string made;
  for (char const c : text.substr(0, text.find('\0')))
    made += std::isprint(static_cast<unsigned char>(c)) != 0 ? c : '?';
  return made;
}

template <std::size_t Bytes>
[[nodiscard]] std::string_view text_of(std::array<std::byte, Bytes> const& bytes) {
  return {reinterpret_cast<char const*>(bytes.data()), bytes.size()};
}

[[nodiscard]] std::array<std::byte, queue_key::text_bytes> bytes_of(queue_key const& key) {
  auto const text = to_text(key);
  std::array<std::byte, queue_key::text_bytes> bytes{};
  std::copy_n(reinterpret_cast<std::byte const*>(text.data()), text.size(), bytes.begin());
  return bytes;
}

}  // namespace

void perftest_exchange::trade(std::span<std::byte> bytes, std::chrono::milliseconds limit,
                              std::function<void()> const& before_answer) {
  if (role_ == exchange_role::client) {
    stream_.write(bytes, limit_);
    stream_.read(bytes, limit);
    return;
  }
  std::vector<std::byte> const own{bytes.begin(), bytes.end()};
  stream_.read(bytes, limit);
  if (before_answer) before_answer();
  stream_.write(own, limit_);
}

void perftest_exchange::agree_on_version() {
  std::array<std::byte, 16> text{};
  std::copy_n(reinterpret_cast<std::byte const*>(own_version.data()), own_version.size(), text.begin());
  trade(text);
  auto const version = parse_version(text_of(text));
  peer_version_ = printable(text_of(text));
  if (!version || *version < oldest_version)
    throw failure(fmt::format("rdma: {} announces version '{}' of perftest's exchange; {}.{} or later is needed",
                              stream_.peer(), peer_version_, oldest_version / 100, oldest_version % 100));
}

std::uint32_t perftest_exchange::agree_on_cycle() {
  std::array<std::byte, 4> word{};
  wire::store_be<std::uint32_t>(word.data(), least_cycle);
  trade(word);
  auto const cycle = wire::load_be<std::uint32_t>(word.data());
  wire::store_be<std::uint32_t>(word.data(), cache_line);
  trade(word);
  constexpr std::uint32_t most_cycle = 1 << 24;
  if (cycle > most_cycle)
    throw failure(fmt::format("rdma: {} asks for a cycle of {} bytes; at most {} are possible", stream_.peer(), cycle,
                              most_cycle));
  return std::max(cycle, least_cycle);
}

std::uint32_t perftest_exchange::agree_on_mtu(std::uint32_t own) {
  std::array<std::byte, 2> code{};
  code[0] = static_cast<std::byte>('0' + std::countr_zero(own) - 7);
  trade(code);
  auto const peers = parse_mtu_code(text_of(code));
  if (!peers)
    throw failure(fmt::format("rdma: {} sends '{}' as the code of its MTU; 1 to 5 are possible", stream_.peer(),
                              printable(text_of(code))));
  return std::min(own, *peers);
}

queue_key perftest_exchange::trade_key(queue_key const& own, std::chrono::milliseconds limit,
                                       std::function<void()> const& before_answer) {
  auto bytes = bytes_of(own);
  trade(bytes, limit, before_answer);
  auto const key = parse_queue_key(text_of(bytes));
  if (!key)
    throw failure(
        fmt::format("rdma: {} sends '{}', which is no key of a queue", stream_.peer(), printable(text_of(bytes))));
  return *key;
}

std::vector<queue_key> perftest_exchange::trade_keys(std::span<queue_key const> own) {
  try {
    std::vector<queue_key> peers;
    for (auto const& key : own) peers.push_back(trade_key(key, limit_));
    // The second time with the same keys.
    for (std::size_t i = 0; i < own.size(); ++i) {
      if (trade_key(own[i], limit_) != peers[i])
        throw failure(fmt::format("rdma: {} tells its keys in another order", stream_.peer()));
    }
    return peers;
  } catch (failure const& wrong) {
    throw failure(fmt::format("{} (here are {} queues: both ends need the same -q)", wrong.what(), own.size()));
  }
}

void perftest_exchange::synchronize(queue_key const& own, std::function<void()> const& before_answer) {
  (void)trade_key(own, limit_, before_answer);
}
void perftest_exchange::await_end(queue_key const& own) { (void)trade_key(own, as_long_as_it_takes); }

std::uint64_t perftest_exchange::trade_number(std::uint64_t own, std::chrono::milliseconds limit) {
  std::array<std::byte, 8> word{};
  wire::store_be<std::uint64_t>(word.data(), own);
  trade(word, limit);
  return wire::load_be<std::uint64_t>(word.data());
}

told_result perftest_exchange::trade_result(told_result const& own, std::chrono::milliseconds limit) {
  auto const trade_rate = [this](double rate) {
    return std::bit_cast<double>(trade_number(std::bit_cast<std::uint64_t>(rate), limit_));
  };
  told_result peers;
  peers.bytes = trade_number(own.bytes, limit);
  peers.iterations = trade_number(own.iterations, limit_);
  peers.peak = trade_rate(own.peak);
  peers.average = trade_rate(own.average);
  peers.messages = trade_rate(own.messages);
  return peers;
}

told_result perftest_exchange::trade_result(told_result const& own) { return trade_result(own, limit_); }
told_result perftest_exchange::await_result(told_result const& own) { return trade_result(own, as_long_as_it_takes); }

void perftest_exchange::close(queue_key const& own, std::function<void()> const& end_traffic) {
  std::array<std::byte, 5> done{std::byte{'d'}, std::byte{'o'}, std::byte{'n'}, std::byte{'e'}};
  try {
    if (role_ == exchange_role::client) {
      (void)trade_key(own, limit_);
      end_traffic();
      stream_.write(done, limit_);
    } else {
      auto key = bytes_of(own);
      auto const reply = key;
      stream_.read(key, limit_);
      end_traffic();
      stream_.write(reply, limit_);
      stream_.read(done, limit_);
    }
  } catch (failure const&) {
    // Some versions say less at the end: the result is known.
  }
}

}  // namespace packetwarp::rdma
