// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <termios.h>

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace packetwarp {

enum class key : std::uint8_t { none, quit, pause, next_page, previous_page, up, down, sort, refresh };

// Splits typed bytes into keys. Arrow keys come as several bytes, perhaps not all at once.
class key_reader {
 public:
  void take(std::string_view typed) { typed_ += typed; }
  // The next known key; none if no bytes are left, or the rest of a key has yet to come.
  [[nodiscard]] key next();

 private:
  std::string typed_;
};

// The terminal on standard output and input: a screen of its own, keys as they are pressed, and everything restored in
// every way in which the program ends except SIGKILL. It uses ANSI sequences that every terminal since the VT220 knows.
// At most one exists per process.
class terminal {
 public:
  // Throws failure if the terminal cannot be set up.
  terminal();
  terminal(terminal const&) = delete;
  terminal& operator=(terminal const&) = delete;
  ~terminal();

  struct extent {
    std::size_t columns{80};
    std::size_t lines{24};
  };
  [[nodiscard]] extent size() const;
  // Replaces the shown lines, as many as the screen has.
  void show(std::vector<std::string> const& lines);
  // Waits for a key, a new size, or at most for this time. Nothing: the input has ended.
  [[nodiscard]] std::optional<key> wait(std::chrono::milliseconds most);

 private:
  void restore() const;
  termios before_{};
  key_reader keys_;
};

}  // namespace packetwarp
