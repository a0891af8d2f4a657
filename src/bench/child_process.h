// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace packetwarp::bench {

// A file descriptor that is closed.
class descriptor {
 public:
  descriptor() = default;
  explicit descriptor(int value) : value_{value} {}
  descriptor(descriptor&& from) noexcept : value_{std::exchange(from.value_, -1)} {}
  descriptor& operator=(descriptor&& from) noexcept {
    std::swap(value_, from.value_);
    return *this;
  }
  ~descriptor();
  [[nodiscard]] int value() const { return value_; }
  [[nodiscard]] bool is_open() const { return value_ >= 0; }

 private:
  int value_{-1};
};

// A program that runs beside this one, in a process group of its own, so that Ctrl-C at the terminal reaches only us
// and we can end it with all that it started. Its output is collected. Gone, with its group, when this is.
class child_process {
 public:
  using clock = std::chrono::steady_clock;
  // Why waiting is over: what was waited for is there, the program has closed its output, the time is up, or this
  // process was asked to stop.
  enum class pause : std::uint8_t { satisfied, ended, late, stopped };

  // program: a path, or a name to look up. words: its arguments, its name first. Throws failure.
  child_process(std::string const& program, std::vector<std::string> const& words);
  child_process(child_process const&) = delete;
  child_process& operator=(child_process const&) = delete;
  ~child_process();

  // Collects output meanwhile.
  [[nodiscard]] pause wait_until(std::function<bool()> const& holds, clock::time_point limit);
  [[nodiscard]] pause wait_for_end(clock::time_point limit);
  // Types a line into its standard input. False where it does not read any more.
  [[nodiscard]] bool say(std::string_view line);
  // Asks its group to end (SIGTERM) and collects what it says on the way, for a few seconds.
  void stop();
  // The way it ended, in words: empty for exit status 0. Waits; only for a program that has ended its output.
  struct ending {
    int status{};         // exit status
    std::string words{};  // "exit status 2", "killed by signal 9"
  };
  [[nodiscard]] ending collect();

  [[nodiscard]] std::string const& output() const { return output_; }
  [[nodiscard]] std::string const& errors() const { return errors_; }

 private:
  void read_for(std::chrono::milliseconds time);

  descriptor input_, output_pipe_, error_pipe_;
  std::string output_, errors_;
  pid_t pid_{-1};
};

}  // namespace packetwarp::bench
