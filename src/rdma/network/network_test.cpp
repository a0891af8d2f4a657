// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "rdma/network/network_test.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/error.h"
#include "rdma/bandwidth/pattern.h"

namespace packetwarp::rdma {
namespace {

constexpr std::uint32_t page = 4096;
constexpr std::uint32_t largest_cycle = 65536;  // the pages of some machines
constexpr std::chrono::seconds connect_limit{20};
constexpr double mib = 1 << 20;

[[nodiscard]] tcp_stream meet(peer_settings const& settings, std::function<void()> const& once_it_listens) {
  return settings.server.empty() ? tcp_stream::accept(settings.listen, settings.tcp_port, once_it_listens)
                                 : tcp_stream::connect(settings.server, settings.tcp_port, connect_limit);
}

// As ib_write_bw tells it.
[[nodiscard]] told_result told_of(write_test_result const& result, std::uint32_t posts, std::uint32_t queues) {
  return {.bytes = result.bytes,
          .iterations = std::uint64_t{result.iterations} * posts * queues,
          .peak = result.peak_bytes / mib,
          .average = result.average_bytes / mib,
          .messages = result.messages / 1e6};
}

// With --report_gbits ib_write_bw tells Gb/s in the place of MiB/s. The writes per second, which it tells, too, say
// which they are: the two differ by 119 times.
[[nodiscard]] told_result in_mib(told_result told) {
  constexpr double bytes_of_gbit = 1e9 / 8, tolerance = 0.01;
  auto const gbits = static_cast<double>(told.bytes) * told.messages * 1e6 / bytes_of_gbit;
  bool const is_gbits = gbits > 0 && std::abs(told.average - gbits) <= tolerance * gbits;
  if (!is_gbits) return told;
  told.average *= bytes_of_gbit / mib;
  told.peak *= bytes_of_gbit / mib;
  return told;
}

// Throws failure for numbers that no end can mean.
void require_possible(told_result const& told, std::string const& peer) {
  constexpr std::uint64_t most_bytes = std::uint64_t{1} << 31;   // of a write
  constexpr std::uint64_t most_writes = std::uint64_t{1} << 56;  // a thousand million per second for two years
  constexpr double most_rate = 1e9;
  auto const is_rate = [](double rate) { return rate >= 0 && rate <= most_rate; };  // false for nan
  if (told.bytes <= most_bytes && told.iterations <= most_writes && is_rate(told.peak) && is_rate(told.average) &&
      is_rate(told.messages))
    return;
  throw failure(fmt::format(
      "rdma-bw: {} tells a result that is not possible: {} writes of {} bytes, {:g} MB/s at most, {:g} MB/s, "
      "{:g} million writes/s: its own output says more",
      peer, told.iterations, told.bytes, told.peak, told.average, told.messages));
}

}  // namespace

std::uint32_t area_for(std::uint32_t largest) { return (std::max(largest, largest_cycle) + page - 1) / page * page; }

connected_pair::connected_pair(endpoint& own, peer_settings const& settings,
                               std::function<void()> const& once_it_listens)
    : own_{&own}, role_{settings.server.empty() ? exchange_role::server : exchange_role::client}, keys_{own.keys()} {
  exchange_.emplace(meet(settings, once_it_listens), role_);
  exchange_->agree_on_version();
  cycle_ = exchange_->agree_on_cycle();
  if (cycle_ > own.target(0).size())
    throw failure(fmt::format("rdma: {} writes over {} bytes before it starts again; this end has {}",
                              exchange_->stream().peer(), cycle_, own.target(0).size()));
  mtu_ = exchange_->agree_on_mtu(own.mtu());
  // ib_write_lat tells its first key once more than ib_write_bw does.
  if (settings.program == perftest_program::write_lat) exchange_->synchronize(first_key());
  auto const peers = exchange_->trade_keys(keys_);
  own.connect(peers, mtu_);
  exchange_->synchronize(first_key());
}

network_bandwidth::network_bandwidth(connected_pair& pair) : pair_{&pair} {
  if (pair.role() == exchange_role::client) fill_sources();
}

void network_bandwidth::fill_sources() {
  auto& own = pair_->own();
  auto const queues = static_cast<std::uint32_t>(own.keys().size());
  for (std::uint32_t n = 0; n < queues; ++n) own.write_source(n, 0, make_pattern(own.target(n).size(), n + 1));
}

write_test_result network_bandwidth::run(std::uint32_t bytes, std::uint32_t posts, std::uint32_t iterations) {
  post_loop const loop{.bytes = bytes, .posts = posts, .iterations = iterations, .cycle = pair_->cycle()};
  return summarize(pair_->own().post(loop), bytes, posts);
}

void network_bandwidth::tell(write_test_result const& last, std::uint32_t posts, std::uint32_t queues) {
  auto& exchange = pair_->exchange();
  exchange.obey(stop_request::abandon);
  exchange.synchronize(pair_->first_key());
  (void)exchange.trade_result(told_of(last, posts, queues));
  close();
}

void network_bandwidth::require_untouched() {
  auto& own = pair_->own();
  auto const queues = static_cast<std::uint32_t>(own.keys().size());
  std::vector<std::byte> begin(perftest_exchange::least_cycle);  // where each end's writes begin
  for (std::uint32_t n = 0; n < queues; ++n) {
    own.read_target(n, begin);
    if (std::ranges::any_of(begin, [](auto byte) { return byte != std::byte{0}; }))
      throw failure(fmt::format(
          "rdma-bw: {} has written before this end had begun to: this end has -b, and the peer has not: give "
          "both ends -b and the same -s",
          pair_->exchange().stream().peer()));
  }
}

// A peer without -b sends its key once it has written, and one with -b before.
void network_bandwidth::begin_both_ways() {
  try {
    pair_->exchange().synchronize(pair_->first_key(), [this] { require_untouched(); });
  } catch (failure const&) {
    if (pair_->role() == exchange_role::server) require_untouched();  // it may write for longer than a message takes
    throw;
  }
}

two_way_result network_bandwidth::run_both_ways(std::uint32_t bytes, std::uint32_t posts, std::uint32_t iterations) {
  auto& exchange = pair_->exchange();
  auto const queues = static_cast<std::uint32_t>(pair_->own().keys().size());
  if (pair_->role() == exchange_role::server) fill_sources();
  begin_both_ways();
  two_way_result both{.own = run(bytes, posts, iterations)};
  exchange.obey(stop_request::abandon);
  both.peers = in_mib(exchange.await_result(told_of(both.own, posts, queues)));
  close();
  if (both.peers.bytes != bytes)
    throw failure(
        fmt::format("rdma-bw: {} says that a write of it has {} bytes, and one of this end has {}: give both "
                    "ends -b and the same -s",
                    exchange.stream().peer(), both.peers.bytes, bytes));
  require_possible(both.peers, exchange.stream().peer());
  return both;
}

void network_bandwidth::close() {
  pair_->exchange().close(pair_->first_key(), [this] { pair_->own().stop(); });
}

told_result network_bandwidth::await() {
  auto& exchange = pair_->exchange();
  exchange.await_end(pair_->first_key());
  auto const told = in_mib(exchange.trade_result({}));
  close();
  require_possible(told, exchange.stream().peer());
  return told;
}

std::uint64_t network_bandwidth::check(told_result const& told, std::uint32_t queues) {
  if (told.bytes == 0 || told.iterations == 0 || told.iterations % queues != 0)
    throw failure(
        fmt::format("rdma-bw: {} says that it made {} writes of {} bytes on {} queues, which tells nothing to compare: "
                    "--validate needs a peer that is packetwarp, with one size",
                    pair_->exchange().stream().peer(), told.iterations, told.bytes, queues));
  auto const places = std::max<std::uint64_t>(1, pair_->cycle() / told.bytes);
  auto const of_queue = std::min(told.iterations / queues, places) * told.bytes;
  for (std::uint32_t n = 0; n < queues; ++n) check_target(n, of_queue);
  return queues * of_queue;
}

void network_bandwidth::check_target(std::uint32_t queue, std::uint64_t written) {
  std::vector<std::byte> target(pair_->own().target(queue).size());
  pair_->own().read_target(queue, target);
  if (written > target.size())
    throw failure(fmt::format("rdma-bw: the peer says that it wrote {} bytes of each queue's memory; there are {}",
                              written, target.size()));
  auto const expected = make_pattern(target.size(), queue + 1);
  if (auto const at = first_difference(std::span{target}.first(written), std::span{expected}.first(written));
      at < written)
    throw failure(
        fmt::format("rdma-bw: byte {} of queue {}'s target is {:#04x} and should be {:#04x}: --validate needs a "
                    "peer that is packetwarp, with one size",
                    at, queue, std::to_integer<unsigned>(target[at]), std::to_integer<unsigned>(expected[at])));
  for (auto at = written; at < target.size(); ++at) {
    bool const may_be_pattern = at < pair_->cycle();
    if (target[at] != std::byte{0} && !(may_be_pattern && target[at] == expected[at]))
      throw failure(fmt::format("rdma-bw: byte {} of queue {}'s target was changed to {:#04x}, and no write goes there",
                                at, queue, std::to_integer<unsigned>(target[at])));
  }
}

}  // namespace packetwarp::rdma
