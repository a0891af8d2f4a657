// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "rdma/roce/frame.h"

namespace packetwarp::rdma::roce {

// A frame to send, which write_frame() makes. Its payload is valid until the connection takes another frame.
struct frame_plan {
  frame_path path{};
  packet_fields fields{};
  std::byte const* payload{};
  std::uint32_t bytes{};

  [[nodiscard]] std::size_t length() const { return frame_bytes(fields.code, bytes); }
};

}  // namespace packetwarp::rdma::roce
