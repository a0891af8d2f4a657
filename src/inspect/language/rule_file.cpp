// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "inspect/language/rule_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <functional>
#include <map>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/process/text_file.h"
#include "inspect/language/rule_reader.h"

namespace packetwarp::inspect {

void add_rules(rule_set& into, std::string name, std::string text, variables const& known) {
  source_text const source{std::move(name), std::move(text)};
  auto const file = static_cast<std::uint32_t>(into.files.size());
  into.files.push_back(source.name());
  rule_reader reader{source, known, into};
  for (auto const line : source.rules()) {
    try {
      auto made = reader.read(line);
      made.file = file;
      if (into.known_texts.insert(std::hash<std::string_view>{}(line)).second) {
        into.rules.push_back(std::move(made));
      } else {
        ++into.replaced;
      }
    } catch (usage_error const& error) {
      into.problems.emplace_back(error.what());
    }
  }
}

namespace {

void keep_newest(rule_set& of) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> newest;
  for (auto const& one : of.rules) {
    auto& known = newest[{one.gid, one.sid}];
    known = std::max(known, one.revision);
  }
  of.replaced += std::erase_if(of.rules, [&](rule const& one) { return one.revision < newest.at({one.gid, one.sid}); });
}

}  // namespace

rule_set read_rule_files(std::span<std::string const> paths, variables const& known) {
  rule_set made;
  for (auto const& path : paths) {
    if (std::filesystem::is_directory(path)) {
      throw usage_error(fmt::format("{}: is a directory; give files of rules, such as {}/*.rules", path, path));
    }
    auto text = read_text_file(path);
    if (!text) throw usage_error(fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
    add_rules(made, path, std::move(*text), known);
  }
  keep_newest(made);
  return made;
}

}  // namespace packetwarp::inspect
