// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "rdma/network/network_latency.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <numeric>

#include "base/process/stop.h"
#include "rdma/queue_pair.h"

namespace packetwarp::rdma {
namespace {

constexpr std::uint32_t polls_between_looks = 4096;

[[nodiscard]] double at_share(std::vector<double> const& sorted, double share) {
  auto const at = static_cast<std::size_t>(std::ceil(share * static_cast<double>(sorted.size())));
  return sorted[std::clamp<std::size_t>(at, 1, sorted.size()) - 1];
}

[[nodiscard]] std::uint8_t load_byte(std::byte const& at) {
  auto& byte = reinterpret_cast<std::uint8_t&>(const_cast<std::byte&>(at));
  return cuda::atomic_ref<std::uint8_t, cuda::thread_scope_system>{byte}.load(cuda::memory_order_acquire);
}

}  // namespace

latency_result summarize_latency(std::vector<double>& us, std::uint32_t bytes, std::uint32_t iterations) {
  std::ranges::sort(us);
  auto const count = static_cast<double>(us.size());
  latency_result made{.bytes = bytes, .iterations = iterations};
  made.least = us.front();
  made.most = us.back();
  made.typical = at_share(us, 0.5);
  made.average = std::accumulate(us.begin(), us.end(), 0.0) / count;
  auto const square = [&](double sum, double one) { return sum + (one - made.average) * (one - made.average); };
  made.deviation = std::sqrt(std::accumulate(us.begin(), us.end(), 0.0, square) / count);
  made.of_99_percent = at_share(us, 0.99);
  made.of_999_per_mille = at_share(us, 0.999);
  return made;
}

void network_latency::await(std::uint32_t bytes, std::uint8_t counter) {
  auto const& byte = pair_->own().target(0)[bytes - 1];
  std::uint64_t until = 0;  // known from the first look on: most writes come before it
  for (std::uint32_t n = 1; load_byte(byte) != counter; ++n) {
    if (n % polls_between_looks != 0) continue;
    if (stop_requested() != stop_request::none) throw failure("rdma-lat: interrupted");
    // Once the peer says something, its last write has been sent.
    if (pair_->exchange().stream().is_readable({})) {
      for (int more = 0; more < 1000 && load_byte(byte) != counter; ++more) detail::rest();
      if (load_byte(byte) == counter) return;
      throw failure(fmt::format(
          "rdma-lat: {} has ended too early: give both ends the same -s and -n; its own output may say more",
          pair_->exchange().stream().peer()));
    }
    must_be_done(pair_->own().look_at_first(), bytes);
    auto const now = detail::now_ns();
    if (until == 0) until = now + longest_silence(bytes).nanoseconds;
    if (now > until) throw silence(bytes);
    detail::rest();
  }
}

failure network_latency::silence(std::uint32_t bytes) const {
  return failure(fmt::format("rdma-lat: no write of {} came for {:g} s: give both ends the same -s and -n",
                             pair_->exchange().stream().peer(),
                             static_cast<double>(longest_silence(bytes).nanoseconds) / 1e9));
}

void network_latency::must_be_done(work_status status, std::uint32_t bytes) {
  if (status != work_status::done)
    throw failure(fmt::format("rdma-lat: a write of {} bytes failed: {}", bytes, to_string(status)));
}

void network_latency::write(std::uint32_t bytes, std::uint8_t counter) {
  pair_->own().write_source(0, bytes - 1, std::array{std::byte{counter}});
  must_be_done(pair_->own().write_first(bytes), bytes);
}

std::optional<latency_result> network_latency::run_by_gpu(std::uint32_t bytes, std::uint32_t iterations) {
  auto const side = pair_->role() == exchange_role::client ? ping_side::answers : ping_side::writes_first;
  auto const times = pair_->own().ping(bytes, iterations, side);
  if (!times) return {};
  if (times->status == work_status::waited_too_long) throw silence(bytes);
  must_be_done(times->status, bytes);
  std::vector<double> us;
  us.reserve(times->between.size());
  for (auto const ns : times->between) us.push_back(ns / 2e3);
  return summarize_latency(us, bytes, iterations);
}

latency_result network_latency::run(std::uint32_t bytes, std::uint32_t iterations) {
  if (auto const by_gpu = run_by_gpu(bytes, iterations)) return *by_gpu;
  std::vector<double> us;
  us.reserve(iterations);
  std::chrono::steady_clock::time_point posted{};
  for (std::uint32_t n = 1; n <= iterations; ++n) {
    // The server is the first to write, and answers from its second write on: as ib_write_lat.
    if (pair_->role() == exchange_role::client) {
      await(bytes, static_cast<std::uint8_t>(n));
    } else if (n > 1) {
      await(bytes, static_cast<std::uint8_t>(n - 1));
    }
    auto const now = std::chrono::steady_clock::now();
    if (n > 1) us.push_back(std::chrono::duration<double, std::micro>(now - posted).count() / 2);
    posted = now;
    write(bytes, static_cast<std::uint8_t>(n));
  }
  if (pair_->role() == exchange_role::server) await(bytes, static_cast<std::uint8_t>(iterations));
  auto const last = pair_->own().await_first();
  // The client has answered the server's last write, so it has come: a client that has left does not acknowledge it
  // again.
  bool const has_come = pair_->role() == exchange_role::server && last == work_status::transport_retries_exceeded;
  if (!has_come) must_be_done(last, bytes);
  return summarize_latency(us, bytes, iterations);
}

void network_latency::finish() {
  pair_->exchange().close(pair_->first_key(), [this] { pair_->own().stop(); });
}

}  // namespace packetwarp::rdma
