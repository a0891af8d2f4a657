// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "capture/capture_writer.h"
#include "cli/control/unix_socket.h"

namespace packetwarp {

// A capture's file as a stream of bytes to another process, which closes its end, or its writing half, to end the
// capture.
class stream_output final : public capture_output {
 public:
  explicit stream_output(owned_fd connection) : connection_{std::move(connection)} {}
  [[nodiscard]] bool write(std::string_view bytes, std::function<bool()> const& goes_on) override;
  [[nodiscard]] bool is_wanted() override;

 private:
  owned_fd connection_;
};

}  // namespace packetwarp
