// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "capture/capture_writer.h"
#include "capture/packet_capture.h"
#include "master/data_plane.h"
#include "master/grace_period.h"

namespace packetwarp {

// Switches captures on and off while workers run, one at a time. For the master; no call waits.
class capture_service {
 public:
  // plane: outlives the service.
  explicit capture_service(data_plane& plane) : plane_{plane}, grace_{plane} {}
  capture_service(capture_service const&) = delete;
  capture_service& operator=(capture_service const&) = delete;
  // Destroyed after the workers' end.
  ~capture_service() { finish(); }

  // Begins a capture, which ends by its limit, when its output wants no more, or with the run. The capture is on when
  // is_beginning() is false again. file: the facts of its ports are filled in, except their descriptions. Throws
  // usage_error if a capture is on already or packets cannot be read, failure if memory is short.
  void begin(capture_selection wanted, capture_file file, std::unique_ptr<capture_output> to);
  [[nodiscard]] bool is_beginning() const { return stage_ == stage::preparing; }
  // The reader of the last capture may know its end before the master does: begin() is possible in a moment.
  [[nodiscard]] bool is_ending() const { return stage_ == stage::closing && session_->writer.is_closing(); }

  // Called between the master's loop iterations.
  void poll(cycles now);
  // Called after the workers' end: the copies taken so far are written, unless the reader accepts nothing for a while.
  void finish();

  // The data path's drop reasons; empty without a pipeline.
  [[nodiscard]] drop_reason_names names() const;

 private:
  enum class stage : std::uint8_t { idle, preparing, on, settling, closing };
  struct session {
    session(capture_selection wanted, drop_reason_names const& names, capture_file file,
            std::unique_ptr<capture_output> to)
        : packets{std::move(wanted), names, file.ports.size()}, writer{packets, std::move(file), std::move(to)} {}
    packet_capture packets;
    capture_writer writer;
  };
  void turn_off();

  data_plane& plane_;
  grace_period grace_;
  stage stage_{stage::idle};
  std::optional<session> session_;
  cycles closing_since_{};
};

// The part of a packet that the CPU can read in the plan's placement. Throws usage_error if it can read none.
[[nodiscard]] capture_reach capture_reach_of(plan const& planned);

}  // namespace packetwarp
