// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "memory/eal_log.h"

#include <rte_log.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <iterator>
#include <mutex>
#include <utility>
#include <vector>

namespace packetwarp {
namespace {

// The lines that the stream has taken. They and the stream live as long as the process: a thread of the EAL's may hold
// the stream when the EAL gets another one.
struct taken_lines {
  std::mutex mutex{};
  std::string text{};
  bool shows{true};
  std::FILE* const to{stderr};

  void show(std::string_view some) const {
    (void)std::fwrite(some.data(), 1, some.size(), to);
    (void)std::fflush(to);
  }
};

[[nodiscard]] taken_lines& the_lines() {
  static taken_lines lines;
  return lines;
}

ssize_t take_bytes(void* /*cookie*/, char const* bytes, std::size_t count) {
  auto& lines = the_lines();
  std::lock_guard const lock{lines.mutex};
  std::string_view const some{bytes, count};
  // rte_panic() and rte_exit() end the process at once.
  bool const is_end = some.find("PANIC in ") != some.npos || some.find("Error - exiting") != some.npos;
  if (is_end && !std::exchange(lines.shows, true)) lines.show(lines.text);
  if (lines.shows) lines.show(some);
  lines.text += some;
  return static_cast<ssize_t>(count);
}

[[nodiscard]] std::FILE* the_stream() {
  static std::FILE* const stream = [] {
    auto* const made =
        ::fopencookie(nullptr, "w", {.read = nullptr, .write = take_bytes, .seek = nullptr, .close = nullptr});
    if (made != nullptr) (void)std::setvbuf(made, nullptr, _IOLBF, 0);
    return made;
  }();
  return stream;
}

constexpr std::string_view wrong_words = "Invalid 'command line' arguments.";

// Whether the line says no more than that something failed.
[[nodiscard]] bool says_nothing(std::string_view line) {
  return line.empty() || line == wrong_words || line == "Cannot init plugins" ||
         line.starts_with("vdev_probe(): failed to initialize ") ||
         (line.starts_with("Bus (") && line.ends_with(") probe failed."));
}

}  // namespace

eal_log::eal_log(eal_log_lines how) {
  auto& lines = the_lines();
  {
    std::lock_guard const lock{lines.mutex};
    lines.text.clear();
    lines.shows = how == eal_log_lines::shown;
  }
  auto* const stream = the_stream();
  if (stream == nullptr) return;
  (void)rte_openlog_stream(stream);
  // rte_eal_init() prints its alerts past the log.
  stderr = stream;
}

eal_log::~eal_log() {
  auto& lines = the_lines();
  (void)rte_openlog_stream(nullptr);
  stderr = lines.to;
  if (auto* const stream = the_stream(); stream != nullptr) (void)std::fflush(stream);
  std::lock_guard const lock{lines.mutex};
  if (!std::exchange(lines.shows, true)) lines.show(lines.text);
}

std::string eal_log::take() {
  if (auto* const stream = the_stream(); stream != nullptr) (void)std::fflush(stream);
  auto& lines = the_lines();
  std::lock_guard const lock{lines.mutex};
  return std::exchange(lines.text, {});
}

std::string reason_in(std::string_view lines) {
  constexpr std::ptrdiff_t most_lines = 4;
  constexpr std::size_t most = 600;
  std::vector<std::string_view> told;
  while (!lines.empty()) {
    auto const end = std::min(lines.find('\n'), lines.size());
    auto line = lines.substr(0, end);
    lines.remove_prefix(std::min(end + 1, lines.size()));
    for (std::string_view const before : {"EAL: ", "FATAL: "}) {
      if (line.starts_with(before)) line.remove_prefix(before.size());
    }
    if (!says_nothing(line) && std::ranges::find(told, line) == told.end()) told.push_back(line);
  }
  // The last lines are about the failure, if the user asked for more lines than those of errors.
  if (std::ssize(told) > most_lines) told.erase(told.begin(), told.end() - most_lines);
  std::string reason;
  for (auto const line : told) reason.append(reason.empty() ? "" : "; ").append(line);
  return reason.size() > most ? reason.substr(0, most) + "..." : reason;
}

bool is_about_words(std::string_view lines) {
  constexpr std::array<std::string_view, 3> signs{wrong_words, "Unable to parse device '", "Cannot init plugins"};
  return std::ranges::any_of(signs, [&](auto sign) { return lines.find(sign) != lines.npos; });
}

}  // namespace packetwarp
