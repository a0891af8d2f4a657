// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "file/distinct_files.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <filesystem>
#include <system_error>

namespace packetwarp {
namespace {

namespace fs = std::filesystem;

[[nodiscard]] bool is_left_out(std::string const& path) {
  std::error_code ignored;
  return path.empty() || path == "-" || fs::is_other(fs::status(path, ignored));
}

// Two names of one file, which may not exist yet.
[[nodiscard]] bool name_one_file(std::string const& a, std::string const& b) {
  std::error_code why;
  if (fs::equivalent(a, b, why) && !why) return true;
  auto const at_a = fs::weakly_canonical(fs::absolute(a, why), why);
  auto const at_b = fs::weakly_canonical(fs::absolute(b, why), why);
  return !why && at_a == at_b;
}

[[nodiscard]] bool are_same(std::string const& a, std::string const& b) {
  return !is_left_out(a) && !is_left_out(b) && name_one_file(a, b);
}

}  // namespace

void require_distinct_files(std::span<std::string const> read, std::span<std::string const> written) {
  for (std::size_t n = 0; n < written.size(); ++n) {
    for (auto const& one : read) {
      if (!are_same(one, written[n])) continue;
      throw shared_file(
          fmt::format("{}: the file would be read and written; give another one for what is written", one), written[n]);
    }
    for (auto const& one : written.subspan(n + 1)) {
      if (!are_same(one, written[n])) continue;
      throw shared_file(fmt::format("{}: the file would be written for two purposes; give each a file of its own", one),
                        written[n]);
    }
  }
}

std::string const* find_file(file_id wanted, std::span<std::string const> names) {
  for (auto const& name : names) {
    struct stat found {};
    if (::stat(name.c_str(), &found) == 0 && file_id{found.st_dev, found.st_ino} == wanted) return &name;
  }
  return nullptr;
}

void require_replaceable(std::string const& path, std::span<std::string const> own) {
  std::error_code ignored;
  auto const there = fs::status(path, ignored);
  if (fs::exists(there) && !fs::is_regular_file(there)) {
    throw usage_error(fmt::format("{}: it is no regular file; give a new file, or one to replace", path));
  }
  for (auto const& one : own) {
    if (one.empty() || one == "-" || !name_one_file(one, path)) continue;
    throw usage_error(
        fmt::format("{}: the running packetwarp reads or writes this file itself; give another one", path));
  }
}

}  // namespace packetwarp
