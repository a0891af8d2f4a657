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

// The typed keys, taken apart. Arrow keys come as several bytes, maybe not all at once.
class key_reader {
 public:
  void take(std::string_view typed) { typed_ += typed; }
  // The next key that is known; none when all is taken, or the rest has yet to come.
  [[nodiscard]] key next();

 private:
  std::string typed_;
};

// The terminal on standard output and input: a screen of its own, keys as they are pressed, and everything as it was
// before in all ways in which the program ends but SIGKILL. ANSI sequences that every terminal since the VT220 knows. A
// single a process.
class terminal {
 public:
  // Throws failure where it cannot be set so.
  terminal();
  terminal(terminal const&) = delete;
  terminal& operator=(terminal const&) = delete;
  ~terminal();

  struct extent {
    std::size_t columns{80};
    std::size_t lines{24};
  };
  [[nodiscard]] extent size() const;
  // Replaces what is shown, of as many lines as there are.
  void show(std::vector<std::string> const& lines);
  // Waits for a key, a new size, or at most for this long. Nothing: the input has ended.
  [[nodiscard]] std::optional<key> wait(std::chrono::milliseconds most);

 private:
  void restore() const;
  termios before_{};
  key_reader keys_;
};

}  // namespace packetwarp
