// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace packetwarp::doctor {

enum class status : std::uint8_t {
  ok,
  warn,    // packetwarp runs, but slower, or with less
  fail,    // a device or feature of this machine cannot be used
  skip,    // the check does not apply to this machine
  unknown  // the state could not be read; the text says why
};
[[nodiscard]] std::string_view to_string(status what);

// The parameters to boot the kernel with: "iommu=pt isolcpus=1-9".
struct boot_parameters {
  std::string text{};
};

// A value that a check has read of one device, node or machine.
struct reading {
  std::string of{};  // a device, a NUMA node; empty: the machine
  status is{status::unknown};
  std::string text{};      // the state that was found
  std::string command{};   // the shell command that mends it; empty if no command does
  boot_parameters boot{};  // the parameters that mend it from the next boot on; the report has one command for all of
                           // them
  std::string manifest{};  // in a pod: the fields of its manifest, or of its network's, that mend it; empty elsewhere
};

struct machine;

// A check: a name for --only and for scripts, its subject, its purpose, and the function that reads it. Throws failure
// if no part of it can be read.
struct check {
  std::string_view id;
  std::string_view subject;  // memory, cpu, pci, gpu, nic, rdma, container
  std::string_view why;
  std::vector<reading> (*read)(machine const&);
};

struct finding {
  std::string_view id{};
  std::string_view subject{};
  std::string_view why{};
  reading seen{};
};

}  // namespace packetwarp::doctor
