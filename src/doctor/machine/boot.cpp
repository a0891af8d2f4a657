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

constexpr std::string_view grub_file = "/etc/default/grub";
constexpr std::string_view grub_key = "GRUB_CMDLINE_LINUX_DEFAULT=";

// The quote around the variable's value in a line of its own; nothing if the file has no line that sed can change.
[[nodiscard]] std::optional<char> quote_of(std::string const& text) {
  for (auto line : lines_of(text)) {
    if (!line.starts_with(grub_key)) continue;
    line.remove_prefix(grub_key.size());
    bool const is_quoted = line.starts_with('"') || line.starts_with('\'');
    auto const end = is_quoted ? line.find(line.front(), 1) : line.npos;
    if (end == line.npos || line.substr(0, end).find('\\') != line.npos) return std::nullopt;
    return line.front();
  }
  return std::nullopt;
}

// Puts the parameters after those that the line has: the kernel takes the last of two.
[[nodiscard]] std::string edit_of_file(machine_reader const& files, std::string_view parameters) {
  auto const quote = quote_of(files.text(grub_file));
  if (!quote) return {};
  // The quote around sed's words is the other one.
  return fmt::format("sed -i {0}s/^\\({1}{2}[^{2}]*\\){2}/\\1 {3}{2}/{0} {4}", *quote == '"' ? '\'' : '"', grub_key,
                     *quote, parameters, grub_file);
}

// Debian's GRUB and others read their file and write a menu. With menus of one file per kernel (Red Hat's) the file
// counts for kernels that are installed later, and grubby changes all that there are.
[[nodiscard]] std::string command_for(machine_reader const& files, std::string_view parameters) {
  bool const is_debians = files.has("/usr/sbin/update-grub");
  if (!is_debians && files.has("/usr/sbin/grubby")) {
    return fmt::format("grubby --update-kernel=ALL --args=\"{}\"", parameters);
  }
  if (!files.has(grub_file) || (!is_debians && !files.has("/usr/sbin/grub2-mkconfig"))) return {};
  auto const edit = edit_of_file(files, parameters);
  if (edit.empty()) return {};
  return fmt::format("{} && {}", edit, is_debians ? "update-grub" : "grub2-mkconfig -o /boot/grub2/grub.cfg");
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
  made.command = command_for(files, made.parameters);
  return made;
}

}  // namespace packetwarp::doctor
