// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "control/action.h"
#include "module/detect/eve_line.h"
#include "module/detect/recent_table.h"

namespace packetwarp {

// A host that sends or gets anomalous packets.
struct anomalous_host {
  enum class role : std::uint8_t { source, destination } as{};
  std::string address;
  std::uint64_t packets{};  // anomalous ones, of flows that executors recorded
  std::uint64_t flows{};    // told as events
  double highest{};         // score
  double latest{};
  std::string peer;  // the other host of its latest record
};
[[nodiscard]] std::string_view to_string(anomalous_host::role as);

// A flow with anomalous packets.
struct anomalous_flow {
  std::string source;  // of its first record, in this order
  std::string destination;
  std::optional<std::uint16_t> source_port{};  // none: the packet has no ports
  std::optional<std::uint16_t> destination_port{};
  std::string protocol;
  std::uint64_t packets{};  // anomalous ones, of both directions
  double highest{};         // score, of the packets that executors recorded
  double latest{};
};

// The records of flows as they became events.
struct event_counts {
  std::uint64_t told{};      // events
  std::uint64_t repeated{};  // records of flows that have been told within the period
  std::uint64_t lost{};      // records that found no room in their journal
  std::uint64_t limited{};   // records beyond the limit
};

// Makes events of the executors' records of flows with anomalous packets: the first record of a flow, and one per
// period. Keeps the hosts and flows with the latest anomalous packets. All of its memory is bounded. For the master.
class anomaly_watch {
 public:
  static constexpr std::size_t most_flows = 16'384;
  static constexpr std::size_t most_hosts = 4096;  // in both roles together

  // Takes a line; must not wait.
  using line_taker = std::function<void(std::string_view)>;

  // period: between two events of a flow that goes on. to: empty if no file takes events.
  anomaly_watch(std::chrono::seconds period, line_taker to)
      : period_{period}, to_{std::move(to)}, flows_{most_flows}, hosts_{most_hosts} {}

  void see(detect_parts::anomaly const& seen, std::string_view interface, deciding_model const& by, control_time now);

  void set_period(std::chrono::seconds period) { period_ = period; }
  // Only told and repeated.
  [[nodiscard]] event_counts const& counts() const { return counts_; }
  // The hosts with the most anomalous packets among those with one in the last ten seconds.
  [[nodiscard]] std::vector<anomalous_host> busiest(std::size_t most, control_time now) const;
  // The flows with the highest scores among those with an anomalous packet in the last ten seconds; frames that are not
  // IP are left out.
  [[nodiscard]] std::vector<anomalous_flow> highest(std::size_t most, control_time now) const;

 private:
  struct host_key {
    std::uint64_t high{};
    std::uint64_t low{};
    std::uint8_t ip_version{};
    anomalous_host::role as{};
    friend bool operator==(host_key const&, host_key const&) = default;
  };
  // Forged addresses that collide cost a longer search among most_hosts, at the rate of records.
  struct host_hash {
    [[nodiscard]] std::size_t operator()(host_key const& key) const;
  };
  struct host_state {
    std::uint64_t packets{};
    std::uint64_t flows{};
    double highest{};
    double latest{};
    wire::ipv6_address peer{};
    control_time seen{};
  };
  struct flow_state {
    std::optional<control_time> told{};
    detect_parts::anomaly first{};  // record
    std::uint64_t packets{};
    double highest{};
    double latest{};
    control_time seen{};
  };
  [[nodiscard]] bool is_event(flow_state& flow, control_time now);
  void add_rest(detect_parts::anomaly const& seen);
  [[nodiscard]] static host_key key_of(detect_parts::anomaly const& seen, anomalous_host::role as);

  std::chrono::seconds period_;
  line_taker to_;
  recent_table<std::uint64_t, flow_state> flows_;
  recent_table<host_key, host_state, host_hash> hosts_;
  event_counts counts_;
};

}  // namespace packetwarp
