// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "base/process/text_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "base/error.h"
#include "base/process/owned_fd.h"
#include "base/process/pipe_wait.h"

namespace packetwarp {
namespace {

[[noreturn]] void refuse_size(std::filesystem::path const& file) {
  throw usage_error(fmt::format("{}: is larger than {} MiB, the most that is read; give a smaller file", file.string(),
                                most_text_bytes >> 20));
}

// Files of the kernel have a size of 0 and a text.
[[nodiscard]] std::size_t expected_bytes(int open) {
  struct stat facts {};
  return ::fstat(open, &facts) == 0 && S_ISREG(facts.st_mode) ? static_cast<std::size_t>(facts.st_size) : 0;
}

}  // namespace

std::optional<std::string> read_text_file(std::filesystem::path const& file) {
  pipe_wait const beside{file};
  owned_fd const open{::open(file.c_str(), O_RDONLY | O_CLOEXEC)};
  if (!open) return std::nullopt;
  auto const expected = expected_bytes(open.get());
  if (expected > most_text_bytes) refuse_size(file);
  constexpr std::size_t least = 4096;
  std::string text(std::max(expected + 1, least), '\0');
  std::size_t filled = 0;
  for (;;) {
    if (filled > most_text_bytes) refuse_size(file);
    if (filled == text.size()) text.resize(std::min(2 * filled, most_text_bytes + 1));
    auto const got = ::read(open.get(), text.data() + filled, text.size() - filled);
    if (got < 0) return std::nullopt;
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
  }
  text.resize(filled);
  return text;
}

}  // namespace packetwarp
