// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "file/yaml_place.h"

namespace packetwarp {

// A device on PCI that a port of a network's file names.
struct port_device {
  std::string address;    // "0000:01:10.0"
  std::string arguments;  // of its driver: "txq_inline_max=0"
  yaml_place place;
};

// The environment variables in which a device plugin of Kubernetes names the devices of a resource:
// PCIDEVICE_INTEL_COM_IGB_INSIDE for intel.com/igb_inside. A resource with a hyphen has two: plugins differ. Pure.
[[nodiscard]] std::vector<std::string> variables_of_resource(std::string const& resource);

// Reads the `port` of each interface in turn: interfaces that name one resource get its devices one after the other.
class port_reader {
 public:
  // An environment variable's value.
  using environment = std::function<std::optional<std::string>(std::string const&)>;
  explicit port_reader(environment variables) : variables_{std::move(variables)} {}

  // The port's name or number, or the address of its device. Throws usage_error with FILE:LINE.
  [[nodiscard]] std::string read(yaml_place const& place);
  [[nodiscard]] std::vector<port_device> const& devices() const { return devices_; }

 private:
  [[nodiscard]] std::string next_of(yaml_place const& resource);

  environment variables_;
  std::map<std::string, std::size_t, std::less<>> taken_;  // devices by resource
  std::vector<port_device> devices_;
};

}  // namespace packetwarp
