// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "flow/rule_book.h"
#include "module/rules/compile/site.h"
#include "module/rules/compile/table.h"
#include "module/rules/compile/transition.h"
#include "module/rules/rules_config.h"
#include "plan/plan.h"
#include "port/port.h"

namespace packetwarp {

// The ports' part of a network's flow rules: queues that rules name, and the rules that ports take themselves. For the
// master.
class rule_ports {
 public:
  // config, book: outlive it. file: the network's, for errors.
  rule_ports(rules_config const& config, flow::rule_book const& book, std::string file)
      : config_{config}, book_{book}, file_{std::move(file)} {}

  // The queues that rules on these ports name, in tables too.
  [[nodiscard]] std::vector<flow::port_queues> queues(std::vector<port_id> const& ports) const;

  // To be called before the ports are set up: gives them hairpin queues and isolation if NICs run rules. A missing
  // ability of a port is a notice of the plan; throws usage_error if rules must run on its NIC.
  void prepare(plan& planned);

  // To be called when the ports have been started. They outlive every further call.
  void use(std::deque<port>& ports);
  // The ports' properties that sharing out depends on.
  [[nodiscard]] std::vector<flow::site_port> known() const;

  // Puts all of the rules into the NICs of the ports. Throws usage_error, with the rule's place, for the first one that
  // its port refuses; no rule is left then.
  void create_all() const;

  // The result of sharing out (module/rules/compile/site.h): the place of every rule after the NICs have taken theirs.
  // Throws failure if a NIC has taken a rule that it may not run alone, and does not let go of it.
  struct shared_rules {
    std::vector<flow::sited_rule> sited;
    flow::rule_refusals refused;  // by the ports
    flow::rule_keys retry;        // of `refused`: for want of room, say, so a later change offers them again
  };
  [[nodiscard]] shared_rules share_out(flow::compiled_rules const& compiled, flow::rule_site tables) const;

  // The reason why a port does not take a rule, when it is asked or has to take it; nothing if it does.
  [[nodiscard]] std::optional<std::string> ask(port_id id, flow::numbered_rule const& one) const;
  [[nodiscard]] std::optional<std::string> create(port_id id, flow::numbered_rule const& one) const;
  // Whether the answers are the driver's. Otherwise the port refuses every rule, maybe only for now.
  [[nodiscard]] bool asks_driver(port_id id) const;
  // The same as ask() and create() if no table may run the rule: throws usage_error with its place in `file`, if it was
  // written there.
  void require_taken(port_id id, flow::numbered_rule const& one, std::string const& file) const;
  void require_created(port_id id, flow::numbered_rule const& one, std::string const& file) const;
  // "port 0 (net_null0) does not let go of rule 3: device busy": the start of an error about a refused removal.
  [[nodiscard]] std::string no_letting_go(flow::rule_key const& key, std::string const& reason) const;
  // Nothing for a port that is not in use.
  [[nodiscard]] port_flows* flows_of(port_id id) const;
  // The count of a NIC's rule, if the rule counts and the NIC reports it.
  [[nodiscard]] std::optional<rules_counter> counted(flow::rule_key const& key) const;

 private:
  [[nodiscard]] bool asks_nics() const { return config_.on == rules_on::automatic || config_.on == rules_on::nic; }
  void give_hairpin_queues(plan& planned);
  void require_receive_queues(plan const& planned);
  [[noreturn]] void refuse(std::string const& why) const;
  [[noreturn]] void tell(flow_refusal const& refusal, port_id id, flow::numbered_rule const& one,
                         std::string const& file) const;
  [[nodiscard]] flow::rule_refusals ask_all() const;

  rules_config const& config_;
  flow::rule_book const& book_;
  std::string file_;
  flow::site_port::hairpin hairpin_{flow::site_port::hairpin::none};
  std::optional<std::string> odd_queues_;  // why queues of rules are not the ports' own
  std::map<port_id, port*> ports_;
};

}  // namespace packetwarp
