// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rte_ethdev.h>

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/thread/thread_sanitizer.h"
#include "memory/packet_pool.h"
#include "memory/placement.h"
#include "port/device/tap_files.h"
#include "port/driver/driver_traits.h"
#include "port/driver/packet_access.h"
#include "port/flow/hairpin.h"
#include "port/flow/port_flows.h"
#include "port/gpu_mapping.h"
#include "port/interrupt_gate.h"
#include "port/link_gate.h"
#include "port/removal/removed_port.h"
#include "wire/address.h"

namespace packetwarp {

// The facts of a port before it is configured, as its driver tells them.
struct port_facts {
  port_id id;
  std::string name;    // "0000:b5:00.0", "net_pcap0"
  std::string device;  // the device's, which several ports may share; empty: no device that could be taken away
  std::string driver;  // "mlx5_pci", "net_pcap"
  std::string bus;     // "pci", "vdev"
  int socket{-1};      // NUMA node, -1 unknown
  std::uint16_t max_rx_queues{};
  std::uint16_t max_tx_queues{};
  std::uint16_t default_mtu{};
  std::uint16_t max_mtu{};
  std::uint16_t max_segments{};  // mbufs of the packets that it sends; 0: it tells no limit
  std::uint64_t rx_offloads{};   // RTE_ETH_RX_OFFLOAD_*
  std::uint64_t tx_offloads{};   // RTE_ETH_TX_OFFLOAD_*
  std::uint64_t rss_types{};     // RTE_ETH_RSS_*
  std::uint16_t rss_table{};     // entries that assign hashes to queues; 0: they cannot be set
  // The interface that the port stands on and did not make, else empty and 0. It may be renamed; its index stays.
  std::string kernel_interface;
  unsigned interface_index{};
  std::string own_tap;  // the interface that the driver made for the port, as it was called then
  // driver_traits::entries: packets beyond these are lost. 0: another driver, or nothing is known.
  std::uint32_t interface_mtu{};  // of its kernel interface
  std::uint32_t ring_room{};      // bytes of an IP packet that fit into its rings
  packet_access access{packet_access::host_only};
  wire::mac_address mac;
  bool receives_nothing{};  // its device's arguments say so (driver_traits::mute_argument)

  [[nodiscard]] driver_traits const& traits() const { return traits_of(driver); }
};
[[nodiscard]] port_facts describe_port(port_id id);
[[nodiscard]] std::vector<port_facts> describe_all_ports();

// Whether a port can receive headers into host memory and payloads into a GPU's, and send such packets.
[[nodiscard]] bool splits_to_gpu(port_facts const& facts);

// Whether a port receives frames to other MAC addresses than its own.
enum class promiscuity : std::uint8_t { on, off };

// The packet pools of the packets that one TX queue sends, their segments included.
enum class sent_pools : std::uint8_t { one, several };

// Whether a port's driver tells that it has sent packets which its kernel interface, down or deleted, did not take.
[[nodiscard]] bool loses_without_link(port_facts const& facts);

// How a port is set up.
struct port_config {
  std::uint16_t rx_queues{1};
  std::uint16_t tx_queues{1};
  std::uint16_t rx_descriptors{1024};
  std::uint16_t tx_descriptors{1024};
  std::uint16_t mtu{};       // 0: leave the port's own
  hairpin_config hairpin{};  // after the queues above
  port_isolation isolation{port_isolation::off};
  std::vector<queue_id> rss_queues{};  // that RSS spreads packets over; empty: all
  promiscuity promiscuous{promiscuity::on};
  sent_pools sends_of{sent_pools::several};
};

// Throws usage_error, which says what the port has, if it cannot be set up as config says.
void require_possible(port_facts const& facts, port_config const& config);

// The offloads that make any packet pass: scattered receive for frames longer than an mbuf, and multi-segment transmit;
// and fast free, by which a driver returns all packets of a queue to the pool of one of them: only if all packets come
// from one pool. Offloads that the port lacks are left out.
struct port_offloads {
  std::uint64_t rx{};
  std::uint64_t tx{};
};
[[nodiscard]] port_offloads choose_offloads(port_facts const& facts, sent_pools sends_of);

// port_facts::max_segments of a port with these limits.
[[nodiscard]] std::uint16_t max_segments_of(rte_eth_desc_lim const& limits);

// The longest chain of a port that sends packets of several mbufs, however long.
inline constexpr auto any_length = std::numeric_limits<std::uint32_t>::max();
inline constexpr auto any_segments = std::numeric_limits<std::uint16_t>::max();

// The packets of several mbufs that a port sends whole: of this many bytes (0: none) and this many mbufs at most.
struct chain_limit {
  std::uint32_t bytes{};
  std::uint16_t segments{any_segments};
  bool operator==(chain_limit const&) const = default;
};

// The counts of one RX queue, if the driver has them. The driver's names are rx_qN_packets and rx_qN_errors.
struct rx_queue_counts {
  std::uint64_t packets{};
  std::uint64_t missed{};  // arrived for it and dropped by the device
};

// The counts of the port itself, since start.
struct port_counts {
  std::uint64_t rx_packets{}, tx_packets{}, rx_bytes{}, tx_bytes{};
  std::uint64_t missed{};                                   // imissed: the device had no free descriptor
  std::uint64_t rx_errors{};                                // ierrors
  std::uint64_t tx_errors{};                                // oerrors
  std::uint64_t no_mbuf{};                                  // rx_nombuf: the packet pool was dry
  std::vector<std::optional<rx_queue_counts>> rx_queues{};  // by queue; nothing if the driver does not tell
};

// A queue of a started port. A value; one thread at a time may use it.
class rx_queue {
 public:
  // The pass is for a queue of a port with an interrupt_gate.
  rx_queue(port_id port, queue_id queue, queue_pass* pass = nullptr)
      : port_{port.value()}, queue_{queue.value()}, pass_{pass} {}
  // Fills the front of `room` with received packets, which the caller then owns; returns how many.
  [[nodiscard]] std::uint16_t receive(std::span<rte_mbuf*> room) const {
    if (pass_ != nullptr && !pass_->enter()) return 0;
    auto const n = rte_eth_rx_burst(port_, queue_, room.data(), static_cast<std::uint16_t>(room.size()));
    if (pass_ != nullptr) pass_->leave();
    take_over(room.first(n));
    return n;
  }
  [[nodiscard]] port_id port() const { return port_id{port_}; }

