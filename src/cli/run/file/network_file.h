// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/observer_options.h"
#include "cli/run/file/port_section.h"
#include "file/yaml_place.h"
#include "module/config.h"

namespace packetwarp {

// The content of the file of packetwarp run -c FILE.
struct network_file {
  yaml_place root;  // the text that it was read from
  network_config network;
  std::vector<std::string> eal;      // the EAL's options
  std::string lcores;                // CPUs, or "allowed"; empty: the EAL's options say
  std::vector<port_device> devices;  // of ports
  std::string control;               // path of the control socket; empty: the default, "none": none
  observer_options observers;
};

// Throws usage_error with one line: FILE:LINE: the error and the allowed values; failure with such a line for an
// address of `metrics` that this machine does not have (yet).
[[nodiscard]] network_file read_network_file(std::string const& file, need_check need = {});

}  // namespace packetwarp
