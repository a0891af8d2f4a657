// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "rdma/network/network_test.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/error.h"
#include "rdma/bandwidth/pattern.h"

namespace packetwarp::rdma {
namespace {

constexpr std::uint32_t page = 4096;
constexpr std::uint32_t largest_cycle = 65536;  // the pages of some machines
constexpr std::chrono::seconds connect_limit{20};
constexpr std::byte untouched{0xee};
constexpr double mib = 1 << 20;

[[nodiscard]] tcp_stream meet(peer_settings const& settings) {
  return settings.server.empty() ? tcp_stream::accept(settings.listen, settings.tcp_port)
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

}  // namespace

std::uint32_t area_for(std::uint32_t largest) { return (std::max(largest, largest_cycle) + page - 1) / page * page; }

connected_pair::connected_pair(endpoint& own, peer_settings const& settings)
    : own_{&own}, role_{settings.server.empty() ? exchange_role::server : exchange_role::client}, keys_{own.keys()} {
  exchange_.emplace(meet(settings), role_);
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

two_way_result network_bandwidth::run_both_ways(std::uint32_t bytes, std::uint32_t posts, std::uint32_t iterations) {
  auto& exchange = pair_->exchange();
  auto const queues = static_cast<std::uint32_t>(pair_->own().keys().size());
  if (pair_->role() == exchange_role::server) fill_sources();
  exchange.synchronize(pair_->first_key());
  two_way_result both{.own = run(bytes, posts, iterations)};
  exchange.obey(stop_request::abandon);
  both.peers = exchange.await_result(told_of(both.own, posts, queues));
  close();
  if (both.peers.bytes != bytes)
    throw failure(
        fmt::format("rdma-bw: {} says that a write of it has {} bytes, and one of this end has {}: give both "
                    "ends -b and the same -s",
                    exchange.stream().peer(), both.peers.bytes, bytes));
  return both;
}

void network_bandwidth::close() {
  pair_->exchange().close(pair_->first_key(), [this] { pair_->own().stop(); });
}

told_result network_bandwidth::await() {
  auto& exchange = pair_->exchange();
  exchange.await_end(pair_->first_key());
  auto const told = exchange.trade_result({});
  close();
  return told;
}

std::uint64_t network_bandwidth::check(told_result const& told, std::uint32_t queues) {
  std::uint64_t checked = 0;
  auto const places = std::max<std::uint64_t>(1, pair_->cycle() / std::max<std::uint64_t>(1, told.bytes));
  auto const of_queue = std::min(told.iterations / queues, places) * told.bytes;
  for (std::uint32_t n = 0; n < queues; ++n) {
    std::vector<std::byte> target(pair_->own().target(n).size());
    pair_->own().read_target(n, target);
    if (of_queue > target.size())
      throw failure(fmt::format("rdma-bw: the peer says that it wrote {} bytes of each queue's memory; there are {}",
                                of_queue, target.size()));
    auto const expected = make_pattern(target.size(), n + 1);
    if (auto const at = first_difference(std::span{target}.first(of_queue), std::span{expected}.first(of_queue));
        at < of_queue)
      throw failure(
          fmt::format("rdma-bw: byte {} of queue {}'s target is {:#04x} and should be {:#04x}: --validate needs a "
                      "peer that is packetwarp, with one size",
                      at, n, std::to_integer<unsigned>(target[at]), std::to_integer<unsigned>(expected[at])));
    auto const rest = std::span{target}.subspan(std::max<std::uint64_t>(of_queue, pair_->cycle()));
    if (auto const changed = std::ranges::find_if(rest, [](auto byte) { return byte != std::byte{0}; });
        changed != rest.end())
      throw failure(fmt::format("rdma-bw: byte {} of queue {}'s target was changed, and no write goes there",
                                changed - rest.begin() + static_cast<std::ptrdiff_t>(target.size() - rest.size()), n));
    checked += of_queue;
  }
  return checked;
}

}  // namespace packetwarp::rdma
