// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

namespace packetwarp {

// The place of a log's lines. Only the writer's thread calls it.
class log_target {
 public:
  virtual ~log_target() = default;
  // Returns the number of written bytes, or a negative errno. -EAGAIN: the reader is slow.
  [[nodiscard]] virtual std::ptrdiff_t write(std::string_view bytes) = 0;
  // Called after a write() that wrote nothing: returns when another may succeed, or after the time.
  virtual void wait(std::chrono::milliseconds most) = 0;
  // The last `bytes` written are a part of a line whose rest does not come: takes them back, where a target can.
  virtual void take_back(std::size_t bytes) = 0;
};

// The fates of a log's lines.
struct log_counts {
  std::uint64_t written{};
  std::uint64_t lost{};  // found no room in the queue, or were not written when the run ended
};

// A log whose lines a thread of its own writes: a full disk, a stalled disk or a slow reader holds up no other thread.
// Lines wait in a queue with a bound in bytes; a line that finds no room in it is lost and counted, so the oldest lines
// are kept. A line that cannot be written is tried again until it can. No line is ever cut: the rest of a line that was
// written in part is written first, and at the end a line that is not whole leaves a file again. put() and flush() are
// for one thread.
class log_writer {
 public:
  // what: the log's name in messages, with the path.
  log_writer(std::string what, std::unique_ptr<log_target> to, std::size_t room);
  log_writer(log_writer const&) = delete;
  log_writer& operator=(log_writer const&) = delete;
  // Finishes without waiting.
  ~log_writer();

  // Adds the line's end. False: the line is lost. Neither this function nor flush() waits for a disk or a reader.
  bool put(std::string_view line);
  // Makes the thread write the lines that were put.
  void flush();
  [[nodiscard]] log_counts counts() const;
  // Waits until all lines are written, or for the time; lines that are not written by then are lost, and the log
  // reports how many. A thread that a disk holds up is left to itself. The last call.
  void finish(std::chrono::milliseconds patience);

 private:
  struct queue;
  void complain();

  std::shared_ptr<queue> queue_;  // shared with the thread, as long as the thread lives
  std::size_t room_;
  std::chrono::steady_clock::time_point complained_{};
  std::thread thread_;
};

// A file to append to, or a FIFO, which may get its reader later. A file that ends within a line, which a process that
// was killed has left, gets a line end before its first new line. The first line after SIGHUP (base/process/hang_up.h)
// opens the name again: a program that rotates logs has renamed the file. Throws failure as open_private_log() does.
[[nodiscard]] std::unique_ptr<log_target> make_log_file(std::string const& path);

}  // namespace packetwarp
