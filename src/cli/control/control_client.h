// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "cli/control/request.h"
#include "cli/control/unix_socket.h"

namespace packetwarp {

// A running packetwarp, asked by its control socket. Blocks.
class control_client {
 public:
  // path: nothing for the only one that runs. Throws failure where there is none, usage_error where there are several.
  explicit control_client(std::optional<std::string> const& path);

  // Throws usage_error or failure with what it was answered, as the answer's status says; failure where none came.
  [[nodiscard]] json ask(request const& asked) {
    return *ask(asked, [] { return true; });
  }
  // The same as long as somebody waits for it, who is asked ten times a second; nothing when nobody does.
  [[nodiscard]] std::optional<json> ask(request const& asked, std::function<bool()> const& is_waited_for);

  [[nodiscard]] std::string const& path() const { return path_; }

 private:
  std::string path_;
  owned_fd connection_;
  std::string read_;
};

}  // namespace packetwarp
