// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "rdma/roce/frame.h"

namespace packetwarp::rdma::roce {

// The place of a frame's payload: registered memory, which may be a GPU's, or the requester, as for the payload of
// an inline WQE does. A frame without payload counts as the latter.
enum class payload_place : std::uint8_t { requester, region };

// A frame to send. write_frame() makes it, if a CPU reaches the payload, and frame_maker.h any. A payload in a region
// stays valid until its write has finished; one in the requester, until the connection takes another frame.
struct frame_plan {
  frame_path path{};
  packet_fields fields{};
  std::byte const* payload{};
  std::uint32_t bytes{};
  payload_place place{payload_place::requester};

  [[nodiscard]] std::size_t length() const { return frame_bytes(fields.code, bytes); }
};

}  // namespace packetwarp::rdma::roce
