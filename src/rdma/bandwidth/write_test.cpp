// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "rdma/bandwidth/write_test.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <span>
#include <utility>

#include "base/error.h"
#include "base/units.h"
#include "rdma/bandwidth/cpu_poster.h"
#include "rdma/bandwidth/gpu_needed.h"
#include "rdma/bandwidth/pattern.h"
#include "rdma/target_gpu.h"

namespace packetwarp::rdma {
namespace {

constexpr std::size_t guard = 64;                             // bytes after a region, which no write may touch
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 31;  // of the source, and of the target
constexpr std::byte untouched{0xee};
constexpr std::uint64_t block_bytes = 1 << 20;  // regions are filled and compared block by block

// Calls with_block(begin, bytes) for each block of a region.
template <class WithBlock>
void for_each_block(std::uint64_t bytes, WithBlock const& with_block) {
  for (std::uint64_t begin = 0; begin < bytes; begin += block_bytes)
    with_block(begin, std::min(block_bytes, bytes - begin));
}

void require_equal(std::span<std::byte const> found, std::span<std::byte const> expected, std::uint64_t begin,
                   std::uint32_t of_write) {
  auto const at = first_difference(found, expected);
  if (at == expected.size()) return;
  throw failure(fmt::format("rdma-bw: byte {} of the target is {:#04x} and should be {:#04x} after writes of {} bytes",
                            begin + at, std::to_integer<unsigned>(found[at]), std::to_integer<unsigned>(expected[at]),
                            of_write));
}

[[nodiscard]] std::uint64_t region_bytes(write_test_settings const& settings, std::uint32_t bytes) {
  return std::uint64_t{settings.queues} * settings.posts * bytes;
}

void check_settings(write_test_settings const& settings) {
  if (auto const bytes = region_bytes(settings, settings.largest); bytes > most_bytes)
    throw usage_error(
        fmt::format("{} queues of {} posts of {} bytes take {} of source and as much of target; the most is {} each: "
                    "give fewer or smaller ones",
                    settings.queues, settings.posts, settings.largest, format_size(bytes), format_size(most_bytes)));
  if (settings.engine == transport::store && settings.posting == initiator::cpu)
    throw usage_error("--transport store is for threads of a GPU: give --initiator gpu");
  if (settings.engine == transport::host && settings.target_gpu)
    throw usage_error("--transport host writes to host memory: --target-gpu goes with --transport gpu or store");
}

// Entries of a queue: two iterations' posts.
[[nodiscard]] std::uint32_t entries_of(write_test_settings const& settings) {
  return std::min(std::bit_ceil(2 * settings.posts), most_entries);
}

[[nodiscard]] queue_pair make_queue(write_test_settings const& settings, std::uint32_t number) {
  bool const gpu_posts = settings.posting == initiator::gpu, gpu_moves = settings.engine == transport::gpu;
  auto const where = gpu_posts && gpu_moves   ? memory_kind::device
                     : gpu_posts || gpu_moves ? memory_kind::pinned
                                              : memory_kind::host;
  return queue_pair{{.size = entries_of(settings),
                     .number = number,
                     .queue = where,
                     .cursors = gpu_posts ? memory_kind::device : memory_kind::host,
                     .gpu = settings.gpu}};
}

}  // namespace

write_test_result summarize(std::vector<post_times> const& all, std::uint32_t bytes, std::uint32_t posts) {
  write_test_result sum{.bytes = bytes};
  auto began = all.front().began, ended = all.front().ended;
  auto const per_iteration = static_cast<double>(bytes) * posts;
  std::uint64_t iterations = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    auto const& one = all[i];
    if (one.status != work_status::done)
      throw failure(fmt::format("rdma-bw: queue {} failed after {} iterations of {} bytes: {}", i, one.iterations,
                                bytes, to_string(one.status)));
    if (one.iterations == 0) throw failure("rdma-bw: interrupted before the first iteration ended");
    began = std::min(began, one.began);
    ended = std::max(ended, one.ended);
    iterations += one.iterations;
    sum.iterations = one.iterations;
    sum.peak_bytes += per_iteration / one.shortest * 1e9;
    sum.post_ns += one.post;
    sum.commit_ns += one.commit;
    sum.flush_ns += one.flush;
  }
  auto const seconds = static_cast<double>(ended - began) / 1e9;
  auto const rounds = static_cast<double>(iterations);
  sum.average_bytes = per_iteration * rounds / seconds;
  sum.messages = rounds * posts / seconds;
  sum.post_ns /= rounds;
  sum.commit_ns /= rounds;
  sum.flush_ns /= rounds;
  return sum;
}

