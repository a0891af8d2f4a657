// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "module/client/module_client.h"
#include "module/config.h"
#include "module/module.h"
#include "module/module_command.h"
#include "plan/config.h"
#include "plan/plan.h"

namespace packetwarp {

class yaml_place;

// The keys of a module in a network's file, each at the file's top level.
struct module_keys {
  // All of them. A file that has the first one asks for the stage.
  std::span<std::string_view const> all;
  // Keys that a reload must not change: these under the first one, and these at the top level.
  std::span<std::string_view const> fixed_within{};
  std::span<std::string_view const> fixed{};
  // Keys under the first one whose changes a reload names.
  std::span<std::string_view const> told_within{};
};

// An option of the command line that replaces a key of the module's.
struct module_option {
  std::string_view name;  // "--rules-on"
  // Puts the option's word into the config in place of the file's. Throws usage_error for a wrong word, and if the file
  // does not have the module.
  void (*apply)(std::string const& word, network_config& config);
};

// The module's lines on the page of `packetwarp run --help`: its options, and its keys of a file; lines with their
// ends.
struct module_help {
  std::string_view options{};
  std::string_view keys{};
};

// The module's part in reports (telemetry/report_part.h), for DPDK's telemetry; its name is empty if it has none.
struct module_report {
  std::string_view name;
  std::string_view help;
};

// Files that a network opens again while it runs or at its end; empty names are none.
struct module_files {
  std::vector<std::string> read;
  std::vector<std::string> written;  // or moved, or removed
};

// The constants of a module, without functions of their own: a module without options leaves them out.
struct module_facts {
  std::string_view name;  // of the stage
  module_keys keys;
  module_help help{};
  std::span<module_option const> options{};
  module_report report{};
  std::span<module_command const> commands{};
  // The module in other processes, which ask one that has it.
  module_client client{};
};

// The part of a module that exists before a network has one. It has no state: any thread may call it. A module whose
// keys are one section of the config derives from section_kind.h's.
class module_kind {
 public:
  explicit module_kind(module_facts const& facts) : facts_{facts} {}
  module_kind(module_kind const&) = delete;
  module_kind& operator=(module_kind const&) = delete;
  virtual ~module_kind() = default;

  [[nodiscard]] module_facts const& facts() const { return facts_; }
  [[nodiscard]] std::string_view name() const { return facts_.name; }

  // Reads the module's keys of a file into its section of the config, which already has interfaces and data plane.
  // Throws usage_error with FILE:LINE.
  virtual void read(yaml_place const& root, network_config& into) const = 0;
  // Adds the module's needs to the data plane, as far as the file does not set them.
  virtual void adjust(network_config const& /*config*/, data_plane_config& /*plane*/) const {}
  // Checks what a start would read besides the file, such as a file of rules. Throws usage_error, as a start would.
  virtual void check(network_config const& /*config*/, plan const& /*planned*/) const {}
  // Lines of `packetwarp plan` about the module.
  [[nodiscard]] virtual std::string describe(network_config const& /*config*/) const { return {}; }
  virtual void add_files(network_config const& /*config*/, module_files& /*to*/) const {}
  // nullptr if the config asks for none. Throws like the module's set-up.
  [[nodiscard]] virtual std::unique_ptr<stage_module> make(module_surroundings const& around) const = 0;

 private:
  module_facts facts_;
};

}  // namespace packetwarp
