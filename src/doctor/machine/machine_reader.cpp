// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "doctor/machine/machine_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <system_error>

#include "base/error.h"
#include "doctor/machine/text.h"

namespace packetwarp::doctor {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t longest = 1 << 20;

struct close_file {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using open_file = std::unique_ptr<std::FILE, close_file>;

// The text of a file may be anything; a message shows it as one short line.
[[nodiscard]] std::string shown(std::string_view text) {
  constexpr std::size_t most = 40;
  std::string printable{text.substr(0, most)};
  std::replace_if(
      printable.begin(), printable.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return fmt::format("'{}{}'", printable, text.size() > most ? "..." : "");
}

}  // namespace

fs::path machine_reader::below_root(std::string_view path) const {
  return root_ / path.substr(std::min(path.find_first_not_of('/'), path.size()));
}

bool machine_reader::has(std::string_view path) const {
  std::error_code missing;
  return fs::exists(below_root(path), missing);
}

std::string machine_reader::text(std::string_view path) const {
  open_file const file{std::fopen(below_root(path).c_str(), "re")};
  if (!file) throw failure(fmt::format("{} cannot be read: {}", path, std::strerror(errno)));
  std::string all(longest, '\0');
  all.resize(std::fread(all.data(), 1, all.size(), file.get()));
  // The kernel may refuse access to a file only when it is read.
  if (std::ferror(file.get()) != 0) throw failure(fmt::format("{} cannot be read: {}", path, std::strerror(errno)));
  return all;
}

std::string machine_reader::line(std::string_view path) const {
  auto const all = text(path);
  return std::string{trimmed(std::string_view{all}.substr(0, all.find('\n')))};
}

std::uint64_t machine_reader::number(std::string_view path) const {
  auto const said = line(path);
  auto const value = number_of(said);
  if (!value) throw failure(fmt::format("{} holds {}, which is no number", path, shown(said)));
  return *value;
}

std::optional<std::string> machine_reader::field(std::string_view path, std::string_view key) const {
  auto const all = text(path);
  for (auto const one : lines_of(all)) {
    auto const colon = one.find(':');
    if (colon != one.npos && trimmed(one.substr(0, colon)) == key) return std::string{trimmed(one.substr(colon + 1))};
  }
  return std::nullopt;
}

std::uint64_t machine_reader::kilobytes(std::string_view path, std::string_view key) const {
  auto const said = field(path, key);
  if (!said) throw failure(fmt::format("{} has no line '{}:'", path, key));
  auto const words = words_of(*said);
  auto const value = words.size() == 2 && words[1] == "kB" ? number_of(words[0]) : std::nullopt;
  if (!value) throw failure(fmt::format("{} says {} of {}, which is no number of kB", path, shown(*said), key));
  return *value * 1024;
}

std::vector<std::string> machine_reader::names(std::string_view folder) const {
  std::vector<std::string> all;
  std::error_code missing;
  for (fs::directory_iterator at{below_root(folder), missing}, end; !missing && at != end; at.increment(missing)) {
    all.push_back(at->path().filename().string());
  }
  std::sort(all.begin(), all.end());
  return all;
}

std::string machine_reader::target(std::string_view link) const {
  std::error_code none;
  return fs::read_symlink(below_root(link), none).filename().string();
}

std::vector<std::string> machine_reader::way_to(std::string_view path) const {
  std::error_code missing;
  auto const real = fs::canonical(below_root(path), missing);
  if (missing) throw failure(fmt::format("{} cannot be followed: {}", path, missing.message()));
  std::vector<std::string> steps;
  for (auto const& step : real.lexically_relative(fs::canonical(root_, missing))) steps.push_back(step.string());
  return steps;
}

void machine_reader::write(std::string_view path, std::uint64_t value) const {
  // "r+": a fix creates no files.
  open_file file{std::fopen(below_root(path).c_str(), "r+e")};
  bool written = file != nullptr && std::fputs(std::to_string(value).c_str(), file.get()) >= 0;
  // The kernel answers when the text reaches it, which happens at the flush.
  written = written && std::fflush(file.get()) == 0;
  if (!written) throw failure(fmt::format("{} cannot be written: {}", path, std::strerror(errno)));
}

}  // namespace packetwarp::doctor
