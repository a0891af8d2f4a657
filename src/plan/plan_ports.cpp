// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "plan/plan_steps.h"
#include "plan/plan_text.h"

namespace packetwarp {
namespace {

// The number of queues of a port, so that it includes the last one in use.
struct queue_counts {
  std::uint16_t rx{};
  std::uint16_t tx{};
};

[[nodiscard]] queue_counts queues_of(plan const& p, port_id port) {
  queue_counts needed;
  auto const cover = [](std::uint16_t& count, queue_id queue) {
    count = std::max(count, static_cast<std::uint16_t>(queue.value() + 1));
  };
  for (auto const& pipeline : p.pipelines) {
    if (pipeline.rx_port == port) cover(needed.rx, pipeline.rx_queue);
    for (auto const& to : pipeline.egresses) {
      if (to.port == port) cover(needed.tx, to.queue);
    }
  }
  for (auto const& of : p.kni ? p.kni->ports : std::vector<planned_kni_port>{}) {
    if (of.port != port) continue;
    for (auto const queue : of.rx_queues) cover(needed.rx, queue);
    for (auto const queue : of.tx_queues) cover(needed.tx, queue);
  }
  return needed;
}

// RX queues of a port: the forwarding workers', the kni worker's, and queues without a worker.
struct rx_queue_owners {
  std::set<unsigned> forwarding;
  std::set<unsigned> kni;
  std::set<unsigned> nobody;
};

[[nodiscard]] rx_queue_owners owners_of(plan const& p, planned_port const& port) {
  rx_queue_owners owners;
  for (unsigned n = 0; n < port.config.rx_queues; ++n) owners.nobody.insert(n);
  for (auto const& pipeline : p.pipelines) {
    if (pipeline.rx_port == port.facts.id) owners.forwarding.insert(pipeline.rx_queue.value());
  }
  for (auto const& of : p.kni ? p.kni->ports : std::vector<planned_kni_port>{}) {
    if (of.port != port.facts.id) continue;
    for (auto const queue : of.rx_queues) owners.kni.insert(queue.value());
  }
  for (auto const n : owners.forwarding) owners.nobody.erase(n);
  for (auto const n : owners.kni) owners.nobody.erase(n);
  return owners;
}

// The place in the file of the first worker with a queue of the port.
[[nodiscard]] std::string const& place_of(plan const& p, std::size_t port) {
  for (auto const& worker : p.config.listed) {
    for (auto const& of : worker.ports) {
      if (of.port == port) return of.place;
    }
  }
  return p.config.listed.front().place;
}

// TX queues that a port must have because later ones are used.
[[nodiscard]] std::set<unsigned> unused_tx_queues(plan const& p, planned_port const& port) {
  std::set<unsigned> unused;
  for (unsigned n = 0; n < port.config.tx_queues; ++n) unused.insert(n);
  for (auto const& worker : p.config.listed) {
    for (auto const& of : worker.ports) {
      if (p.ports[of.port].facts.id != port.facts.id) continue;
      for (auto const queue : of.tx_queues) unused.erase(queue.value());
    }
  }
  return unused;
}

[[nodiscard]] std::string rx_queues_in_words(unsigned queues) {
  return fmt::format("{} RX queue{}", queues, queues == 1 ? "" : "s");
}

// For drivers whose RX and TX queues are pairs. An unused TX queue costs nothing, so it is added. An unused RX queue
// takes packets that no worker receives: it is refused, or a notice if the driver accepts that.
void pair_queues(plan& p, std::size_t n) {
  auto& port = p.ports[n];
  auto const pairs = port.facts.traits().pairs;
  auto const rx = port.config.rx_queues;
  auto const tx = port.config.tx_queues;
  if (pairs == queue_pairs::none) return;
  if (tx <= rx) {
    if (pairs == queue_pairs::required) port.config.tx_queues = rx;
    return;
  }
  bool const is_listed = p.config.workers == arrangement::listed;
  auto const remedy = is_listed ? fmt::format("give a worker each of its RX queues up to {}", tx - 1)
                                : fmt::format("use {} pipelines, or fewer lcores", tx * p.ports.size());
  auto const what = fmt::format("{} TX queues and {} in use", tx, rx_queues_in_words(rx));
  if (pairs == queue_pairs::activated) {
    p.notices.push_back(fmt::format("{}: {}; packets that its device puts into RX queues after those are lost: {}",
                                    label_of(port.facts), what, remedy));
    return;
  }
  auto const refusal = fmt::format("{}; its driver {} takes as many of both: {}", what, port.facts.driver, remedy);
  if (is_listed) refuse_at(place_of(p, n), fmt::format("{}: {}", label_of(port.facts), refusal));
  throw usage_error(fmt::format("{}: {}", label_of(port.facts), refusal));
}

// The MTU for a port; 0 keeps the port's own. A NIC loses frames longer than its MTU, so it gets its interface's MTU if
// that is larger. The interface on the other side of a virtual port is set up by others.
[[nodiscard]] std::uint16_t mtu_of(data_plane_config const& config, port_facts const& facts) {
  if (config.mtu != 0 || config.mtus.empty() || facts.bus != "pci") return config.mtu;
  auto const place = std::find(config.ports.begin(), config.ports.end(), facts.id) - config.ports.begin();
  auto const wanted = config.mtus[static_cast<std::size_t>(place)];
  return wanted > facts.default_mtu ? wanted : 0;
}

// Frames of a port's MTU may come in more mbufs than it sends of a packet.
void note_long_chains(plan& p, planned_port const& port) {
  auto const& facts = port.facts;
  auto const most = facts.max_segments;
  if (most == 0 || (facts.tx_offloads & RTE_ETH_TX_OFFLOAD_MULTI_SEGS) == 0) return;
  std::uint32_t const mtu = port.config.mtu != 0 ? port.config.mtu : facts.default_mtu;
  auto const length = mtu + std::uint32_t{RTE_ETHER_HDR_LEN + 2 * RTE_VLAN_HLEN};
  auto const needed = (length + p.config.data_room - 1) / p.config.data_room;
  if (needed <= most) return;
  p.notices.push_back(
      fmt::format("{}: a frame of its MTU {} takes {} mbufs of {} bytes, and it sends at most {}; longer ones are "
                  "dropped as tx_chained: give a data room of {} bytes (-d)",
                  label_of(facts), mtu, needed, p.config.data_room, most, (length + most - 1) / most));
}

// Frames of a port's MTU, or of a data room, that the port's buffers do not take in one piece.
void note_short_buffers(plan& p, planned_port const& port) {
  auto const& facts = port.facts;
  auto const buffer = facts.buffer_bytes;
  if (buffer == 0) return;
  std::uint32_t const mtu = port.config.mtu != 0 ? port.config.mtu : facts.default_mtu;
  auto const frame = mtu + std::uint32_t{RTE_ETHER_HDR_LEN + 2 * RTE_VLAN_HLEN};
  auto const most = std::min(buffer, p.config.data_room);
  auto const wanted = std::max(frame, p.config.data_room);
  if (most >= frame && buffer >= p.config.data_room) return;
  p.notices.push_back(
      fmt::format("{0}: it sends frames of {1} bytes at most, whole in a buffer ({2}={3}) and in an mbuf ({4} bytes); "
                  "longer ones are dropped as tx_chained: give {2}={5} here and at the other end, and a data room of "
                  "{5} bytes (-d)",
                  label_of(facts), most, facts.traits().buffers.argument, buffer, p.config.data_room, wanted));
}

// The device would write beyond its mbufs, or send bytes of others.
void require_room_for_made_frames(plan const& p, port_facts const& facts) {
  auto const bytes = facts.made_frame_bytes;
  if (bytes <= p.config.data_room) return;
  throw usage_error(fmt::format(
      "{}: it makes packets of {} bytes, and an mbuf has room for {}; give a data room of {} or more (-d), or {}={} or "
      "less",
      label_of(facts), bytes, p.config.data_room, bytes, facts.traits().made_frames.argument, p.config.data_room));
}

// Packets come by these queues, too.
void note_unpolled_queues(plan& p, planned_port const& port) {
  auto const& facts = port.facts;
  auto const polled = port.config.rx_queues;
  if (!facts.traits().fills_all_queues || polled >= facts.max_rx_queues) return;
  auto const remedy = p.config.workers == arrangement::listed
                          ? std::string{"give each of them a worker"}
                          : fmt::format("use {} pipelines (-p)", facts.max_rx_queues * p.ports.size());
  p.notices.push_back(fmt::format("{}: it has {}, and {} in use; packets that come by the others are lost: {}",
                                  label_of(facts), rx_queues_in_words(facts.max_rx_queues),
                                  polled == 1 ? "1 is" : fmt::format("{} are", polled), remedy));
}

}  // namespace

void plan_ports(plan& p, std::vector<port_facts> const& ports) {
  for (auto const& facts : ports) {
    auto const [rx, tx] = queues_of(p, facts.id);
    if (rx == 0 && p.config.workers != arrangement::listed) {
      p.notices.push_back(fmt::format(
          "port {} ({}) only sends: {} pipeline{} over {} ports leave it without one; use -p {}", facts.id.value(),
          facts.name, p.config.pipelines, p.config.pipelines == 1 ? "" : "s", ports.size(), ports.size()));
    }
    p.ports.push_back({.facts = facts,
                       .config = {.rx_queues = std::max<std::uint16_t>(rx, 1),
                                  .tx_queues = std::max<std::uint16_t>(tx, 1),
                                  .rx_descriptors = p.config.rx_descriptors,
                                  .tx_descriptors = p.config.tx_descriptors,
                                  .mtu = mtu_of(p.config, facts)}});
  }
  for (std::size_t n = 0; n < p.ports.size(); ++n) {
    pair_queues(p, n);
    require_possible(p.ports[n].facts, p.ports[n].config);
    note_long_chains(p, p.ports[n]);
    note_short_buffers(p, p.ports[n]);
    require_room_for_made_frames(p, p.ports[n].facts);
    note_unpolled_queues(p, p.ports[n]);
  }
}

void leave_out_queues(plan& p) {
  for (std::size_t n = 0; n < p.ports.size(); ++n) {
    auto& port = p.ports[n];
    auto const owners = owners_of(p, port);
    // Without RSS, a driver or a wire chooses the queue of a packet, and cannot be configured.
    bool const has_rss = port.facts.rss_types != 0 && !owners.forwarding.empty();
    if (!owners.nobody.empty()) {
      p.notices.push_back(
          fmt::format("{}: no worker receives from RX queue {}; {}", label_of(port.facts), in_words(owners.nobody),
                      has_rss ? "RSS puts nothing there" : "packets that the port puts there are lost"));
    }
    if (auto const unused = unused_tx_queues(p, port); !unused.empty()) {
      p.notices.push_back(fmt::format("{}: no worker sends by TX queue {}", label_of(port.facts), in_words(unused)));
    }
    auto left_out = owners.nobody;
    left_out.insert(owners.kni.begin(), owners.kni.end());
    if (left_out.empty() || !has_rss) continue;
    if (port.facts.rss_table == 0) {
      refuse_at(place_of(p, n), fmt::format("{} spreads packets over all of its RX queues (RSS) and cannot leave out "
                                            "{}; give each of them a forwarding worker",
                                            label_of(port.facts), in_words(left_out)));
    }
    for (auto const queue : owners.forwarding) port.config.rss_queues.emplace_back(static_cast<std::uint16_t>(queue));
  }
}

}  // namespace packetwarp
