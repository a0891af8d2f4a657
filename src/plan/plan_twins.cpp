// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <tuple>

#include "base/error.h"
#include "plan/plan_steps.h"

namespace packetwarp {
namespace {

[[nodiscard]] planned_kni_port const* kni_port_of(plan const& p, port_id port) {
  if (!p.kni) return nullptr;
  auto const& ports = p.kni->ports;
  auto const found = std::find_if(ports.begin(), ports.end(), [&](auto const& one) { return one.port == port; });
  return found == ports.end() ? nullptr : &*found;
}

// Whether isolated receivers see the packets of every queue of the port that forwarding workers have.
[[nodiscard]] bool is_looked_through(plan const& p, port_id port) {
  return std::all_of(p.pipelines.begin(), p.pipelines.end(),
                     [&](auto const& one) { return one.rx_port != port || one.isolated_ring != 0; });
}

void serve_by_worker(plan& p, planned_twin& twin, planned_kni_port const& of) {
  auto const& name = twin.config.interface;
  twin.lcore = p.kni->lcore;
  twin.rx_queues = of.rx_queues;
  twin.out = of.tx_queues.empty() ? twin_way_out::nowhere : twin_way_out::by_queue;
  if (of.tx_queues.empty()) {
    p.notices.push_back(
        fmt::format("{}: its kni worker has no TX queue of port {}: the kernel's packets are dropped as no_tx_queue",
                    name, of.port.value()));
  } else {
    twin.tx_queue = of.tx_queues.front();
  }
  if (twin.rx_queues.empty() && !is_looked_through(p, of.port)) {
    p.notices.push_back(fmt::format(
        "{}: no address flow: its kni worker has no RX queue of port {}, and no isolated receiver looks for its "
        "packets; forwarding workers hand them over, when they come to it",
        name, of.port.value()));
  }
}

[[nodiscard]] bool has_isolated_receiver(plan const& p, port_id port) {
  return std::any_of(p.pipelines.begin(), p.pipelines.end(),
                     [&](auto const& one) { return one.rx_port == port && one.isolated_ring != 0; });
}

// Whether packets bypass the stages of a chain must not depend on queues without a word.
void tell_of_stages(plan& p, planned_twin const& twin) {
  auto const& [name, stages, flows] = std::tie(twin.config.interface, twin.config.stages, twin.config.flows);
  bool const could_flow = !twin.rx_queues.empty() || has_isolated_receiver(p, twin.config.port);
  if (stages.empty() || !could_flow) return;
  if (flows.empty()) {
    p.notices.push_back(fmt::format(
        "{}: no address flow: packets to its addresses go through the chain [{}] first, by forwarding workers; "
        "name addresses in kernel.flows if they need not",
        name, stages));
    return;
  }
  std::string all;
  for (auto const& one : flows) all.append(all.empty() ? "" : ", ").append(to_text(one));
  p.notices.push_back(
      fmt::format("{}: packets to {} bypass the chain [{}] on their way to the kernel, because kernel.flows names the "
                  "address; take it out if its packets must meet the chain",
                  name, all, stages));
}

// The kernel still receives packets to its own interface's MAC address if the driver shares them, so it gets the twin's
// packets twice.
void warn_of_copies(plan& p, planned_twin const& twin) {
  auto const& facts = p.ports[twin.port].facts;
  if (!facts.traits().shares_with_kernel || facts.kernel_interface.empty() || twin.config.mac != facts.mac) return;
  p.notices.push_back(
      fmt::format("{}: the kernel has port {}'s {} too, with the same MAC address, and receives packetwarp's packets "
                  "there a second time; give the interface a \"mac\" of its own",
                  twin.config.interface, facts.id.value(), facts.kernel_interface));
}

}  // namespace

std::optional<port_id> kni_port_without_twin(plan const& p) {
  for (auto const& of : p.kni ? p.kni->ports : std::vector<planned_kni_port>{}) {
    bool const has_twin =
        std::any_of(p.config.twins.begin(), p.config.twins.end(), [&](auto const& one) { return one.port == of.port; });
    if (!has_twin) return of.port;
  }
  return std::nullopt;
}

void plan_twins(plan& p) {
  if (p.config.twins.empty()) return;
  if (p.config.where != placement::host && p.route == packet_route::direct) {
    throw usage_error(
        "kernel interfaces need packets in host memory, and these ports put them into a GPU's; use placement host");
  }
  for (auto const& config : p.config.twins) {
    auto const at =
        std::find_if(p.ports.begin(), p.ports.end(), [&](auto const& one) { return one.facts.id == config.port; });
    auto& made = p.twins.emplace_back();
    made.config = config;
    made.port = static_cast<std::size_t>(at - p.ports.begin());
    warn_of_copies(p, made);
    if (auto const* const of = kni_port_of(p, config.port)) serve_by_worker(p, made, *of);
    tell_of_stages(p, made);
  }
}

}  // namespace packetwarp
