// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/rdma-bw/options.h"

#include <fmt/format.h>

#include <optional>
#include <string_view>

#include "base/error.h"
#include "base/units.h"
#include "cli/misplaced.h"
#include "cli/option_values.h"

namespace packetwarp {
namespace {

constexpr std::uint32_t least_of_all = 64, most_of_all = 4096;  // the reference's sizes
constexpr std::uint64_t largest_write = 8 << 20;                // perftest's
constexpr std::uint64_t most_queues = 128, most_posts = 16384, most_iterations = 1'000'000'000;

[[nodiscard]] std::vector<std::uint32_t> parse_sizes(std::string_view text) {
  std::vector<std::uint32_t> sizes;
  if (text == "all") {
    for (auto bytes = least_of_all; bytes <= most_of_all; bytes *= 2) sizes.push_back(bytes);
    return sizes;
  }
  auto const bytes = parse_size(text, "-s");
  if (bytes == 0 || bytes > largest_write)
    throw usage_error(fmt::format("-s: {} is out of range; allowed are 1 to 8m, or all", text));
  sizes.push_back(static_cast<std::uint32_t>(bytes));
  return sizes;
}

[[nodiscard]] rdma_transport parse_transport(std::string_view text) {
  for (auto const one : {rdma_transport::host, rdma_transport::gpu, rdma_transport::store, rdma_transport::shm,
                         rdma_transport::roce, rdma_transport::verbs, rdma_transport::mlx5}) {
    if (text == to_string(one)) return one;
  }
  throw usage_error(fmt::format("--transport '{}': give host, gpu, store, shm, roce, verbs or mlx5", text));
}

// Options that have no meaning with the others.
void refuse_combinations(rdma_bw_options const& options, network_texts const& texts, poster_texts const& poster) {
  if (!has_peer(options.transport) && (texts.any() || options.validate || options.both_ways))
    throw usage_error(
        fmt::format("--transport {} has no peer: a server's name, --address, -p, -m, -u, --retries, -d, -x, -b and "
                    "--validate go with --transport shm, roce, verbs or mlx5",
                    to_string(options.transport)));
  if (has_peer(options.transport)) texts.refuse_for(options.transport);
  if (has_peer(options.transport)) refuse_poster(options.network.end, options.transport);
  poster.refuse_for(options.transport, options.network.end);
  if (!has_peer(options.transport) && options.network.end.payload == rdma::memory_kind::device)
    throw usage_error(
        fmt::format("--payload gpu goes with --transport roce or mlx5: {}",
                    options.transport == rdma_transport::host
                        ? "--transport host reaches host memory"
                        : fmt::format("payload of --transport {} is in its GPU", to_string(options.transport))));
  refuse_frames(options.network.end, options.transport);
  if (options.transport == rdma_transport::store && options.test.posting == rdma::initiator::cpu)
    throw usage_error("--transport store is for threads of a GPU: give --initiator gpu");
  if (has_peer(options.transport) && options.network.peer.server.empty() && !options.both_ways &&
      options.network.end.posting == rdma::initiator::gpu)
    throw usage_error("--initiator gpu is the client's: a server of rdma-bw writes nothing without -b");
  if (options.validate && !texts.server.value_or("").empty() && !options.both_ways)
    throw usage_error(
        "--validate is the server's: it compares its memory with the pattern of a packetwarp client; with -b either "
        "end can");
  if (options.both_ways && options.sizes.size() != 1)
    throw usage_error("-b takes one size, the same at both ends: give -s, such as -s 4096");
}

}  // namespace

rdma_bw_options parse_rdma_bw_options(invocation const& given) {
  auto const call = asks_for_a_port(given) ? given : with_words_as_options(given);
  rdma_bw_options options;
  std::string size{"all"};
  std::optional<std::string> iterations, queues, posts, transport;
  CLI::App app;
  app.add_option("-s,--size", size);
  app.add_option("-n,--iters", iterations);
  app.add_option("-q,--qp", queues);
  app.add_option("--posts", posts);
  app.add_option("--transport", transport);
  app.add_option("--json", options.json);
  app.add_flag("-b,--bidirectional", options.both_ways);
  app.add_flag("--validate", options.validate);
  network_texts texts;
  texts.declare(app);
  poster_texts poster;
  poster.declare(app);
  target_text target;
  target.declare(app);
  if (!asks_for_a_port(given)) refuse_eal_without_port(app, given);
  parse_options(app, call);
  options.sizes = parse_sizes(size);
  options.test.largest = options.sizes.back();
  take_count(iterations, "-n", 1, most_iterations, options.iterations);
  take_count(queues, "-q", 1, most_queues, options.test.queues);
  take_count(posts, "--posts", 1, most_posts, options.test.posts);
  options.transport = parse_transport(transport.value_or("host"));
  if (options.transport == rdma_transport::gpu) options.test.engine = rdma::transport::gpu;
  if (options.transport == rdma_transport::store) options.test.engine = rdma::transport::store;
  options.test.target_gpu = target.read(options.transport);
  options.network = texts.read();
  auto& end = options.network.end;
  poster.read(end);
  options.test.posting = end.posting;
  options.test.gpu = end.gpu;
  end.queues = options.test.queues;
  end.posts = options.test.posts;
  refuse_combinations(options, texts, poster);
  // A server of engine roce is written to; with -b both ends write and are written to.
  if (options.transport == rdma_transport::roce && options.both_ways) {
    end.target = end.payload;
  } else if (options.transport == rdma_transport::roce && options.network.peer.server.empty()) {
    std::swap(end.payload, end.target);
  }
  // A server does not know the client's sizes: `all` is perftest's -a there, too.
  bool const any_size = size == "all" && options.network.peer.server.empty();
  end.area = rdma::area_for(any_size ? static_cast<std::uint32_t>(largest_write) : options.test.largest);
  return options;
}

}  // namespace packetwarp
