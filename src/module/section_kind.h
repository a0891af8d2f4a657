// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "file/yaml_place.h"
#include "module/module_kind.h"

namespace packetwarp {

// A module that a network has if its file has the module's first key: what is under that key is one Section of the
// config. The functions below are called with it, and not for a network without it.
template <class Section>
class section_kind : public module_kind {
 public:
  using module_kind::module_kind;

  void read(yaml_place const& root, network_config& into) const final {
    if (auto const at = root.find(std::string{facts().keys.all.front()})) into.sections.add(section_at(*at, into));
  }
  void adjust(network_config const& config, data_plane_config& plane) const final {
    if (auto const* const section = section_of(config)) adjust_for(*section, config, plane);
  }
  void check(network_config const& config, plan const& planned) const final {
    if (auto const* const section = section_of(config)) check_section(*section, config, planned);
  }
  [[nodiscard]] std::string describe(network_config const& config) const final {
    auto const* const section = section_of(config);
    return section == nullptr ? std::string{} : lines_of(*section);
  }
  void add_files(network_config const& config, module_files& to) const final {
    if (auto const* const section = section_of(config)) add_files_of(*section, to);
  }
  [[nodiscard]] std::unique_ptr<stage_module> make(module_surroundings const& around) const final {
    auto const* const section = section_of(*around.config);
    return section == nullptr ? nullptr : make_of(*section, around);
  }

 protected:
  // As the functions above (module_kind.h). beside: the config so far.
  [[nodiscard]] virtual Section section_at(yaml_place const& at, network_config const& beside) const = 0;
  virtual void adjust_for(Section const& /*one*/, network_config const& /*config*/,
                          data_plane_config& /*plane*/) const {}
  virtual void check_section(Section const& /*one*/, network_config const& /*config*/, plan const& /*planned*/) const {}
  [[nodiscard]] virtual std::string lines_of(Section const& /*one*/) const { return {}; }
  virtual void add_files_of(Section const& /*one*/, module_files& /*to*/) const {}
  [[nodiscard]] virtual std::unique_ptr<stage_module> make_of(Section const& one,
                                                              module_surroundings const& around) const = 0;

 private:
  [[nodiscard]] static Section const* section_of(network_config const& config) {
    return config.sections.find<Section>();
  }
};

}  // namespace packetwarp
