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

// A file descriptor, closed by its destructor.
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

// A program that runs beside this one, in a process group of its own, so that Ctrl-C at the terminal reaches this
// process only, which can end the program with all that it started. Collects its output. The destructor ends the
// program and its group.
class child_process {
 public:
  using clock = std::chrono::steady_clock;
  // The reason why a wait is over: the condition holds, the program has closed its output, the time is up, or this
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
  // Writes a line to the program's standard input. False if the program does not read it any more.
  [[nodiscard]] bool say(std::string_view line);
  // Asks the program's group to end (SIGTERM) and collects its last output, for a few seconds.
  void stop();
  // How the program ended, in words: empty for exit status 0. Waits; only for a program that has closed its output.
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
