// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rte_flow.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"

namespace packetwarp {

// A flow rule as rte_flow takes it. Owns nothing: drivers copy what they keep.
struct flow_arrays {
  rte_flow_attr const& attr;
  rte_flow_item const* pattern;    // up to its END
  rte_flow_action const* actions;  // up to its END
};

// A driver's reason for refusing a rule, and the part of the rule at fault, if known (rte_flow_error).
struct flow_refusal {
  std::string reason;
  std::optional<std::size_t> item{};    // position in the pattern
  std::optional<std::size_t> action{};  // position among the actions
};

struct flow_count {
  std::uint64_t hits{};
  std::uint64_t bytes{};
};

// The flow rules that a port's own hardware or driver runs, by the numbers that the caller gives them. Destroys them
// when it goes out of scope, the latest first. For the master worker.
class port_flows {
 public:
  explicit port_flows(port_id port) : port_{port} {}
  port_flows(port_flows&& other) noexcept : port_{other.port_}, refuses_{other.refuses_} {
    flows_.swap(other.flows_);
    aside_.swap(other.aside_);
    stuck_.swap(other.stuck_);
  }
  port_flows& operator=(port_flows&&) = delete;
  ~port_flows() { clear(); }

  // Returns nothing if the port would accept the rule now.
  [[nodiscard]] std::optional<flow_refusal> validate(flow_arrays const& rule) const;
  // Returns nothing if the port runs the rule from now on. The port has been started; `number` is free.
  [[nodiscard]] std::optional<flow_refusal> create(std::uint32_t number, flow_arrays const& rule);
  // Returns nothing if no rule has the number any more. Otherwise the driver has refused: the rule runs on.
  [[nodiscard]] std::optional<flow_refusal> destroy(std::uint32_t number);
  // Destroys all rules. A refusal of the driver is ignored: closing the port ends its rules.
  void clear();
  // The port's device is taken away, and its rules with it: no later call asks the driver.
  void forget();
  // The port is being started again: it refuses rules until resume(). It has no rules.
  void pause();
  void resume() { refuses_ = {}; }
  // Neither forget() nor pause() holds.
  [[nodiscard]] bool asks_driver() const { return refuses_.empty(); }
  [[nodiscard]] port_id of() const { return port_; }

  // Sets a rule aside, so that another rule can take its number before it ends: it runs on beside the new rule until it
  // is destroyed or, with its number free again, taken back. Has no effect if no rule has the number.
  void set_aside(std::uint32_t number);
  void take_back(std::uint32_t number);

  // Like destroy(), for a rule that must give up its number in any case. If the driver refuses, the rule runs on
  // without a number until destroy_stuck() or clear() ends it.
  [[nodiscard]] std::optional<flow_refusal> give_up(std::uint32_t number);
  [[nodiscard]] std::optional<flow_refusal> give_up_aside(std::uint32_t number);
  // Tries once more to destroy the rules without a number; returns the driver's latest refusal.
  [[nodiscard]] std::optional<flow_refusal> destroy_stuck();

  // The hits of a rule with a `count` action; nothing if the driver does not tell. Not for rules set aside.
  [[nodiscard]] std::optional<flow_count> count(std::uint32_t number) const;

  // The number of rules that the port runs, without the rules set aside.
  [[nodiscard]] std::size_t size() const { return flows_.size() + stuck_.size(); }

 private:
  using numbered = std::map<std::uint32_t, rte_flow*>;
  [[nodiscard]] std::optional<flow_refusal> end(rte_flow* rule);
  [[nodiscard]] std::optional<flow_refusal> give_up_in(numbered& some, std::uint32_t number);

  port_id port_;
  numbered flows_;
  numbered aside_;
  std::vector<rte_flow*> stuck_;
  std::string_view refuses_{};  // the reason why every rule is refused; empty if the driver is asked
};

// Whether a port receives only packets that match its flow rules (rte_flow_isolate).
enum class port_isolation : std::uint8_t { off, on };
// Called before the port is configured: drivers refuse it later. Returns nothing on success, else the driver's error.
[[nodiscard]] std::optional<std::string> isolate_port(port_id port);

}  // namespace packetwarp
