// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "base/process/runtime_folder.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/error.h"

namespace packetwarp {
namespace {

[[nodiscard]] std::string environment(char const* name) {
  auto const* const value = std::getenv(name);
  return value == nullptr ? std::string{} : value;
}

// The folder that the EAL takes by itself: eal_create_runtime_dir() of DPDK 22.11.
[[nodiscard]] std::string default_of_eal() {
  if (::getuid() == 0) return "/var/run";
  auto const runtime = environment("XDG_RUNTIME_DIR");
  return runtime.empty() ? "/tmp" : runtime;
}

[[nodiscard]] bool holds_eals_folder(std::string const& folder) {
  auto const own = folder + "/dpdk";
  auto const& to_write = ::access(own.c_str(), F_OK) == 0 ? own : folder;
  return ::access(to_write.c_str(), W_OK | X_OK) == 0;
}

}  // namespace

bool is_own_folder(std::string const& folder) {
  struct stat found {};
  return ::lstat(folder.c_str(), &found) == 0 && S_ISDIR(found.st_mode) && found.st_uid == ::geteuid() &&
         (found.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

std::string make_own_folder(std::string const& folder) {
  if (::mkdir(folder.c_str(), S_IRWXU) != 0 && errno != EEXIST) {
    return fmt::format("{} cannot be made: {}", folder, std::strerror(errno));
  }
  if (!is_own_folder(folder)) return fmt::format("{} is no folder of this user's alone", folder);
  if (::access(folder.c_str(), W_OK | X_OK) == 0) return {};
  return fmt::format("{} cannot be written to: {}", folder, std::strerror(errno));
}

std::vector<std::string> last_runtime_folders() {
  return {fmt::format("/tmp/packetwarp-{}", ::geteuid()), fmt::format("/dev/shm/packetwarp-{}", ::geteuid())};
}

std::string find_eal_runtime_folder() {
  auto given = environment("RUNTIME_DIRECTORY");
  // systemd names several folders in one variable, with colons; the EAL takes them for one.
  bool const is_one = !given.empty() && given.find(':') == given.npos;
  if (is_one && holds_eals_folder(given)) return given;
  if (auto own = default_of_eal(); holds_eals_folder(own)) return own;
  for (auto& last : last_runtime_folders()) {
    if (make_own_folder(last).empty()) return last;
  }
  throw usage_error(fmt::format(
      "no folder can be written to for DPDK's run-time files: not {}{}, /tmp or /dev/shm; give one by "
      "RUNTIME_DIRECTORY: in a pod an emptyDir among 'volumes', and its path under 'env' and 'volumeMounts'",
      is_one ? given + ", " : "", default_of_eal()));
}

void give_eal_a_runtime_folder() {
  auto const found = find_eal_runtime_folder();
  bool const is_given = std::getenv("RUNTIME_DIRECTORY") != nullptr;
  if (is_given || found != default_of_eal()) ::setenv("RUNTIME_DIRECTORY", found.c_str(), 1);
}

}  // namespace packetwarp
