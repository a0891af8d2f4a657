// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "file/yaml_place.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <set>

#include "base/process/container.h"
#include "base/process/text_file.h"
#include "base/shown_text.h"
#include "file/variables.h"

namespace packetwarp {
namespace {

[[nodiscard]] std::string listed(std::span<std::string_view const> words) {
  std::string all;
  for (auto const word : words) all.append(all.empty() ? "" : ", ").append(word);
  return all;
}

}  // namespace

std::string yaml_place::file_line() const { return fmt::format("{}:{}", document_->file(), line()); }

std::string yaml_place::told() const { return fmt::format("{}{}{}", file_line(), path_.empty() ? "" : ": ", path_); }

void yaml_place::refuse(std::string const& why) const {
  constexpr std::size_t most_bytes = 2048;
  throw usage_error(shortened(fmt::format("{}: {}", told(), why), most_bytes));
}

void yaml_place::require_keys(std::span<std::string_view const> allowed) const {
  document_->require_need();
  if (!is_map()) refuse(fmt::format("has to be a map with the keys {}", listed(allowed)));
  std::set<std::string> seen;
  for (std::size_t n = 0; n < node_->parts.size(); n += 2) {
    yaml_place const here{*this, node_->parts[n], path_};
    if (!here.is_scalar()) here.refuse("has to be a single value");
    auto const& key = here.node_->text;  // its variables, if any, are not replaced: it is looked for as it is written
    if (std::find(allowed.begin(), allowed.end(), key) == allowed.end()) {
      here.refuse(fmt::format("no key '{}'; there are {}", key, listed(allowed)));
    }
    if (!seen.insert(key).second) here.refuse(fmt::format("the key '{}' is there twice", key));
    if (node_->parts[n + 1]->is == yaml_node::kind::null) {
      here.refuse(fmt::format("the key '{}' has no value; give one, or leave it out", key));
    }
  }
}

yaml_node const* yaml_place::value_of(std::string_view key) const {
  if (!is_map()) return nullptr;
  for (std::size_t n = 0; n < node_->parts.size(); n += 2) {
    auto const& is = *node_->parts[n];
    if (is.is == yaml_node::kind::scalar && is.text == key) return node_->parts[n + 1];
  }
  return nullptr;
}

std::optional<yaml_place> yaml_place::find(std::string const& key) const {
  auto const* const found = value_of(key);
  if (found == nullptr || found->is == yaml_node::kind::null) return std::nullopt;
  return yaml_place{*this, found, path_to(key)};
}

yaml_place yaml_place::at(std::string const& key) const {
  auto found = find(key);
  if (!found) refuse(fmt::format("the key '{}' is missing", key));
  return *found;
}

std::vector<std::pair<std::string, yaml_place>> yaml_place::entries() const {
  document_->require_need();
  if (!is_map()) refuse("has to be a map");
  std::vector<std::pair<std::string, yaml_place>> all;
  for (std::size_t n = 0; n < node_->parts.size(); n += 2) {
    auto const& key = node_->parts[n]->text;
    all.emplace_back(key, yaml_place{*this, node_->parts[n + 1], path_to(key)});
  }
  return all;
}

std::vector<yaml_place> yaml_place::items() const {
  document_->require_need();
  if (is_scalar()) return {*this};
  if (!is_list()) refuse("has to be a list");
  std::vector<yaml_place> all;
  all.reserve(node_->parts.size());
  for (std::size_t i = 0; i < node_->parts.size(); ++i) {
    all.push_back(yaml_place{*this, node_->parts[i], fmt::format("{}[{}]", path_, i)});
  }
  return all;
}

std::optional<yaml_place> yaml_place::find_text(std::string const& wanted) const {
  if (is_scalar()) return text() == wanted ? std::optional{*this} : std::nullopt;
  std::vector<yaml_place> parts;
  if (is_list()) parts = items();
  if (is_map()) {
    for (auto& [key, value] : entries()) parts.push_back(std::move(value));
  }
  for (auto const& part : parts) {
    if (auto found = part.find_text(wanted)) return found;
  }
  return std::nullopt;
}

std::string yaml_place::text() const {
  if (!is_scalar()) refuse("has to be a single value");
  auto const& written = node_->text;
  if (written.find('\0') != written.npos) refuse("holds a NUL character; leave it out");
  if (written.find("${") == written.npos) return written;
  try {
    return expand_variables(written, variables_of_process());
  } catch (usage_error const& wrong) {
    refuse(wrong.what());
  }
}

std::string yaml_place::name() const {
  auto made = text();
  if (made.empty()) refuse("is empty; give a value, or leave out the key");
  return made;
}

std::uint64_t yaml_place::number(std::uint64_t least, std::uint64_t most) const {
  auto const written = text();
  std::uint64_t value = 0;
  auto const [end, error] = std::from_chars(written.data(), written.data() + written.size(), value);
  if (error != std::errc{} || end != written.data() + written.size() || value < least || value > most) {
    refuse(fmt::format("'{}' is no number from {} to {}", written, least, most));
  }
  return value;
}

bool yaml_place::flag() const {
  auto const written = text();
  if (written == "true" || written == "yes" || written == "on") return true;
  if (written == "false" || written == "no" || written == "off") return false;
  refuse(fmt::format("'{}' is neither true nor false", written));
}

std::optional<yaml_place> yaml_place::first_difference(yaml_place const& was) const {
  if (node_->is != was.node_->is) return *this;
  if (is_scalar()) return node_->text == was.node_->text ? std::nullopt : std::optional{*this};
  if (is_list()) {
    auto const now = items();
    auto const then = was.items();
    for (std::size_t i = 0; i < now.size(); ++i) {
      if (i >= then.size()) return now[i];
      if (auto found = now[i].first_difference(then[i])) return found;
    }
    return now.size() < then.size() ? std::optional{*this} : std::nullopt;
  }
  for (std::size_t n = 0; n < node_->parts.size(); n += 2) {
    auto const& key = node_->parts[n]->text;
    auto const now = find(key);
    auto const then = was.find(key);
    if (!now && !then) continue;
    if (!now || !then) return now ? now : std::optional{*this};
    if (auto found = now->first_difference(*then)) return found;
  }
  for (std::size_t n = 0; n < was.node_->parts.size(); n += 2) {
    if (value_of(was.node_->parts[n]->text) == nullptr) return *this;
  }
  return std::nullopt;
}

namespace {

[[noreturn]] void refuse_unreadable(std::string const& file) {
  auto const error = errno;
  std::string_view const rights =
      error == EACCES ? "; packetwarp reads it with the rights of its user alone, and gives up those of root" : "";
  constexpr std::string_view in_a_pod =
      "; in a pod it is a key of the ConfigMap that volumes[].configMap names, at volumeMounts[].mountPath, readable "
      "by the pod's user (configMap.defaultMode)";
  auto const why = error == ENOENT ? std::string{"it is not there"} : std::strerror(error) + std::string{rights};
  throw usage_error(fmt::format("-c {}: the file cannot be read: {}{}", file, why,
                                find_surroundings() == surroundings::pod ? in_a_pod : ""));
}

}  // namespace

yaml_place parse_yaml(std::string const& file, std::string const& text, need_check need) {
  return yaml_place{std::make_shared<yaml_document const>(file, text, std::move(need))};
}

yaml_place read_yaml(std::string const& file, need_check need) {
  auto const text = read_text_file(file);
  if (!text) refuse_unreadable(file);
  return parse_yaml(file, *text, std::move(need));
}

}  // namespace packetwarp
