// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/control/control_path.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "base/error.h"
#include "base/process/runtime_folder.h"
#include "cli/control/unix_socket.h"

namespace packetwarp {
namespace {

namespace fs = std::filesystem;

// A socket is also stale for the moment between bind() and listen().
[[nodiscard]] bool is_just_made(std::string const& path) {
  std::error_code missing;
  auto const made = fs::last_write_time(path, missing);
  // By a clock that has been set back since, an old socket was made in the future.
  return missing || std::chrono::abs(fs::file_time_type::clock::now() - made) < std::chrono::seconds{1};
}

[[nodiscard]] std::vector<std::string> sockets_in(std::string const& folder, socket_state state) {
  std::vector<std::string> found;
  std::error_code ignored;
  for (auto const& entry : fs::directory_iterator{folder, ignored}) {
    auto const path = entry.path().string();
    if (path.ends_with(".sock") && state_of_socket(path) == state) found.push_back(path);
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

std::vector<std::string> control_folders() {
  std::vector<std::string> all;
  if (::geteuid() != 0) {
    auto const* const runtime = std::getenv("XDG_RUNTIME_DIR");
    if (runtime != nullptr && *runtime != '\0') all.push_back(fmt::format("{}/packetwarp", runtime));
  }
  auto const last = last_runtime_folders();
  // Only root can make the first one. An image of packetwarp has it, of the image's user.
  constexpr auto const* usual = "/run/packetwarp";
  if (::geteuid() == 0 || is_own_folder(usual)) all.emplace_back(usual);
  all.insert(all.end(), last.begin(), last.end());
  return all;
}

std::string file_prefix(std::span<std::string const> eal) {
  constexpr std::string_view option = "--file-prefix";
  std::string found = "rte";
  for (std::size_t i = 0; i < eal.size(); ++i) {
    std::string_view const word{eal[i]};
    if (word == option && i + 1 < eal.size()) found = eal[i + 1];
    if (word.starts_with(option) && word.substr(option.size()).starts_with('=')) found = word.substr(option.size() + 1);
  }
  // The EAL makes the prefix a part of files' names, too.
  std::replace(found.begin(), found.end(), '/', '_');
  return found;
}

namespace {

// The first folder that can be had. Throws failure, which says why the others cannot.
[[nodiscard]] std::string make_control_folder() {
  std::string reasons;
  for (auto const& folder : control_folders()) {
    auto const why = make_own_folder(folder);
    if (why.empty()) return folder;
    reasons += fmt::format("{}{}", reasons.empty() ? "" : ", ", why);
  }
  throw failure(fmt::format("control socket: {}; give another path by --control", reasons));
}

}  // namespace

std::string default_control_path(std::span<std::string const> eal) {
  auto const folder = make_control_folder();
  for (auto const& left : sockets_in(folder, socket_state::stale)) {
    if (!is_just_made(left)) (void)::unlink(left.c_str());
  }
  auto const prefix = file_prefix(eal);
  auto path = fmt::format("{}/{}.sock", folder, prefix);
  if (state_of_socket(path) == socket_state::absent) return path;
  return fmt::format("{}/{}.{}.sock", folder, prefix, ::getpid());
}

std::vector<std::string> live_control_paths() {
  std::vector<std::string> all;
  for (auto const& folder : control_folders()) {
    if (!is_own_folder(folder)) continue;  // another user's sockets may answer anything
    for (auto& path : sockets_in(folder, socket_state::live)) all.push_back(std::move(path));
  }
  return all;
}

}  // namespace packetwarp
