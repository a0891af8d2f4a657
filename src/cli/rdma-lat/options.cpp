// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/rdma-lat/options.h"

#include <fmt/format.h>

#include <optional>
#include <string_view>

#include "base/error.h"
#include "base/units.h"
#include "cli/misplaced.h"
#include "cli/option_values.h"
#include "rdma/latency/gpu_pinger.h"

namespace packetwarp {
namespace {

constexpr std::uint32_t largest_lat_write = 8 << 20;
constexpr std::uint64_t most_round_trips = 100'000'000;

[[nodiscard]] std::vector<std::uint32_t> lat_sizes(std::string_view text) {
  if (text == "all") {
    std::vector<std::uint32_t> sizes;
    for (std::uint32_t bytes = 2; bytes <= largest_lat_write; bytes *= 2) sizes.push_back(bytes);
    return sizes;
  }
  auto const bytes = parse_size(text, "-s");
  if (bytes == 0 || bytes > largest_lat_write)
    throw usage_error(fmt::format("-s: {} is out of range; allowed are 1 to 8m, or all", text));
  return {static_cast<std::uint32_t>(bytes)};
}

[[nodiscard]] rdma_transport lat_transport(std::string_view text) {
  for (auto const one : {rdma_transport::gpu, rdma_transport::store, rdma_transport::shm, rdma_transport::roce,
                         rdma_transport::verbs, rdma_transport::mlx5}) {
    if (text == to_string(one)) return one;
  }
  throw usage_error(fmt::format("--transport '{}': give gpu, store, shm, roce, verbs or mlx5", text));
}

void refuse_long_runs(std::uint32_t iterations) {
  if (iterations > rdma::gpu_pinger::most_iterations)
    throw usage_error(
        fmt::format("-n {}: a GPU measures up to {} round trips", iterations, rdma::gpu_pinger::most_iterations));
}

// Both ends are kernels of this process.
void refuse_for_pair(rdma_lat_options const& options, network_texts const& texts, poster_texts const& poster) {
  if (texts.any())
    throw usage_error(
        fmt::format("--transport {} has no peer: a server's name, --address, -p, -m, -u, --retries, -d and -x go with "
                    "--transport shm, roce, verbs or mlx5",
                    to_string(options.transport)));
  if (poster.initiator.value_or("gpu") != "gpu" || poster.payload.value_or("gpu") != "gpu")
    throw usage_error(fmt::format("both ends of --transport {} are GPUs: give neither --initiator nor --payload",
                                  to_string(options.transport)));
  refuse_long_runs(options.iterations);
}

}  // namespace

rdma_lat_options parse_rdma_lat_options(invocation const& given) {
  auto const call = asks_for_a_port(given) ? given : with_words_as_options(given);
  rdma_lat_options options;
  std::string size{"2"}, transport{"roce"};
  std::optional<std::string> iterations;
  CLI::App app;
  app.add_option("-s,--size", size);
  app.add_option("-n,--iters", iterations);
  app.add_option("--transport", transport);
  app.add_option("--json", options.json);
  network_texts texts;
  texts.declare(app);
  poster_texts poster;
  poster.declare(app);
  target_text target;
  target.declare(app);
  if (!asks_for_a_port(given)) refuse_eal_without_port(app, given);
  parse_options(app, call);
  options.transport = lat_transport(transport);
  options.sizes = lat_sizes(size);
  take_count(iterations, "-n", 2, most_round_trips, options.iterations);
  options.network = texts.read();
  poster.read(options.network.end);
  refuse_frames(options.network.end, options.transport);
  auto const target_gpu = target.read(options.transport);
  if (!has_peer(options.transport)) {
    refuse_for_pair(options, texts, poster);
    auto const gpu = options.network.end.gpu;
    options.pair = {.gpu = gpu,
                    .target_gpu = target_gpu.value_or(gpu),
                    .way = options.transport == rdma_transport::store ? rdma::put_way::store : rdma::put_way::queue,
                    .largest = options.sizes.back()};
    return options;
  }
  texts.refuse_for(options.transport);
  refuse_poster(options.network.end, options.transport);
  poster.refuse_for(options.transport, options.network.end);
  if (options.network.end.posting == rdma::initiator::gpu) refuse_long_runs(options.iterations);
  if (options.network.end.payload == rdma::memory_kind::device && options.network.end.posting == rdma::initiator::cpu)
    throw usage_error("--payload gpu: a CPU as initiator writes a number into each payload; give --initiator gpu");
  if (options.transport == rdma_transport::roce) options.network.end.target = options.network.end.payload;
  options.network.peer.program = rdma::perftest_program::write_lat;
  options.network.end.posts = 2;
  options.network.end.area = rdma::area_for(options.sizes.back());
  return options;
}

}  // namespace packetwarp
