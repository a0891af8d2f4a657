// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "port/flow/hairpin.h"

#include <fmt/format.h>
#include <rte_ethdev.h>

#include <algorithm>

#include "base/error.h"
#include "port/port_facts.h"

namespace packetwarp {
namespace {

[[nodiscard]] rte_eth_hairpin_conf conf_of(hairpin_mode mode, port_id peer, queue_id queue) {
  rte_eth_hairpin_conf conf{};
  conf.peer_count = 1;
  // A port that is its own peer is bound by its driver when it starts.
  conf.manual_bind = mode.peers == hairpin_peers::self ? 0 : 1;
  conf.tx_explicit = mode.tx == hairpin_tx::by_rules ? 1 : 0;
  conf.peers[0] = {.port = peer.value(), .queue = queue.value()};
  return conf;
}

void check(int result, port_facts const& facts, std::string_view kind, unsigned queue, port_id peer) {
  if (result >= 0) return;
  throw failure(
      fmt::format("{}: setting up hairpin {} queue {} towards port {} failed: {}; leave out "
                  "rules.hairpin_queues, or ask for fewer",
                  label_of(facts), kind, queue, peer.value(), rte_strerror(-result)));
}

}  // namespace

std::optional<hairpin_mode> hairpin_mode_of(std::uint64_t bits) {
  constexpr std::uint64_t by_rules = 0x10;
  if ((bits & ~by_rules) > 2) return std::nullopt;
  return hairpin_mode{.peers = static_cast<hairpin_peers>(bits & 3),
                      .tx = (bits & by_rules) != 0 ? hairpin_tx::by_rules : hairpin_tx::by_driver};
}

std::size_t hairpin_next(hairpin_peers peers, std::size_t ports, std::size_t n) {
  switch (peers) {
    case hairpin_peers::self:
      return n;
    case hairpin_peers::loop:
      return (n + 1) % ports;
    case hairpin_peers::pair:
      return (n ^ 1) < ports ? n ^ 1 : n;
  }
  return n;
}

std::size_t hairpin_previous(hairpin_peers peers, std::size_t ports, std::size_t n) {
  return peers == hairpin_peers::loop ? (n + ports - 1) % ports : hairpin_next(peers, ports, n);
}

std::optional<std::string> hairpin_lack(port_facts const& facts, std::uint16_t queues) {
  rte_eth_hairpin_cap cap{};
  if (rte_eth_dev_hairpin_capability_get(facts.id.value(), &cap) != 0) {
    return fmt::format("{}: its driver {} has no hairpin queues", label_of(facts), facts.driver);
  }
  if (queues > cap.max_nb_queues) {
    return fmt::format("{}: {} hairpin queues asked for, it has {}", label_of(facts), queues, cap.max_nb_queues);
  }
  return std::nullopt;
}

void set_up_hairpin_queues(port_facts const& facts, hairpin_config const& config, queue_id first_rx, queue_id first_tx,
                           std::uint16_t rx_descriptors, std::uint16_t tx_descriptors) {
  rte_eth_hairpin_cap cap{};
  auto const id = facts.id.value();
  if (rte_eth_dev_hairpin_capability_get(id, &cap) == 0 && cap.max_nb_desc != 0) {
    rx_descriptors = std::min(rx_descriptors, cap.max_nb_desc);
    tx_descriptors = std::min(tx_descriptors, cap.max_nb_desc);
  }
  auto const behind = [](queue_id first, unsigned n) {
    return queue_id{static_cast<std::uint16_t>(first.value() + n)};
  };
  for (unsigned n = 0; n < config.queues; ++n) {
    auto const conf = conf_of(config.mode, config.previous, behind(config.previous_rx, n));
    auto const queue = behind(first_tx, n).value();
    check(rte_eth_tx_hairpin_queue_setup(id, queue, tx_descriptors, &conf), facts, "TX", queue, config.previous);
  }
  for (unsigned n = 0; n < config.queues; ++n) {
    auto const conf = conf_of(config.mode, config.next, behind(config.next_tx, n));
    auto const queue = behind(first_rx, n).value();
    check(rte_eth_rx_hairpin_queue_setup(id, queue, rx_descriptors, &conf), facts, "RX", queue, config.next);
  }
}

void hairpin_bindings::bind(port_id tx, port_id rx) {
  if (int const result = rte_eth_hairpin_bind(tx.value(), rx.value()); result != 0) {
    throw failure(fmt::format("hairpin queues from port {} to port {} cannot be bound: {}", rx.value(), tx.value(),
                              rte_strerror(-result)));
  }
  bound_.emplace_back(tx, rx);
}

void hairpin_bindings::forget(port_id gone) {
  std::erase_if(bound_, [gone](auto const& pair) { return pair.first == gone || pair.second == gone; });
}

hairpin_bindings::~hairpin_bindings() {
  for (; !bound_.empty(); bound_.pop_back()) {
    auto const& [tx, rx] = bound_.back();
    (void)rte_eth_hairpin_unbind(tx.value(), rx.value());
  }
}

}  // namespace packetwarp
