// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "inspect/language/rule_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include "base/error.h"
#include "base/process/pipe_wait.h"
#include "inspect/language/rule_reader.h"

namespace packetwarp::inspect {
namespace {

// As in Suricata, a gid and a sid name one rule: its newest revision. part: the rule's text.
void add_rule(rule_set& into, rule&& one, source_text const& source, std::string_view part) {
  auto const [found, is_new] = into.known_ids.try_emplace({one.gid, one.sid}, into.rules.size());
  if (is_new) {
    into.rules.push_back(std::move(one));
    return;
  }
  auto& known = into.rules[found->second];
  if (one.revision <= known.revision) {
    source.fail(part, fmt::format("sid {} of gid {} is taken by the rule of {}:{}; give a sid of its own, or a rev "
                                  "above {} to replace that rule",
                                  one.sid, one.gid, into.files[known.file], known.line, known.revision));
  }
  known = std::move(one);
  ++into.replaced;
}

}  // namespace

void add_rules(rule_set& into, std::string name, std::string text, variables const& known) {
  source_text const source{std::move(name), std::move(text)};
  auto const file = static_cast<std::uint32_t>(into.files.size());
  into.files.push_back(source.name());
  rule_reader reader{source, known, into};
  for (auto const line : source.rules()) {
    try {
      auto made = reader.read(line);
      made.file = file;
      add_rule(into, std::move(made), source, line);
    } catch (usage_error const& error) {
      into.problems.emplace_back(error.what());
    }
  }
}

rule_set read_rule_files(std::span<std::string const> paths, variables const& known) {
  rule_set made;
  for (auto const& path : paths) {
    if (std::filesystem::is_directory(path)) {
      throw usage_error(fmt::format("{}: is a directory; give files of rules, such as {}/*.rules", path, path));
    }
    pipe_wait const beside{path};
    std::ifstream file{path, std::ios::binary};
    if (!file) throw usage_error(fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
    add_rules(made, path, {std::istreambuf_iterator<char>{file}, {}}, known);
  }
  return made;
}

}  // namespace packetwarp::inspect