 private:
  std::uint16_t port_;
  std::uint16_t queue_;
  queue_pass* pass_;
};

class tx_queue {
 public:
  // The pass is for a queue of a port with an interrupt_gate, the link for one of a port with a link_gate.
  tx_queue(port_id port, queue_id queue, queue_pass* pass = nullptr, link_gate const* link = nullptr)
      : port_{port.value()}, queue_{queue.value()}, pass_{pass}, link_{link} {}
  // Hands the packets to the port, in order; returns how many it took. The caller still owns the rest.
  [[nodiscard]] std::uint16_t send(std::span<rte_mbuf*> packets) const {
    if (link_ != nullptr && link_->is_shut()) return 0;
    hand_over(packets);
    if (pass_ != nullptr && !pass_->enter()) return 0;
    auto const n = rte_eth_tx_burst(port_, queue_, packets.data(), static_cast<std::uint16_t>(packets.size()));
    if (pass_ != nullptr) pass_->leave();
    return n;
  }
  [[nodiscard]] port_id port() const { return port_id{port_}; }
  // The driver must not be called now (interrupt_gate.h): send() takes nothing, however much room the port has.
  [[nodiscard]] bool is_shut() const { return pass_ != nullptr && pass_->is_shut(); }

 private:
  std::uint16_t port_;
  std::uint16_t queue_;
  queue_pass* pass_;
  link_gate const* link_;
};

// The pools of a port's packets: one pool for all its RX queues or one for each, and perhaps a pool of payloads, for
// the bytes after a packet's first ones (split_header_bytes).
class rx_pools {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): a pool is what most ports need
  rx_pools(packet_pool const& shared, packet_pool const* payloads = nullptr,
           std::uint16_t first_bytes = split_header_bytes)
      : of_{&shared}, payloads_{payloads}, first_bytes_{first_bytes} {}
  explicit rx_pools(std::vector<packet_pool const*> of_queues) : of_{std::move(of_queues)} {}

  [[nodiscard]] packet_pool const& of(std::uint16_t queue) const { return *of_[queue < of_.size() ? queue : 0]; }
  [[nodiscard]] packet_pool const* payloads() const { return payloads_; }
  [[nodiscard]] std::uint16_t first_bytes() const { return first_bytes_; }

 private:
  std::vector<packet_pool const*> of_;
  packet_pool const* payloads_{};
  std::uint16_t first_bytes_{split_header_bytes};
};

// The state of the device of a started port.
enum class port_presence : std::uint8_t {
  here,
  asked_back,  // its device is being taken away
  given_back,  // closed, and its device released
};

// The queues of a port whose device is here.
enum class port_service : std::uint8_t {
  serving,
  stale,    // its physical function was reset, and may have forgotten them
  stopped,  // being started again, until that has worked
};

// Throws usage_error, as "port 1 (0000:b5:00.0): its device has been taken away", if the port's device has been taken
// away or the port is being started again.
class port;
void require_here(port const& asked_for);

