// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "port/port.h"

#include <fmt/format.h>
#include <rte_ethdev.h>

#include <cerrno>
#include <mutex>
#include <optional>

#include "base/error.h"
#include "port/interface_state.h"
#include "port/queue_setup.h"
#include "port/rss_table.h"

namespace packetwarp {

port::port(port_facts facts, port_config const& config, rx_pools const& pools)
    : port{std::move(facts), config.sends_of} {
  require_possible(facts_, config);
  config_ = config;
  pools_ = pools;
  auto const* const payloads = pools.payloads();
  auto const& data_pool = payloads != nullptr ? *payloads : pools.of(0);
  if (auto const data = data_pool.gpu_data(); !data.empty() && facts_.access != packet_access::none) {
    gpu_ = gpu_mapping{facts_.id, label_of(facts_), data_pool.config().gpu, data};
  }
  if (payloads != nullptr) offloads_.rx |= RTE_ETH_RX_OFFLOAD_BUFFER_SPLIT;
  is_ours_ = true;
  if (!facts_.own_tap.empty()) tap_ = tap_files{facts_.own_tap};
  if (loses_without_link(facts_)) link_ = std::make_unique<link_gate>();
  if (facts_.traits().needs_gate) gated_ = gate_queues(facts_.id, config.rx_queues, config.tx_queues);
  if (config.isolation == port_isolation::on) {
    if (auto const refused = isolate_port(facts_.id)) {
      throw failure(fmt::format("{}: cannot be isolated by flow rules: {}", label_of(facts_), *refused));
    }
  }
  configure_port(facts_, config_, offloads_, *pools_);
  start();
  longest_frame_ = make_frame_limit();
  follow_mtu();
}

void port::start() const {
  auto const id = facts_.id.value();
  int const result = rte_eth_dev_start(id);
  if (result == -EPERM && facts_.traits().listens_at_file) {
    throw failure(fmt::format(
        "{}: it reaches no server at its socket; start the other end, which has role=server, first", label_of(facts_)));
  }
  require_done(result, facts_, "starting it");
  if (!config_.rss_queues.empty()) {
    require_done(spread_over(facts_.id, facts_.rss_table, config_.rss_queues), facts_, "having RSS leave out queues");
  }
  // Many virtual ports have no promiscuous mode and receive all frames anyway.
  if (config_.promiscuous == promiscuity::on) (void)rte_eth_promiscuous_enable(id);
  (void)rte_eth_stats_reset(id);
}

port::~port() {
  if (!is_ours_) return;
  auto const alone = gated_ ? gated_->hold() : std::unique_lock<std::mutex>{};
  flows_.clear();
  (void)rte_eth_dev_stop(facts_.id.value());
  // Closing gives back the packets that the driver's queues still hold, while the pool they belong to exists.
  (void)rte_eth_dev_close(facts_.id.value());
  if (gated_) gated_->forget();
}

chain_limit port::longest_chain() const {
  if (facts_.buffer_bytes != 0) return {.single = facts_.buffer_bytes};
  chain_limit limit{.frames = longest_frame_.get()};
  if (auto const unlisted = facts_.traits().unlisted_chain; unlisted != 0) {
    limit.bytes = unlisted;
  } else if ((offloads_.tx & RTE_ETH_TX_OFFLOAD_MULTI_SEGS) != 0) {
    limit.bytes = any_length;
    if (facts_.max_segments != 0) limit.segments = facts_.max_segments;
  }
  return limit;
}

std::unique_ptr<frame_limit> port::make_frame_limit() const {
  auto const& traits = facts_.traits();
  if (!traits.is_stuck_by_long_packets && facts_.interface_mtu == 0) return nullptr;
  return std::make_unique<frame_limit>(traits.extra_bytes, facts_.ring_frame != 0 ? facts_.ring_frame : any_length);
}

void port::follow_mtu() const {
  if (!longest_frame_ || is_removed()) return;
  if (facts_.traits().is_stuck_by_long_packets) {
    std::uint16_t mtu{};
    if (rte_eth_dev_get_mtu(facts_.id.value(), &mtu) == 0) longest_frame_->follow(mtu);
    return;
  }
  // The interface under the port may have another name by now.
  auto const name = facts_.leaves_by == facts_.kernel_interface ? name_of_interface(facts_.interface_index)
                                                                : std::optional{facts_.leaves_by};
  if (auto const mtu = name ? mtu_of_interface(*name) : std::nullopt) longest_frame_->follow(*mtu);
}

void require_here(port const& asked_for) {
  if (asked_for.service() == port_service::stopped) {
    throw usage_error(fmt::format("{}: it is being started again; try once more", label_of(asked_for.facts())));
  }
  if (!asked_for.is_removed()) return;
  throw usage_error(fmt::format("{}: its device has been taken away; start packetwarp again once it is back",
                                label_of(asked_for.facts())));
}

void port::ask_back() {
  last_counts_ = counts();
  presence_ = port_presence::asked_back;
  flows_.forget();
}

removed_port port::take_apart() {
  // A driver may tell no counts of a device that is gone.
  last_counts_ = counts();
  is_ours_ = false;
  return removed_port{facts_.id, std::move(gpu_)};
}

port_counts port::counts() const {
  if (service_ == port_service::stopped) return before_;
  auto now = is_ours_ ? read_counts(facts_.id, config_.rx_queues) : std::nullopt;
  return now ? sum_of(before_, std::move(*now)) : last_counts_.value_or(port_counts{});
}

void port::look() {
  bool const matters = service_ != port_service::serving || facts_.traits().forgets_with_its_link;
  if (is_removed() || !matters) return;
  bool const had_carrier = std::exchange(has_carrier_, asks_for_link());
  if (service_ == port_service::serving && had_carrier && !has_carrier_) service_ = port_service::stale;
}

void port::note_reset() {
  if (service_ == port_service::serving) service_ = port_service::stale;
  has_carrier_ = false;
}

std::string_view port::why_no_restart() const {
  if (config_.hairpin.queues != 0) return "hairpin queues";
  if (config_.isolation == port_isolation::on) return "rules that isolate it";
  return flows_.size() != 0 ? "flow rules" : "";
}

void port::begin_restart() {
  before_ = counts();
  service_ = port_service::stopped;
  flows_.pause();
}

std::optional<std::string> port::start_again() const {
  auto const id = facts_.id.value();
  try {
    // A driver with a reset knows what else its device has forgotten; for other drivers a stop is enough.
    int const reset = rte_eth_dev_reset(id);
    if (reset != 0 && reset != -ENOTSUP) require_done(reset, facts_, "resetting it");
    if (reset == 0) {
      configure_port(facts_, config_, offloads_, *pools_);
    } else {
      require_done(rte_eth_dev_stop(id), facts_, "stopping it");
    }
    start();
  } catch (std::exception const& error) {
    return error.what();
  }
  return std::nullopt;
}

void port::end_restart() {
  service_ = port_service::serving;
  has_carrier_ = false;
  ++restarts_;
  flows_.resume();
}

bool port::is_link_up() const { return !is_removed() && service_ == port_service::serving && asks_for_link(); }

bool port::asks_for_link() const {
  // Drivers over a kernel interface report the link as it was when they started.
  if (facts_.interface_index != 0) return is_interface_up(facts_.interface_index);
  rte_eth_link link{};
  return rte_eth_link_get_nowait(facts_.id.value(), &link) == 0 && link.link_status == RTE_ETH_LINK_UP;
}

std::uint32_t port::link_mbps() const {
  rte_eth_link link{};
  if (is_removed() || service_ != port_service::serving || rte_eth_link_get_nowait(facts_.id.value(), &link) != 0 ||
      link.link_speed == RTE_ETH_SPEED_NUM_UNKNOWN)
    return 0;
  return link.link_speed;
}

bool port::has_its_interface() const {
  if (tap_.are_detached()) return false;
  return facts_.interface_index == 0 || name_of_interface(facts_.interface_index).has_value();
}

}  // namespace packetwarp
