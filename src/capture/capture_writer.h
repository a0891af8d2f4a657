// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "capture/packet_capture.h"
#include "capture/packet_clock.h"
#include "capture/pcapng.h"

namespace packetwarp {

// The destination of a capture's file. Called by the writer's thread.
class capture_output {
 public:
  virtual ~capture_output() = default;
  // Writes all bytes. While the reader takes none, it asks goes_on some times per second, which is false if it has to
  // give up. Returns false then, and if the reader is gone.
  [[nodiscard]] virtual bool write(std::string_view bytes, std::function<bool()> const& goes_on) = 0;
  // Whether the reader still wants packets.
  [[nodiscard]] virtual bool is_wanted() = 0;
};

struct capture_file {
  std::vector<pcapng::interface_facts> ports;                        // by their positions in the plan
  std::uint64_t packets{std::numeric_limits<std::uint64_t>::max()};  // the most packets to write
};

// Writes the copies of a capture, on a thread of its own, as a pcapng file: an interface for each port, the stage and
// the reason as each packet's comment, and at the end the numbers of seen, accepted, missed and written packets.
class capture_writer {
 public:
  // Starts the thread at once. from: outlives the writer.
  capture_writer(packet_capture& from, capture_file file, std::unique_ptr<capture_output> to);
  capture_writer(capture_writer const&) = delete;
  capture_writer& operator=(capture_writer const&) = delete;
  ~capture_writer();

  // Room for packets is ready, and the file has begun.
  [[nodiscard]] bool is_ready() const { return is_ready_.load(std::memory_order_acquire); }
  // No more packets are wanted: all requested ones are written, or the reader is gone.
  [[nodiscard]] bool wants_end() const { return wants_end_.load(std::memory_order_acquire); }
  // Called when no more packets come, and none is being taken: the last ones are written, the file ends, and the
  // writer's thread frees the memory of `from`.
  void finish() { finishing_.store(true, std::memory_order_release); }
  // Leaves out packets that are not written yet. Call it after finish().
  void give_up() { gives_up_.store(true, std::memory_order_release); }
  // The reader is about to see the end, or has seen it; has_ended() follows at once.
  [[nodiscard]] bool is_closing() const { return is_closing_.load(std::memory_order_acquire); }
  [[nodiscard]] bool has_ended() const { return has_ended_.load(std::memory_order_acquire); }

 private:
  void run();
  void begin_clock();
  void look_at_clock();
  void begin_file();
  [[nodiscard]] std::size_t write_some();
  void add(captured_packet const& about, capture_buffer::reader bytes);
  void flush();
  void end_file();

  packet_capture& from_;
  capture_file file_;
  std::unique_ptr<capture_output> to_;
  std::string blocks_;   // not yet written
  std::string comment_;  // of the current packet
  std::vector<std::uint64_t> written_;
  std::uint64_t packets_{};
  bool is_cut_off_{};  // the reader is gone
  packet_clock clock_;
  cycles latest_{};  // all packets up to about this moment are written
  std::atomic<bool> is_ready_{false}, wants_end_{false}, finishing_{false}, gives_up_{false};
  std::atomic<bool> is_closing_{false}, has_ended_{false};
  std::jthread thread_;
};

}  // namespace packetwarp
