// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <exception>
#include <future>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "function/router/router.h"
#include "module/module.h"
#include "module/router/network_settings.h"
#include "pipeline/stage_tables.h"
#include "routing/router_table.h"

namespace packetwarp {

// The router's module: interfaces, routes and neighbours of the file in the table that packets and the control plane
// use. A network without the stage has the table too, for its control plane.
class router_module final : public stage_module {
 public:
  explicit router_module(module_surroundings const& around);

  [[nodiscard]] std::string_view name() const override { return router::name; }
  void prepare(plan& planned) override;
  void add_tables(function_tables& to) const override { to.stages.push_back(&stage_); }
  void attach(control_access const& control) override;
  void abandon() override { table_.abandon(); }
  [[nodiscard]] std::unique_ptr<module_change> change_to(std::shared_ptr<network_config const> wanted) override;
  void mark() override { table_.mark(); }
  void reclaim() override { table_.reclaim(); }

  [[nodiscard]] memory_work memory(run_view const& run) override;

  [[nodiscard]] router_table const& table() const { return table_; }
  // The file's routes, as far as no change under way has replaced them.
  [[nodiscard]] route_map const& routes() const { return in_force_->routes; }

 private:
  friend class router_change;
  class stage final : public tables_of_stage<router> {
   public:
    explicit stage(router_table const& table) : table_{table} {}
    [[nodiscard]] table_refs<router> refs_at(stage_place const& place) const override;

   private:
    router_table const& table_;
  };
  void add_interfaces(network_config const& config, plan const& planned);
  void add_routes(network_config const& config);
  void put(neighbour_key const& who, std::optional<wire::mac_address> const& mac);
  void put(ip_prefix const& to, std::optional<route_target> const& target);

  router_table& table_;
  stage stage_{table_};
  std::shared_ptr<network_settings const> in_force_;
  std::optional<control_access> control_;
};

// Routes and neighbours change one after the other; packets meet the old ones or the new ones. All room is found before
// the first of them changes. Routes that no others replace go once the change is in force: an undo would need room for
// them again.
class router_change final : public module_change {
 public:
  router_change(router_module& of, std::shared_ptr<network_config const> wanted)
      : of_{of}, config_{std::move(wanted)} {}
  // Before the network's end. Waits for planning, which gives up soon.
  ~router_change() override {
    end_.request_stop();
    release_kept();
  }

  [[nodiscard]] bool plan() override;
  [[nodiscard]] bool apply() override;
  [[nodiscard]] bool undo() override;
  void publish() override {
    of_.in_force_ = wanted_;
    release_kept();
  }
  [[nodiscard]] bool finish() override;
  [[nodiscard]] facts result() const override;

 private:
  struct worked_out {
    std::shared_ptr<network_settings const> wanted;
    network_edits edits;
    std::vector<neighbour_key> next_hops;  // that the edits need
  };
  void check() const;
  // Takes places for next hops that the change needs: true when it has them all.
  [[nodiscard]] bool take_places();
  // Makes some edits, up to this one: true when all before it are finished.
  [[nodiscard]] bool make_edits(std::size_t end);
  void begin_edit(std::size_t n);
  void begin_undo(std::size_t n);
  // Until the change can no longer be undone, next hops that it replaces keep their places.
  void keep(neighbour_key const& replaced);
  void release_kept();

  router_module& of_;
  std::shared_ptr<network_config const> config_;
  std::stop_source end_;  // of planning
  std::future<worked_out> planned_;
  std::shared_ptr<network_settings const> wanted_;
  network_edits edits_;
  std::size_t undoable_{};  // edits before the ones that remove routes
  std::vector<neighbour_key> next_hops_;
  std::size_t taken_{};              // of next_hops_
  std::vector<neighbour_key> kept_;  // next hops that have a place because of this change
  std::size_t done_{};               // edits that have begun; all but the last are finished
};

}  // namespace packetwarp