// A configured and started port; stopped when it goes out of scope. For the master worker.
class port {
 public:
  // Throws usage_error for an ability that the port lacks, failure for an operation that it refused. The pools outlive
  // the port.
  port(port_facts facts, port_config const& config, rx_pools const& pools);
  port(port&& other) noexcept
      : facts_{std::move(other.facts_)},
        offloads_{other.offloads_},
        config_{std::move(other.config_)},
        pools_{std::move(other.pools_)},
        gpu_{std::move(other.gpu_)},
        gated_{std::move(other.gated_)},
        link_{std::move(other.link_)},
        tap_{std::move(other.tap_)},
        flows_{std::move(other.flows_)},
        presence_{other.presence_},
        service_{other.service_},
        has_carrier_{other.has_carrier_},
        restarts_{other.restarts_},
        before_{std::move(other.before_)},
        last_counts_{std::move(other.last_counts_)},
        is_ours_{std::exchange(other.is_ours_, false)} {}
  port& operator=(port&&) = delete;
  ~port();

  [[nodiscard]] port_facts const& facts() const { return facts_; }
  [[nodiscard]] port_offloads const& offloads() const { return offloads_; }
  // The rules that the port itself runs; none at first.
  [[nodiscard]] port_flows& flows() { return flows_; }
  [[nodiscard]] port_flows const& flows() const { return flows_; }
  [[nodiscard]] chain_limit longest_chain() const;
  [[nodiscard]] rx_queue rx(queue_id queue) const { return {facts_.id, queue, gated_ ? gated_->rx(queue) : nullptr}; }
  [[nodiscard]] tx_queue tx(queue_id queue) const {
    return {facts_.id, queue, gated_ ? gated_->tx(queue) : nullptr, link_.get()};
  }

  // The counts since start; for a port that has been taken apart the last known.
  [[nodiscard]] port_counts counts() const;
  [[nodiscard]] bool is_link_up() const;
  [[nodiscard]] std::uint32_t link_mbps() const;  // 0 when unknown
  // The gate of the TX queues of a port that loses_without_link(), open at first; nullptr for other ports.
  [[nodiscard]] link_gate* link() const { return link_.get(); }
  // False once the kernel interface under the port, or the one that the port made, has been deleted; true for ports
  // that have none.
  [[nodiscard]] bool has_its_interface() const;

  // The calls at the end of a port whose device is taken away, in this order. Its flow rules go with the device.
  [[nodiscard]] port_presence presence() const { return presence_; }
  [[nodiscard]] bool is_removed() const { return presence_ != port_presence::here; }
  // The link counts as down from here on, and the port takes no flow rules.
  void ask_back();
  // Called when no thread uses a queue of the port any more. From here on this object does not ask the driver.
  [[nodiscard]] removed_port take_apart();
  // Called when the device has been released.
  void note_given_back() { presence_ = port_presence::given_back; }

  // The calls for a port whose physical function was reset, in this order. While it does not serve, its link counts as
  // down, and it takes no flow rules.
  [[nodiscard]] port_service service() const { return service_; }
  // Reads the link of a port that forgets its queues with the link, or that is stale.
  void look();
  // Called for RTE_ETH_EVENT_INTR_RESET.
  void note_reset();
  // The carrier at the last look() since the port was started or reset. A physical function that is down sets nothing
  // up.
  [[nodiscard]] bool has_carrier() const { return has_carrier_; }
  // The reason why the port cannot be started again as it was set up; empty if it can.
  [[nodiscard]] std::string_view why_no_restart() const;
  // The port's queues count as intact again.
  void keep() { service_ = port_service::serving; }
  // Called when no thread uses a queue of the port any more.
  void begin_restart();
  // Stops the port and starts it as it was set up. Returns nothing if it serves again, else the error. Called on any
  // thread but the EAL's interrupt thread, while the master makes no other call that asks the driver.
  [[nodiscard]] std::optional<std::string> start_again() const;
  // Called after start_again() has worked.
  void end_restart();
  [[nodiscard]] std::uint64_t restarts() const { return restarts_; }

 private:
  // Touches no device yet. After this constructor the destructor runs, even if the rest of construction throws.
  port(port_facts facts, sent_pools sends_of)
      : facts_{std::move(facts)}, offloads_{choose_offloads(facts_, sends_of)}, flows_{facts_.id} {}
  void configure() const;
  void set_up_queues() const;
  void start() const;
  [[nodiscard]] bool asks_for_link() const;
  [[nodiscard]] std::optional<port_counts> read_counts() const;
  port_facts facts_;
  port_offloads offloads_{};
  port_config config_{};
  std::optional<rx_pools> pools_;
  gpu_mapping gpu_;  // of the pool; outlives the driver's use of it
  std::unique_ptr<gated_queues> gated_;
  std::unique_ptr<link_gate> link_;
  tap_files tap_;
  port_flows flows_;
  port_presence presence_{port_presence::here};
  port_service service_{port_service::serving};
  bool has_carrier_{false};
  std::uint64_t restarts_{0};
  port_counts before_;                      // until it was started last
  std::optional<port_counts> last_counts_;  // of a port that was asked back
  bool is_ours_{false};                     // configured by this object, which must close it
};

}  // namespace packetwarp