write_test::write_test(write_test_settings const& settings) : settings_{settings} {
  check_settings(settings);
  open_gpus();
  auto const bytes = region_bytes(settings, settings.largest);
  auto const payload = settings.engine == transport::host ? memory_kind::host : memory_kind::device;
  source_ = placed_memory{payload, settings.gpu, bytes};
  target_ = placed_memory{payload, target_gpu(), bytes + guard};
  lkey_ = regions_.add(source_.data(), bytes, access::local_read);
  rkey_ = regions_.add(target_.data(), bytes, access::remote_write);
  if (settings.posting == initiator::gpu)
    gpu_poster_ =
        std::make_unique<gpu_poster>(settings.gpu, settings.queues, has_queues() ? put_way::queue : put_way::store);
  if (has_queues()) start_engine();
}

void write_test::open_gpus() {
  if (settings_.posting == initiator::cpu && settings_.engine == transport::host) return;
  require_any_gpu("--initiator cpu --transport host");
  peer_ = open_target_gpu(settings_.gpu, target_gpu());
}

void write_test::start_engine() {
  std::vector<queue_parts> parts;
  for (std::uint32_t i = 0; i < settings_.queues; ++i) {
    queues_.push_back(make_queue(settings_, i + 1));
    parts.push_back(queues_.back().parts());
  }
  if (settings_.engine == transport::gpu) {
    constexpr auto here = cuda::thread_scope_device, everywhere = cuda::thread_scope_system;
    engine_scopes const scopes{settings_.posting == initiator::gpu ? here : everywhere,
                               has_second_gpu() ? everywhere : here};
    gpu_engine_ = std::make_unique<gpu_engine>(settings_.gpu, parts, regions_.regions(), scopes);
  } else {
    host_engine_ = std::make_unique<host_engine>(parts, regions_.ref());
  }
}

std::vector<posted_queue> write_test::posted_queues(std::uint32_t bytes) const {
  auto const of_queue = std::uint64_t{settings_.posts} * bytes;
  memory_place const local{reinterpret_cast<std::uint64_t>(source_.data()), lkey_};
  memory_place const remote{reinterpret_cast<std::uint64_t>(target_.data()), rkey_};
  std::vector<posted_queue> made;
  for (std::uint32_t i = 0; i < settings_.queues; ++i)
    made.push_back({has_queues() ? queues_[i].parts() : queue_parts{}, local + i * of_queue, remote + i * of_queue});
  return made;
}

post_loop write_test::loop_of(std::uint32_t bytes, std::uint32_t iterations) const {
  post_loop loop{.bytes = bytes, .posts = settings_.posts, .iterations = iterations, .limit = {settings_.limit_ns}};
  bool const is_within_gpu = settings_.posting == initiator::gpu && settings_.engine != transport::host;
  if (is_within_gpu && (has_queues() || !has_second_gpu())) {
    loop.commit = release_to_device;
    loop.flush = acquire_from_device;
  }
  return loop;
}

write_test_result write_test::run(std::uint32_t bytes, std::uint32_t iterations) {
  auto const seed = ++runs_;
  auto const of_region = region_bytes(settings_, bytes);
  fill(of_region, seed);
  auto const loop = loop_of(bytes, iterations);
  auto const queues = posted_queues(bytes);
  auto const times = gpu_poster_ ? gpu_poster_->post(queues, loop) : post_by_cpu(queues, loop);
  auto result = summarize(times, bytes, settings_.posts);
  if (!has_queues()) {
    auto const writes = std::uint64_t{iterations} * settings_.posts * settings_.queues;
    stored_.writes += writes;
    stored_.bytes += writes * bytes;
  }
  check(of_region, seed, bytes);
  result.checked_bytes = of_region;
  return result;
}

void write_test::fill(std::uint64_t bytes, std::uint64_t seed) const {
  std::vector<std::byte> block(std::min(block_bytes, bytes + guard));
  for_each_block(bytes, [&](std::uint64_t begin, std::uint64_t count) {
    fill_pattern(std::span{block}.first(count), seed, begin);
    source_.write(begin, std::span{block}.first(count));
  });
  std::ranges::fill(block, untouched);
  for_each_block(bytes + guard, [&](std::uint64_t begin, std::uint64_t count) {
    target_.write(begin, std::span{block}.first(count));
  });
}

void write_test::check(std::uint64_t bytes, std::uint64_t seed, std::uint32_t of_write) const {
  std::vector<std::byte> found(std::min(block_bytes, bytes)), expected(found.size());
  for_each_block(bytes, [&](std::uint64_t begin, std::uint64_t count) {
    fill_pattern(std::span{expected}.first(count), seed, begin);
    target_.read(begin, std::span{found}.first(count));
    require_equal(std::span{found}.first(count), std::span{expected}.first(count), begin, of_write);
  });
  std::vector<std::byte> behind(guard);
  target_.read(bytes, behind);
  require_equal(behind, std::vector(guard, untouched), bytes, of_write);
}

engine_counters write_test::stop() {
  if (!has_queues()) return stored_;
  if (gpu_engine_) {
    gpu_engine_->stop();
    return gpu_engine_->counters();
  }
  host_engine_->stop();
  return host_engine_->counters();
}

}  // namespace packetwarp::rdma
