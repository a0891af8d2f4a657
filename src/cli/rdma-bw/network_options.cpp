// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/rdma-bw/network_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/error.h"
#include "cli/eal_start.h"
#include "cli/option_values.h"
#include "plan/plan.h"
#include "rdma/network/roce_endpoint.h"
#include "rdma/roce/reliability.h"
#include "wire/address_text.h"

namespace packetwarp {

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

network_options network_texts::read() const {
  network_options made;
  made.peer.server = server.value_or("");
  if (address) {
    made.address = wire::parse_ipv4(*address);
    if (!made.address)
      throw usage_error(fmt::format("--address '{}': give this end's IPv4 address, such as 10.9.0.1", *address));
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

bool asks_for_a_port(invocation const& call) {
  auto const& words = call.options;
  auto const at = std::ranges::find(words, "--transport");
  return std::ranges::find(words, "--transport=roce") != words.end() ||
         (at != words.end() && at + 1 != words.end() && *(at + 1) == "roce");
}

network_end open_roce_end(invocation const& call, network_options const& options) {
  if (!asks_for_a_port(call))
    throw usage_error(
        fmt::format("--transport roce needs a port: packetwarp {} --vdev net_af_packet0,iface=eth1 -- --transport roce "
                    "--address 10.9.0.1",
                    call.command));
  if (!options.address)
    throw usage_error(
        "--transport roce needs --address with this end's IPv4 address; on an interface of the kernel's, that "
        "interface's");
  network_end made{start_eal(call), nullptr};
  auto const ports = describe_all_ports();
  if (ports.size() != 1)
    throw usage_error(fmt::format(
        "--transport roce takes one port, and the EAL's words name {}: name one by -a or --vdev", ports.size()));
  made.end = std::make_unique<rdma::roce_endpoint>(options.end, ports.front().id, *options.address);
  return made;
}

std::string losses_of(std::vector<std::pair<std::string, std::uint64_t>> const& counters) {
  if (counters.empty()) return {};
  std::map<std::string, std::uint64_t> const of{counters.begin(), counters.end()};
  return fmt::format(
      "packets: {} sent, {} of them again; {} time-outs, {} sequence NAKs; {} executed, {} duplicates, {} out of "
      "sequence, "
      "{} with a wrong ICRC\n",
      of.at("packets_sent"), of.at("packets_sent_again"), of.at("timeouts"), of.at("sequence_naks_received"),
      of.at("packets_executed"), of.at("duplicates"), of.at("out_of_sequence"), of.at("bad_icrc"));
}

}  // namespace packetwarp
