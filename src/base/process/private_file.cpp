// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "base/process/private_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/error.h"

namespace packetwarp {
namespace {

constexpr mode_t owner_only = S_IRUSR | S_IWUSR;
constexpr int open_flags = O_WRONLY | O_APPEND | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;

[[nodiscard]] bool is_trusted(struct stat const& found) { return found.st_uid == ::geteuid() || found.st_uid == 0; }

[[noreturn]] void refuse(std::string const& path, std::string const& why) {
  throw failure(fmt::format("{}: {}", path, why));
}

// Opens a file that exists already.
[[nodiscard]] int open_existing(std::string const& path) {
  struct stat link {};
  // A user who can put a link here must not choose the file that root writes to.
  if (::lstat(path.c_str(), &link) == 0 && S_ISLNK(link.st_mode) && !is_trusted(link)) {
    refuse(path, "it is a symbolic link of another user's; give a file of this user's");
  }
  int const made = ::open(path.c_str(), open_flags);
  if (made < 0 && errno == ENXIO) return made;
  if (made < 0) refuse(path, std::strerror(errno));
  struct stat found {};
  if (::fstat(made, &found) != 0 || (S_ISREG(found.st_mode) && !is_trusted(found))) {
    (void)::close(made);
    refuse(path, "the file belongs to another user; give a file of this user's");
  }
  return made;
}

}  // namespace

int open_private_log(std::string const& path) {
  int const made = ::open(path.c_str(), open_flags | O_CREAT | O_EXCL, owner_only);
  if (made < 0 && errno != EEXIST) refuse(path, std::strerror(errno));
  if (made < 0) return open_existing(path);
  (void)::fchmod(made, owner_only);
  return made;
}

int make_private_file(std::string const& path) {
  (void)::unlink(path.c_str());
  int const made = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, owner_only);
  if (made < 0) refuse(path, std::strerror(errno));
  (void)::fchmod(made, owner_only);
  return made;
}

}  // namespace packetwarp
