// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "doctor/machine/boot.h"

#include <fmt/format.h>

#include <algorithm>

#include "doctor/machine/text.h"

namespace packetwarp::doctor {
namespace {

[[nodiscard]] std::string_view key_of(std::string_view parameter) { return parameter.substr(0, parameter.find('=')); }

void add(std::vector<std::string>& to, std::string_view parameter) {
  auto const found = std::ranges::find(to, key_of(parameter), [](auto const& one) { return key_of(one); });
  if (found == to.end()) {
    to.emplace_back(parameter);
  } else {
    *found = parameter;
  }
}

// The program that regenerates GRUB's menu: Debian's, or GRUB's own on other distributions. Empty: GRUB is not
// installed.
[[nodiscard]] std::string menu_writer(machine_reader const& files) {
  if (!files.has("/etc/default/grub")) return {};
  if (files.has("/usr/sbin/update-grub")) return "update-grub";
  if (files.has("/usr/sbin/grub2-mkconfig")) return "grub2-mkconfig -o /boot/grub2/grub.cfg";
  return {};
}

}  // namespace

std::optional<boot_edit> plan_boot(machine_reader const& files, std::vector<finding> const& findings) {
  std::vector<std::string> parameters;
  for (auto const& one : findings) {
    for (auto const word : words_of(one.seen.boot.text)) add(parameters, word);
  }
  if (parameters.empty()) return std::nullopt;
  boot_edit made;
  for (auto const& one : parameters) made.parameters += (made.parameters.empty() ? "" : " ") + one;
  if (auto const writer = menu_writer(files); !writer.empty()) {
    made.command =
        fmt::format("sed -i 's/^GRUB_CMDLINE_LINUX_DEFAULT=\"/&{} /' /etc/default/grub && {}", made.parameters, writer);
  }
  return made;
}

}  // namespace packetwarp::doctor
