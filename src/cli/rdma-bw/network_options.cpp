// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/rdma-bw/network_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "base/error.h"
#include "cli/eal_start.h"
#include "cli/option_values.h"
#include "gpu/gpu.h"
#include "plan/plan.h"
#include "rdma/bandwidth/gpu_needed.h"
#include "rdma/network/mlx5_endpoint.h"
#include "rdma/network/roce_endpoint.h"
#include "rdma/network/verbs_endpoint.h"
#include "rdma/roce/reliability.h"
#include "rdma/shm/shm_endpoint.h"
#include "wire/address_text.h"

namespace packetwarp {
namespace {

constexpr std::uint64_t most_gpus = 64;

// Two words are allowed.
template <class T>
void take_word(std::optional<std::string> const& text, std::string_view option, std::string_view first, T of_first,
               std::string_view second, T of_second, T& into) {
  if (!text) return;
  if (*text != first && *text != second)
    throw usage_error(fmt::format("{} '{}': give {} or {}", option, *text, first, second));
  into = *text == first ? of_first : of_second;
}

// Whether an interface may have the address: it is not of this network, loopback, multicast or reserved (RFC 1122,
// 3.2.1.3).
[[nodiscard]] bool is_of_a_host(wire::ipv4_address address) {
  constexpr std::uint32_t this_network = 0, loopback = 127, first_multicast = 224;
  auto const first = address.number >> 24;
  return first != this_network && first != loopback && first < first_multicast;
}

// Refuses options that have no meaning with a peer on this machine.
void refuse_for_shm(network_texts const& texts) {
  if (texts.address)
    throw usage_error(
        "--address goes with --transport roce: the ends of --transport shm meet on this machine, and -p names the TCP "
        "port");
  if (texts.device || texts.gid)
    throw usage_error(fmt::format("{} goes with --transport verbs or mlx5: --transport shm has no device",
                                  texts.device ? "-d" : "-x"));
  auto const of_packets = {std::pair{"-m", &texts.mtu}, std::pair{"-u", &texts.timeout},
                           std::pair{"--retries", &texts.retries}};
  for (auto const& [name, text] : of_packets) {
    if (text->has_value())
      throw usage_error(
          fmt::format("{} goes with --transport roce, verbs or mlx5: --transport shm sends no packets", name));
  }
}

}  // namespace

std::string_view to_string(rdma_transport transport) {
  switch (transport) {
    case rdma_transport::host:
      return "host";
    case rdma_transport::gpu:
      return "gpu";
    case rdma_transport::store:
      return "store";
    case rdma_transport::shm:
      return "shm";
    case rdma_transport::roce:
      return "roce";
    case rdma_transport::verbs:
      return "verbs";
    case rdma_transport::mlx5:
      return "mlx5";
  }
  return "unknown";
}

void network_texts::declare(CLI::App& app) {
  app.add_option("server", server);
  app.add_option("--address", address);
  app.add_option("-p,--port", port);
  app.add_option("-m,--mtu", mtu);
  app.add_option("-u,--qp-timeout", timeout);
  app.add_option("--retries", retries);
  app.add_option("-d,--ib-dev", device);
  app.add_option("-x,--gid-index", gid);
}

bool network_texts::any() const {
  auto const all = {&server, &address, &port, &mtu, &timeout, &retries, &device, &gid};
  return std::ranges::any_of(all, [](auto const* text) { return text->has_value(); });
}

void network_texts::refuse_for(rdma_transport transport) const {
  if (transport == rdma_transport::shm) return refuse_for_shm(*this);
  bool const is_roce = transport == rdma_transport::roce;
  if (is_roce && (device || gid))
    throw usage_error(
        fmt::format("{} goes with --transport verbs or mlx5: the port of --transport roce is the one that the EAL's "
                    "words name",
                    device ? "-d" : "-x"));
  if (!is_roce && address)
    throw usage_error(
        fmt::format("--address goes with --transport roce: --transport {} has the address of the device's GID, which "
                    "-x names",
                    to_string(transport)));
}

network_options network_texts::read() const {
  network_options made;
  made.peer.server = server.value_or("");
  if (address) {
    made.address = wire::parse_ipv4(*address);
    if (!made.address)
      throw usage_error(fmt::format("--address '{}': give this end's IPv4 address, such as 10.9.0.1", *address));
    if (!is_of_a_host(*made.address))
      throw usage_error(
          fmt::format("--address '{}': no interface has it: give this end's IPv4 address, such as 10.9.0.1; 0/8, 127/8 "
                      "and 224.0.0.0 to 255.255.255.255 are not possible",
                      *address));
  }
  take_count(port, "-p", 1, 65535, made.peer.tcp_port);
  take_count(mtu, "-m", 256, 4096, made.end.mtu);
  if (mtu && !rdma::roce::is_possible_mtu(made.end.mtu))
    throw usage_error(fmt::format("-m {}: give 256, 512, 1024, 2048 or 4096", *mtu));
  take_count(timeout, "-u", 1, 31, made.end.timeout_code);
  take_count(retries, "--retries", 0, 7, made.end.retries);
  made.verbs.device = device.value_or("");
  take_count(gid, "-x", 0, 255, made.verbs.gid_index);
  return made;
}

void poster_texts::declare(CLI::App& app) {
  app.add_option("--initiator", initiator);
  app.add_option("--payload", payload);
  app.add_option("--frames", frames);
  app.add_option("-g,--gpu", gpu);
}

void poster_texts::read(rdma::endpoint_settings& into) const {
  using rdma::initiator, rdma::memory_kind;
  take_word(this->initiator, "--initiator", "cpu", initiator::cpu, "gpu", initiator::gpu, into.posting);
  take_word(payload, "--payload", "host", memory_kind::host, "gpu", memory_kind::device, into.payload);
  take_word(frames, "--frames", "host", memory_kind::host, "gpu", memory_kind::device, into.frames);
  take_count(gpu, "-g", 0, most_gpus, into.gpu);
}

void poster_texts::refuse_for(rdma_transport transport, rdma::endpoint_settings const& end) const {
  if (!gpu || needs_gpu(end)) return;
  switch (transport) {
    case rdma_transport::gpu:
    case rdma_transport::store:
      return;
    case rdma_transport::host:
      throw usage_error("-g goes with GPUs: give --initiator gpu, or --transport gpu or store, too");
    case rdma_transport::shm:
      throw usage_error("-g goes with GPUs: give --initiator gpu, too");
    case rdma_transport::verbs:
      throw usage_error("-g goes with GPUs: --transport verbs has a CPU and host memory at both ends");
    case rdma_transport::roce:
    case rdma_transport::mlx5:
      throw usage_error("-g goes with GPUs: give --initiator gpu or --payload gpu, too");
  }
}

void target_text::declare(CLI::App& app) { app.add_option("--target-gpu", target_gpu); }

std::optional<int> target_text::read(rdma_transport transport) const {
  if (!target_gpu) return {};
  if (transport != rdma_transport::gpu && transport != rdma_transport::store)
    throw usage_error(fmt::format("--target-gpu goes with --transport gpu or store: --transport {} writes to no GPU",
                                  to_string(transport)));
  int number = 0;
  take_count(target_gpu, "--target-gpu", 0, most_gpus, number);
  return number;
}

bool has_bytes_on_gpu(rdma::endpoint_settings const& end) {
  return end.payload == rdma::memory_kind::device || end.target == rdma::memory_kind::device;
}

bool needs_gpu(rdma::endpoint_settings const& end) {
  return end.posting == rdma::initiator::gpu || has_bytes_on_gpu(end);
}

void refuse_poster(rdma::endpoint_settings const& end, rdma_transport transport) {
  if (transport == rdma_transport::verbs && needs_gpu(end))
    throw usage_error(
        "--initiator gpu and --payload gpu do not go with --transport verbs: give neither, or --transport roce or "
        "mlx5");
  if (transport == rdma_transport::shm && has_bytes_on_gpu(end))
    throw usage_error(
        "--payload gpu does not go with --transport shm, whose ends share host memory: give --payload host, or "
        "--transport roce or mlx5");
}

void refuse_frames(rdma::endpoint_settings const& end, rdma_transport transport) {
  bool const has_frames = transport == rdma_transport::roce && has_bytes_on_gpu(end);
  if (end.frames == rdma::memory_kind::device && !has_frames)
    throw usage_error("--frames gpu goes with --transport roce and --payload gpu: give these, or --frames host");
}

namespace {

// The transport that words ask for; empty if they do not say.
[[nodiscard]] std::string transport_in(std::vector<std::string> const& words) {
  constexpr std::string_view name = "--transport", joined = "--transport=";
  for (std::size_t n = 0; n < words.size(); ++n) {
    if (words[n].starts_with(joined)) return words[n].substr(joined.size());
    if (words[n] == name && n + 1 < words.size()) return words[n + 1];
  }
  return {};
}

}  // namespace

bool asks_for_a_port(invocation const& call) {
  if (auto const asked = transport_in(call.options); !asked.empty()) return asked == to_string(rdma_transport::roce);
  // Without words after "--" there is no "--", most likely.
  return call.command == "rdma-lat" && !call.options.empty() && transport_in(call.eal).empty();
}

namespace {

[[nodiscard]] network_end open_roce_end(invocation const& call, network_options const& options) {
  if (!asks_for_a_port(call))
    throw usage_error(
        fmt::format("--transport roce needs a port: packetwarp {} --vdev net_af_packet0,iface=eth1 -- --transport roce "
                    "--address 10.9.0.1",
                    call.command));
  if (!options.address)
    throw usage_error(
        "--transport roce needs --address with this end's IPv4 address; on an interface of the kernel's, that "
        "interface's");
  if (needs_gpu(options.end)) rdma::require_any_gpu("--initiator cpu --payload host");
  network_end made{start_eal(call), nullptr};
  auto const ports = describe_all_ports();
  if (ports.size() != 1)
    throw usage_error(fmt::format(
        "--transport roce takes one port, and the EAL's words name {}: name one by -a or --vdev", ports.size()));
  if (needs_gpu(options.end)) (void)open_gpu(options.end.gpu);
  made.end = std::make_unique<rdma::roce_endpoint>(options.end, ports.front().id, *options.address);
  return made;
}

}  // namespace

network_end open_end(invocation const& call, rdma_transport transport, network_options const& options) {
  if (transport == rdma_transport::roce) return open_roce_end(call, options);
  if (transport == rdma_transport::shm) {
    if (needs_gpu(options.end)) {
      rdma::require_any_gpu("--initiator cpu");
      (void)open_gpu(options.end.gpu);
    }
    return {nullptr, std::make_unique<rdma::shm_endpoint>(options.end)};
  }
  if (transport == rdma_transport::verbs) return {nullptr, rdma::make_verbs_endpoint(options.end, options.verbs)};
  auto end = rdma::make_mlx5_endpoint(options.end, options.verbs);
  fmt::print(stderr, "{}\n", warning_of(transport));
  return {nullptr, std::move(end)};
}

std::string_view warning_of(rdma_transport transport) {
  if (transport != rdma_transport::mlx5) return {};
  return "packetwarp: note: --transport mlx5 has never met a NIC: compare its results with --transport verbs";
}

std::string lines_of(std::vector<std::pair<std::string, std::string>> const& properties) {
  std::string lines;
  for (auto [name, text] : properties) {
    std::ranges::replace(name, '_', ' ');
    lines += fmt::format("{}: {}\n", name, text);
  }
  return lines;
}

std::string mtu_of(std::uint32_t mtu) { return mtu == 0 ? "" : fmt::format(", MTU {}", mtu); }

}  // namespace packetwarp
