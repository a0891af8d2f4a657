// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "traffic/stl/program.h"

namespace packetwarp {

// The options about TRex stateless profiles, as typed.
struct typed_stl_options {
  std::optional<std::string> files, tunables, faster, ports;
};
void declare(CLI::App& app, typed_stl_options& typed);

// Profiles to send, and how.
struct stl_request {
  std::vector<std::string> files;  // one for all ports, or one for each, in the order of the ports
  std::string tunables;
  traffic::stl::multiplier faster;
  std::vector<port_id> ports;  // that send, in ascending order
  std::string_view ports_by;   // the option that says so
};

// Takes typed options with files. Throws usage_error.
[[nodiscard]] stl_request parse_stl_request(typed_stl_options const& typed);

// Throws usage_error if an option about profiles is given without a profile.
void refuse_without_stl(typed_stl_options const& typed);

// The reason why another option is not allowed beside --stl.
[[nodiscard]] std::string_view stl_settles_it(std::string_view option);

// Reads the profiles by python3: one program per sending port, or one for all. Throws usage_error with the reader's own
// line, failure if the reader cannot be run, or profile_help.
[[nodiscard]] std::vector<std::shared_ptr<traffic::stl::program const>> read_profiles(stl_request const& request);

// Thrown by read_profiles(): the profile's tunables asked for its help (-t --help), and what() is that.
class profile_help final : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// "UDP_L3_P0.py, 1 stream".
[[nodiscard]] std::string describe(std::vector<std::shared_ptr<traffic::stl::program const>> const& programs);

}  // namespace packetwarp
