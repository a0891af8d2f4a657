// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "control/control_plane.h"
#include "function/router/router_table.h"
#include "master/capture_service.h"
#include "master/data_plane.h"
#include "master/grace_period.h"
#include "module/config.h"
#include "module/nat44/translation.h"
#include "module/rules/rule_tables.h"
#include "network/control_service.h"
#include "network/network_settings.h"
#include "worker/worker_watch.h"

namespace packetwarp {

// A configured network function: the tables, the data path between its ports, and the control plane beside it.
class network {
 public:
  // Throws usage_error that names the config's file and line, or failure.
  network(network_config config, machine_facts const& machine);
  network(network const&) = delete;
  network& operator=(network const&) = delete;
  ~network();

  [[nodiscard]] data_plane& plane() { return *plane_; }
  [[nodiscard]] control_service& control() { return *service_; }
  [[nodiscard]] capture_service& captures() { return *captures_; }
  // Nothing where the file has none.
  [[nodiscard]] translation* nat() { return translation_ ? &*translation_ : nullptr; }
  [[nodiscard]] rule_tables* rules() { return rules_ ? &*rules_ : nullptr; }

  // One change at a time, and its end is when no packet is left that may have met what was there before. Nothing while
  // another is under way; else whoever has it may change tables until it is gone.
  [[nodiscard]] std::shared_ptr<void> begin_change();
  // For who has the turn.
  [[nodiscard]] grace_period& grace() { return *grace_; }

  // What it is, and that it is something else from here on.
  [[nodiscard]] network_settings const& settings() const { return settings_; }
  void set_settings(network_settings is) {
    settings_ = std::move(is);
    ++version_;
  }
  // Another one for other settings.
  [[nodiscard]] std::uint64_t version() const { return version_; }
  // Somebody changes tables, and settings() are those of before.
  [[nodiscard]] bool is_changing() const { return change_ == change_state::under_way; }
  // What packets and the control plane go by, to be looked at. The master's.
  [[nodiscard]] router_table const& router() const { return router_; }
  [[nodiscard]] neighbour_cache const& neighbours() const { return control_->neighbours(); }
  // For who has the turn. Throws usage_error with FILE:LINE for edits that cannot be.
  void check(network_edits const& edits) const;
  // The same of nat44, which there is.
  [[nodiscard]] nat::change plan_nat44(nat44_section const& wanted);
  // What was planned and prepared is in force; neighbours hear of addresses that are new.
  void publish_nat44(nat::change made);
  // The n-th of the edits is begun, and goes on until finish_edit() says that it is done, which looks at `entries`
  // entries of the tables at most and takes off what it has looked at. Throws failure where there is no room.
  void begin_edit(network_edits const& edits, std::size_t n);
  void begin_undo(network_edits const& edits, std::size_t n);
  [[nodiscard]] bool finish_edit(std::size_t& entries) { return router_.step_route(entries); }
  // Behind some of these: a GPU sees them too.
  void commit() { router_.commit(); }

  // A port has its link again. The master's.
  void link_came_up(port_id which);
  // The master's work beside its looks: as often as it likes.
  void work(cycles now, run_phase phase);
  // How long it may sleep between two of these.
  [[nodiscard]] std::chrono::nanoseconds rest() const;
  // After the workers' end.
  void give_up();
  // Then: what is to outlive the process is written. Throws failure.
  void save();

 private:
  void reclaim(cycles now);
  void serve_twins(tick const& t);
  void put(neighbour_key const& who, std::optional<wire::mac_address> const& mac);
  void put(ip_prefix const& to, std::optional<route_target> const& target);
  [[noreturn]] void refuse(int line, std::string const& why) const;
  void add_interfaces(plan const& planned);
  void add_functions(plan& planned);
  [[nodiscard]] function_tables tables();
  void add_routes();
  void add_neighbours();

  [[nodiscard]] table_place place() const;

  network_settings settings_;
  std::uint64_t version_{};
  std::shared_ptr<gpu_domain> domain_;  // of the GPU that has the tables; nullptr where none has
  router_table router_;
  std::optional<translation> translation_;
  std::optional<rule_tables> rules_;
  std::unique_ptr<data_plane> plane_;
  std::unique_ptr<control_plane> control_;
  std::unique_ptr<control_service> service_;
  std::unique_ptr<capture_service> captures_;
  enum class change_state : std::uint8_t { none, under_way, settling };
  change_state change_{change_state::none};
  cycles reclaimed_{};  // when next hops were last
  cycles served_{};     // when a kernel interface last had packets
  std::unique_ptr<grace_period> grace_;
  std::optional<worker_watch> watch_;
};

}  // namespace packetwarp
