// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "cli/run/config.h"
#include "flow/compile/site.h"
#include "flow/compile/table.h"
#include "flow/rule_book.h"
#include "port/port.h"
#include "topology/plan.h"

namespace packetwarp {

// The ports' part of a network's flow rules: queues that they speak of, and the rules that ports take themselves.
// The master's.
class rule_ports {
 public:
  // config, book: outlive it. file: the network's, for errors.
  rule_ports(rules_config const& config, flow::rule_book const& book, std::string file)
      : config_{config}, book_{book}, file_{std::move(file)} {}

  // The queues that rules on these ports speak of, in tables too.
  [[nodiscard]] std::vector<flow::port_queues> queues(std::vector<port_id> const& ports) const;

  // Before the ports are set up: gives them hairpin queues and isolation where NICs are to run rules. What a port lacks
  // is a notice of the plan; throws usage_error where rules have to be its NIC's.
  void prepare(plan& planned);

  // All of the rules into the NICs of the ports, which have been started. Throws usage_error, with the rule's place,
  // for the first one that its port refuses; none is left then.
  void create_all(std::deque<port>& ports) const;

  // Those that NICs take and that may be there (flow/compile/site.h), and where all of them are then.
  [[nodiscard]] std::vector<flow::sited_rule> share_out(std::deque<port>& ports, flow::compiled_rules const& compiled,
                                                        flow::rule_site tables) const;

 private:
  [[nodiscard]] bool asks_nics() const { return config_.on == rules_on::automatic || config_.on == rules_on::nic; }
  void give_hairpin_queues(plan& planned);
  void require_receive_queues(plan const& planned);
  [[noreturn]] void refuse(std::string const& why) const;
  [[nodiscard]] std::string place_of(flow::numbered_rule const& one, flow_refusal const& refusal) const;
  [[nodiscard]] flow::rule_refusals ask(std::deque<port> const& ports) const;

  rules_config const& config_;
  flow::rule_book const& book_;
  std::string file_;
  flow::site_port::hairpin hairpin_{flow::site_port::hairpin::none};
  std::optional<std::string> odd_queues_;  // why queues of rules are not the ports' own
};

}  // namespace packetwarp
