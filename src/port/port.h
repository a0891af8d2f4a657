// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/ids.h"
#include "port/chain_limit.h"
#include "port/device/tap_files.h"
#include "port/flow/port_flows.h"
#include "port/frame_limit.h"
#include "port/gpu_mapping.h"
#include "port/interrupt_gate.h"
#include "port/link_gate.h"
#include "port/port_config.h"
#include "port/port_counts.h"
#include "port/port_facts.h"
#include "port/port_queues.h"
#include "port/removal/removed_port.h"
#include "port/rx_pools.h"

namespace packetwarp {

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
        longest_frame_{std::move(other.longest_frame_)},
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
  // Reads the MTU of the kernel interface by which packets leave, for longest_chain().
  void follow_mtu() const;
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
  void start() const;
  [[nodiscard]] std::unique_ptr<frame_limit> make_frame_limit() const;
  [[nodiscard]] bool asks_for_link() const;
  port_facts facts_;
  port_offloads offloads_{};
  port_config config_{};
  std::optional<rx_pools> pools_;
  gpu_mapping gpu_;  // of the pool; outlives the driver's use of it
  std::unique_ptr<gated_queues> gated_;
  std::unique_ptr<link_gate> link_;
  std::unique_ptr<frame_limit> longest_frame_;
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
