// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "file/yaml_place.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <system_error>

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

// Whether a line of a file, counted from 0, has a variable.
[[nodiscard]] bool has_variable(std::string const& file, int number) {
  if (!std::filesystem::is_regular_file(file)) return false;
  std::ifstream in{file};
  std::string line;
  for (int n = 0; n <= number && std::getline(in, line); ++n) {
  }
  return line.find("${") != line.npos;
}

}  // namespace

std::string yaml_place::file_line() const { return fmt::format("{}:{}", file_, line()); }

std::string yaml_place::told() const { return fmt::format("{}{}{}", file_line(), path_.empty() ? "" : ": ", path_); }

void yaml_place::refuse(std::string const& why) const {
  constexpr std::size_t most_bytes = 2048;
  throw usage_error(shortened(fmt::format("{}: {}", told(), why), most_bytes));
}

void yaml_place::require_keys(std::span<std::string_view const> allowed) const {
  if (!node_.IsMap()) refuse(fmt::format("has to be a map with the keys {}", listed(allowed)));
  std::set<std::string> seen;
  for (auto const& entry : node_) {
    yaml_place const here{file_, entry.first, path_};
    auto const key = here.text();
    if (std::find(allowed.begin(), allowed.end(), key) == allowed.end()) {
      here.refuse(fmt::format("no key '{}'; there are {}", key, listed(allowed)));
    }
    if (!seen.insert(key).second) here.refuse(fmt::format("the key '{}' is there twice", key));
    if (entry.second.IsNull()) here.refuse(fmt::format("the key '{}' has no value; give one, or leave it out", key));
  }
}

std::optional<yaml_place> yaml_place::find(std::string const& key) const {
  auto const found = node_[key];
  if (!found.IsDefined() || found.IsNull()) return std::nullopt;
  return yaml_place{file_, found, path_.empty() ? key : path_ + '.' + key};
}

yaml_place yaml_place::at(std::string const& key) const {
  auto found = find(key);
  if (!found) refuse(fmt::format("the key '{}' is missing", key));
  return *found;
}

std::vector<std::pair<std::string, yaml_place>> yaml_place::entries() const {
  if (!node_.IsMap()) refuse("has to be a map");
  std::vector<std::pair<std::string, yaml_place>> all;
  for (auto const& entry : node_) {
    auto const key = entry.first.Scalar();
    all.emplace_back(key, yaml_place{file_, entry.second, path_.empty() ? key : path_ + '.' + key});
  }
  return all;
}

std::vector<yaml_place> yaml_place::items() const {
  if (node_.IsScalar()) return {*this};
  if (!node_.IsSequence()) refuse("has to be a list");
  std::vector<yaml_place> all;
  for (std::size_t i = 0; i < node_.size(); ++i) all.emplace_back(file_, node_[i], fmt::format("{}[{}]", path_, i));
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
  if (!node_.IsScalar()) refuse("has to be a single value");
  auto const& written = node_.Scalar();
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
  if (node_.Type() != was.node_.Type()) return *this;
  if (node_.IsScalar()) return node_.Scalar() == was.node_.Scalar() ? std::nullopt : std::optional{*this};
  if (node_.IsSequence()) {
    auto const now = items();
    auto const then = was.items();
    for (std::size_t i = 0; i < now.size(); ++i) {
      if (i >= then.size()) return now[i];
      if (auto found = now[i].first_difference(then[i])) return found;
    }
    return now.size() < then.size() ? std::optional{*this} : std::nullopt;
  }
  for (auto const& entry : node_) {
    auto const key = entry.first.Scalar();
    auto const now = find(key);
    auto const then = was.find(key);
    if (!now && !then) continue;
    if (!now || !then) return now ? now : std::optional{*this};
    if (auto found = now->first_difference(*then)) return found;
  }
  bool const has_lost = std::any_of(was.node_.begin(), was.node_.end(),
                                    [this](auto const& entry) { return !node_[entry.first.Scalar()].IsDefined(); });
  return has_lost ? std::optional{*this} : std::nullopt;
}

namespace {

[[noreturn]] void refuse_unreadable(std::string const& file) {
  std::error_code why;
  bool const is_missing = !std::filesystem::exists(file, why) && !why;
  constexpr std::string_view in_a_pod =
      "; in a pod it is a key of the ConfigMap that volumes[].configMap names, at volumeMounts[].mountPath, readable "
      "by "
      "the pod's user (configMap.defaultMode)";
  throw usage_error(fmt::format("-c {}: the file cannot be read{}{}", file, is_missing ? ": it is not there" : "",
                                find_surroundings() == surroundings::pod ? in_a_pod : ""));
}

}  // namespace

namespace {

// Keeps nothing but the place of a document's begin.
class begin_of_document final : public YAML::EventHandler {
 public:
  [[nodiscard]] int line() const { return line_; }  // counted from 1
  void OnDocumentStart(YAML::Mark const& at) override { line_ = at.line + 1; }
  void OnDocumentEnd() override {}
  void OnNull(YAML::Mark const& /*at*/, YAML::anchor_t /*anchor*/) override {}
  void OnAlias(YAML::Mark const& /*at*/, YAML::anchor_t /*anchor*/) override {}
  void OnScalar(YAML::Mark const& at, std::string const& /*tag*/, YAML::anchor_t /*anchor*/,
                std::string const& /*value*/) override {
    note(at);
  }
  void OnSequenceStart(YAML::Mark const& at, std::string const& /*tag*/, YAML::anchor_t /*anchor*/,
                       YAML::EmitterStyle::value /*style*/) override {
    note(at);
  }
  void OnSequenceEnd() override {}
  void OnMapStart(YAML::Mark const& at, std::string const& /*tag*/, YAML::anchor_t /*anchor*/,
                  YAML::EmitterStyle::value /*style*/) override {
    note(at);
  }
  void OnMapEnd() override {}

 private:
  // The first content is more telling than the mark of the document.
  void note(YAML::Mark const& at) {
    if (!has_content_) line_ = at.line + 1;
    has_content_ = true;
  }
  int line_{};
  bool has_content_{};
};

// yaml-cpp loads the first document, and ignores what comes after it. YAML::LoadAll() does not end for some texts.
[[nodiscard]] std::optional<int> line_of_second_document(std::string const& text) {
  std::istringstream in{text};
  YAML::Parser parser{in};
  begin_of_document first, second;
  if (!parser.HandleNextDocument(first) || !parser.HandleNextDocument(second)) return std::nullopt;
  return second.line();
}

}  // namespace

yaml_place read_yaml(std::string const& file) {
  auto const text = read_text_file(file);
  if (!text) refuse_unreadable(file);
  try {
    if (auto const line = line_of_second_document(*text)) {
      throw usage_error(fmt::format(
          "{}:{}: a second document of YAML begins, or text that belongs to no key; the file is one map of keys", file,
          *line));
    }
    return {file, YAML::Load(*text), ""};
  } catch (YAML::Exception const& wrong) {
    throw usage_error(
        fmt::format("{}:{}: no YAML: {}{}", file, wrong.mark.line + 1, wrong.msg,
                    has_variable(file, wrong.mark.line) ? R"(; within [...] and {...} quote "${...}")" : ""));
  }
}

}  // namespace packetwarp
