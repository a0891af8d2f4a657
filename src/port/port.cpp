// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "port/port.h"

#include <fmt/format.h>
#include <net/if.h>
#include <rte_bus.h>
#include <rte_dev.h>
#include <rte_devargs.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/error.h"
#include "memory/placement.h"
#include "port/device/requested_device.h"
#include "port/driver/ring_entry.h"
#include "port/interface_mtu.h"
#include "port/queue_counts.h"
#include "port/rss_table.h"
#include "port/rx_queue.h"

namespace packetwarp {
namespace {

[[nodiscard]] std::string label(port_facts const& facts) {
  return fmt::format("port {} ({})", facts.id.value(), facts.name);
}

void check(int result, port_facts const& facts, std::string_view step) {
  if (result < 0) throw failure(fmt::format("{}: {} failed: {}", label(facts), step, rte_strerror(-result)));
}

void check_queues(port_facts const& facts, std::string_view kind, unsigned wanted, unsigned available) {
  if (wanted > available) {
    throw usage_error(
        fmt::format("{}: {} {} queues needed, the port has {}; use fewer pipelines (-p, or 'pipelines' of "
                    "data_plane), or give the port more queues",
                    label(facts), wanted, kind, available));
  }
}

[[nodiscard]] rte_eth_conf make_conf(port_facts const& facts, port_config const& config,
                                     port_offloads const& offloads) {
  rte_eth_conf conf{};
  conf.rxmode.offloads = offloads.rx;
  conf.txmode.offloads = offloads.tx;
  conf.rxmode.mtu = config.mtu != 0 ? config.mtu : facts.default_mtu;
  if (config.rx_queues > 1 && facts.rss_types != 0) {
    conf.rxmode.mq_mode = RTE_ETH_MQ_RX_RSS;
    conf.rx_adv_conf.rss_conf.rss_hf = (RTE_ETH_RSS_IP | RTE_ETH_RSS_TCP | RTE_ETH_RSS_UDP) & facts.rss_types;
  }
  return conf;
}

// Drivers over a kernel interface report the link as it was when they started.
[[nodiscard]] bool kernel_says_up(unsigned interface_index) {
  ifreq request{};
  if (::if_indextoname(interface_index, request.ifr_name) == nullptr) return false;
  int const any_socket = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  bool const known = any_socket >= 0 && ::ioctl(any_socket, SIOCGIFFLAGS, &request) == 0;
  if (any_socket >= 0) ::close(any_socket);
  constexpr int up = IFF_UP | IFF_RUNNING;
  return known && (request.ifr_flags & up) == up;
}

// Whether the arguments of the port's device, which DPDK keeps, tell it not to receive.
[[nodiscard]] bool is_told_not_to_receive(driver_traits const& traits, rte_device const* device) {
  if (traits.mute_argument.empty() || device == nullptr) return false;
  auto const* const with = rte_dev_devargs(device);
  if (with == nullptr || with->args == nullptr) return false;
  std::array const words{fmt::format("--vdev={},{}", traits.name, with->args)};
  auto const values = requested_devices(words).front().values_of(traits.mute_argument);
  return !values.empty() && values.back() != "0";
}

// The sum of a port's counts before and after it was started again.
[[nodiscard]] port_counts sum_of(port_counts const& before, port_counts now) {
  now.rx_packets += before.rx_packets;
  now.tx_packets += before.tx_packets;
  now.rx_bytes += before.rx_bytes;
  now.tx_bytes += before.tx_bytes;
  now.missed += before.missed;
  now.rx_errors += before.rx_errors;
  now.tx_errors += before.tx_errors;
  now.no_mbuf += before.no_mbuf;
  for (std::size_t n = 0; n < std::min(now.rx_queues.size(), before.rx_queues.size()); ++n) {
    auto& queue = now.rx_queues[n];
    if (!queue || !before.rx_queues[n]) continue;
    queue->packets += before.rx_queues[n]->packets;
    queue->missed += before.rx_queues[n]->missed;
  }
  return now;
}

[[nodiscard]] std::string bus_of(rte_device const* device) {
  auto const* const bus = device != nullptr ? rte_dev_bus(device) : nullptr;
  return bus != nullptr ? rte_bus_name(bus) : "";
}

}  // namespace

port_facts describe_port(port_id id) {
  port_facts facts;
  facts.id = id;
  std::array<char, RTE_ETH_NAME_MAX_LEN> name{};
  rte_eth_dev_get_name_by_port(id.value(), name.data());
  facts.name = name.data();
  rte_eth_dev_info info{};
  check(rte_eth_dev_info_get(id.value(), &info), facts, "reading the port's abilities");
  facts.driver = info.driver_name != nullptr ? info.driver_name : "";
  auto const& traits = facts.traits();
  if (info.device != nullptr) facts.device = rte_dev_name(info.device);
  facts.socket = rte_eth_dev_socket_id(id.value());
  facts.bus = bus_of(info.device);
  facts.max_rx_queues = info.max_rx_queues;
  facts.max_tx_queues = info.max_tx_queues;
  facts.max_mtu = info.max_mtu;
  facts.max_segments = max_segments_of(info.tx_desc_lim);
  facts.rx_offloads = info.rx_offload_capa;
  facts.tx_offloads = info.tx_offload_capa;
  facts.rss_types = info.flow_type_rss_offloads;
  facts.rss_table = info.reta_size;
  facts.access = access_of(info);
  facts.receives_nothing = is_told_not_to_receive(traits, info.device);
  rte_ether_addr mac{};
  if (rte_eth_macaddr_get(id.value(), &mac) == 0) std::memcpy(facts.mac.octets, mac.addr_bytes, sizeof mac);
  rte_eth_dev_get_mtu(id.value(), &facts.default_mtu);
  std::array<char, IF_NAMESIZE> interface {};
  if (info.if_index != 0 && ::if_indextoname(info.if_index, interface.data()) != nullptr) {
    if (traits.makes_interface) {
      facts.own_tap = interface.data();
    } else {
      facts.kernel_interface = interface.data();
      facts.interface_index = info.if_index;
    }
  }
  if (auto const entry = ring_entry_of(id, traits); entry != 0) {
    facts.interface_mtu = mtu_of_interface(facts.kernel_interface).value_or(0);
    facts.ring_room = packet_room_of(entry);
  }
  return facts;
}

std::vector<port_facts> describe_all_ports() {
  std::vector<port_facts> all;
  for (auto id = rte_eth_find_next_owned_by(0, RTE_ETH_DEV_NO_OWNER); id < RTE_MAX_ETHPORTS;
       id = rte_eth_find_next_owned_by(static_cast<std::uint16_t>(id + 1), RTE_ETH_DEV_NO_OWNER)) {
    all.push_back(describe_port(port_id{static_cast<std::uint16_t>(id)}));
  }
  return all;
}

// The limit for packets that the device does not cut up itself. Drivers without a limit leave out the number, or give
// the largest.
std::uint16_t max_segments_of(rte_eth_desc_lim const& limits) {
  return limits.nb_mtu_seg_max != any_segments ? limits.nb_mtu_seg_max : std::uint16_t{0};
}

bool loses_without_link(port_facts const& facts) {
  return facts.interface_index != 0 && facts.traits().loses_without_link;
}

void require_possible(port_facts const& facts, port_config const& config) {
  check_queues(facts, "RX", config.rx_queues + 0U + config.hairpin.queues, facts.max_rx_queues);
  check_queues(facts, "TX", config.tx_queues + 0U + config.hairpin.queues, facts.max_tx_queues);
  if (config.mtu > facts.max_mtu) {
    throw usage_error(
        fmt::format("{}: MTU {} asked for; the port allows at most {}", label(facts), config.mtu, facts.max_mtu));
  }
}

port_offloads choose_offloads(port_facts const& facts, sent_pools sends_of) {
  // Checksum offloads are left to functions that touch checksums: asking for them takes some drivers off their
  // fastest path.
  auto const free = sends_of == sent_pools::one ? RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE : 0;
  return {.rx = facts.rx_offloads & RTE_ETH_RX_OFFLOAD_SCATTER,
          .tx = facts.tx_offloads & (RTE_ETH_TX_OFFLOAD_MULTI_SEGS | free)};
}

bool splits_to_gpu(port_facts const& facts) {
  return facts.access == packet_access::rdma && (facts.rx_offloads & RTE_ETH_RX_OFFLOAD_BUFFER_SPLIT) != 0 &&
         (facts.rx_offloads & RTE_ETH_RX_OFFLOAD_SCATTER) != 0 &&
         (facts.tx_offloads & RTE_ETH_TX_OFFLOAD_MULTI_SEGS) != 0;
}

port::port(port_facts facts, port_config const& config, rx_pools const& pools)
    : port{std::move(facts), config.sends_of} {
  require_possible(facts_, config);
  config_ = config;
  pools_ = pools;
  auto const* const payloads = pools.payloads();
  auto const& data_pool = payloads != nullptr ? *payloads : pools.of(0);
  if (auto const data = data_pool.gpu_data(); !data.empty() && facts_.access != packet_access::none) {
    gpu_ = gpu_mapping{facts_.id, label(facts_), data_pool.config().gpu, data};
  }
  if (payloads != nullptr) offloads_.rx |= RTE_ETH_RX_OFFLOAD_BUFFER_SPLIT;
  is_ours_ = true;
  if (!facts_.own_tap.empty()) tap_ = tap_files{facts_.own_tap};
  if (loses_without_link(facts_)) link_ = std::make_unique<link_gate>();
  if (facts_.traits().needs_gate) gated_ = gate_queues(facts_.id, config.rx_queues, config.tx_queues);
  if (config.isolation == port_isolation::on) {
    if (auto const refused = isolate_port(facts_.id)) {
      throw failure(fmt::format("{}: cannot be isolated by flow rules: {}", label(facts_), *refused));
    }
  }
  configure();
  start();
}

void port::configure() const {
  auto const conf = make_conf(facts_, config_, offloads_);
  auto const all_queues = [this](std::uint16_t others) {
    return static_cast<std::uint16_t>(others + config_.hairpin.queues);
  };
  check(rte_eth_dev_configure(facts_.id.value(), all_queues(config_.rx_queues), all_queues(config_.tx_queues), &conf),
        facts_, "configuring it");
  set_up_queues();
}

void port::start() const {
  auto const id = facts_.id.value();
  check(rte_eth_dev_start(id), facts_, "starting it");
  if (!config_.rss_queues.empty()) {
    check(spread_over(facts_.id, facts_.rss_table, config_.rss_queues), facts_, "having RSS leave out queues");
  }
  // Many virtual ports have no promiscuous mode and receive all frames anyway.
  if (config_.promiscuous == promiscuity::on) (void)rte_eth_promiscuous_enable(id);
  (void)rte_eth_stats_reset(id);
}

void port::set_up_queues() const {
  auto const* const payloads = pools_->payloads();
  auto const id = facts_.id.value();
  auto rx_descriptors = config_.rx_descriptors;
  auto tx_descriptors = config_.tx_descriptors;
  check(rte_eth_dev_adjust_nb_rx_tx_desc(id, &rx_descriptors, &tx_descriptors), facts_, "sizing its rings");
  auto const socket = facts_.socket < 0 ? SOCKET_ID_ANY : facts_.socket;
  for (std::uint16_t q = 0; q < config_.rx_queues; ++q) {
    set_up_rx_queue(facts_, {.queue = q,
                             .descriptors = rx_descriptors,
                             .pool = pools_->of(q),
                             .payloads = payloads,
                             .first_bytes = pools_->first_bytes()});
  }
  for (std::uint16_t q = 0; q < config_.tx_queues; ++q) {
    check(rte_eth_tx_queue_setup(id, q, tx_descriptors, static_cast<unsigned>(socket), nullptr), facts_,
          fmt::format("setting up TX queue {}", q));
  }
  if (config_.hairpin.queues != 0) {
    set_up_hairpin_queues(facts_, config_.hairpin, queue_id{config_.rx_queues}, queue_id{config_.tx_queues},
                          rx_descriptors, tx_descriptors);
  }
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
  if (auto const unlisted = facts_.traits().unlisted_chain; unlisted != 0) return {unlisted};
  if ((offloads_.tx & RTE_ETH_TX_OFFLOAD_MULTI_SEGS) == 0) return {};
  return {any_length, facts_.max_segments != 0 ? facts_.max_segments : any_segments};
}

void require_here(port const& asked_for) {
  if (asked_for.service() == port_service::stopped) {
    throw usage_error(fmt::format("{}: it is being started again; try once more", label(asked_for.facts())));
  }
  if (!asked_for.is_removed()) return;
  throw usage_error(fmt::format("{}: its device has been taken away; start packetwarp again once it is back",
                                label(asked_for.facts())));
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
  auto now = is_ours_ ? read_counts() : std::nullopt;
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
    if (reset != 0 && reset != -ENOTSUP) check(reset, facts_, "resetting it");
    if (reset == 0) {
      configure();
    } else {
      check(rte_eth_dev_stop(id), facts_, "stopping it");
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

std::optional<port_counts> port::read_counts() const {
  rte_eth_stats stats{};
  if (rte_eth_stats_get(facts_.id.value(), &stats) != 0) return std::nullopt;
  return port_counts{.rx_packets = stats.ipackets,
                     .tx_packets = stats.opackets,
                     .rx_bytes = stats.ibytes,
                     .tx_bytes = stats.obytes,
                     .missed = stats.imissed,
                     .rx_errors = stats.ierrors,
                     .tx_errors = stats.oerrors,
                     .no_mbuf = stats.rx_nombuf,
                     .rx_queues = count_rx_queues(facts_.id, config_.rx_queues)};
}

bool port::is_link_up() const { return !is_removed() && service_ == port_service::serving && asks_for_link(); }

bool port::asks_for_link() const {
  if (facts_.interface_index != 0) return kernel_says_up(facts_.interface_index);
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
  std::array<char, IF_NAMESIZE> name{};
  return facts_.interface_index == 0 || ::if_indextoname(facts_.interface_index, name.data()) != nullptr;
}

}  // namespace packetwarp
