// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace packetwarp {

// The files of /dev/net/tun by which a driver in this process is attached to a TUN or TAP interface. They tell whether
// the interface was deleted, also after it has moved to another network namespace, where its name and its index say
// nothing. The driver owns the files: this class only asks about them, and does not outlive the driver's port.
class tap_files {
 public:
  tap_files() = default;
  // The files that the process has open now for the interface of that name; none if /proc cannot be read.
  explicit tap_files(std::string const& interface);

  // Whether the kernel has detached all files from their interface, which it does when the interface is deleted. False
  // without files.
  [[nodiscard]] bool are_detached() const;
  // The interface's name, which may have changed; nothing without a file that is attached.
  [[nodiscard]] std::optional<std::string> interface() const;

 private:
  std::vector<int> descriptors_;
};

}  // namespace packetwarp
