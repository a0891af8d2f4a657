// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "port/device/tap_files.h"

#include <linux/if_tun.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <string_view>
#include <system_error>

namespace packetwarp {
namespace {

[[nodiscard]] bool is_tun(int descriptor) {
  // Documentation/admin-guide/devices.txt of Linux.
  constexpr unsigned misc_major = 10, tun_minor = 200;
  struct stat what {};
  return ::fstat(descriptor, &what) == 0 && S_ISCHR(what.st_mode) && major(what.st_rdev) == misc_major &&
         minor(what.st_rdev) == tun_minor;
}

// 0, or an errno.
[[nodiscard]] int ask(int descriptor, std::string& interface) {
  ifreq said{};
  if (::ioctl(descriptor, TUNGETIFF, &said) != 0) return errno;
  interface = said.ifr_name;
  return 0;
}

}  // namespace

tap_files::tap_files(std::string const& interface) {
  std::error_code error;
  for (std::filesystem::directory_iterator at{"/proc/self/fd", error}, end; !error && at != end; at.increment(error)) {
    auto const text = at->path().filename().string();
    int descriptor = -1;
    std::from_chars(text.data(), text.data() + text.size(), descriptor);
    std::string name;
    if (is_tun(descriptor) && ask(descriptor, name) == 0 && name == interface) descriptors_.push_back(descriptor);
  }
}

bool tap_files::are_detached() const {
  return !descriptors_.empty() && std::all_of(descriptors_.begin(), descriptors_.end(), [](int one) {
    std::string name;
    return ask(one, name) == EBADFD;
  });
}

std::optional<std::string> tap_files::interface() const {
  for (int const one : descriptors_) {
    if (std::string name; ask(one, name) == 0) return name;
  }
  return std::nullopt;
}

}  // namespace packetwarp
