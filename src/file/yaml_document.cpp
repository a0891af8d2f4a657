// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "file/yaml_document.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "base/error.h"

namespace packetwarp {
namespace {

// Whether a line of a file, counted from 0, has a variable.
[[nodiscard]] bool has_variable(std::string const& file, int number) {
  if (!std::filesystem::is_regular_file(file)) return false;
  std::ifstream in{file};
  std::string line;
  for (int n = 0; n <= number && std::getline(in, line); ++n) {
  }
  return line.find("${") != line.npos;
}

// Makes a document's values of the parser's events.
class value_maker final : public YAML::EventHandler {
 public:
  value_maker(std::deque<yaml_node>& to, yaml_document const& of) : nodes_{to}, of_{of} {}
  [[nodiscard]] yaml_node const* root() const { return root_; }

  void OnDocumentStart(YAML::Mark const& /*at*/) override {}
  void OnDocumentEnd() override {}
  void OnNull(YAML::Mark const& at, YAML::anchor_t anchor) override { (void)make(yaml_node::kind::null, at, anchor); }
  void OnAlias(YAML::Mark const& at, YAML::anchor_t anchor) override {
    auto* const meant = anchored_.at(anchor);
    // A value that contains itself has no end.
    if (std::ranges::find(open_, meant) != open_.end()) {
      throw YAML::ParserException(at, "the alias is within the value that it stands for");
    }
    put(meant);
  }
  void OnScalar(YAML::Mark const& at, std::string const& /*tag*/, YAML::anchor_t anchor,
                std::string const& value) override {
    make(yaml_node::kind::scalar, at, anchor).text = value;
  }
  void OnSequenceStart(YAML::Mark const& at, std::string const& /*tag*/, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    open_.push_back(&make(yaml_node::kind::list, at, anchor));
  }
  void OnSequenceEnd() override { open_.pop_back(); }
  void OnMapStart(YAML::Mark const& at, std::string const& /*tag*/, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    open_.push_back(&make(yaml_node::kind::map, at, anchor));
  }
  void OnMapEnd() override { open_.pop_back(); }

 private:
  yaml_node& make(yaml_node::kind what, YAML::Mark const& at, YAML::anchor_t anchor) {
    of_.require_need();
    auto& made = nodes_.emplace_back();
    made.is = what;
    made.line = at.line + 1;
    if (anchor != YAML::NullAnchor) anchored_[anchor] = &made;
    put(&made);
    return made;
  }
  void put(yaml_node const* made) {
    if (open_.empty()) {
      root_ = made;
    } else {
      open_.back()->parts.push_back(made);
    }
  }

  std::deque<yaml_node>& nodes_;
  yaml_document const& of_;
  yaml_node const* root_{};
  std::vector<yaml_node*> open_;  // lists and maps whose end has not come
  std::map<YAML::anchor_t, yaml_node*> anchored_;
};

// Keeps nothing but the place of a document's begin.
class begin_of_document final : public YAML::EventHandler {
 public:
  explicit begin_of_document(yaml_document const& before) : before_{before} {}
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
    before_.require_need();
    if (!has_content_) line_ = at.line + 1;
    has_content_ = true;
  }
  yaml_document const& before_;
  int line_{};
  bool has_content_{};
};

}  // namespace

yaml_document::yaml_document(std::string file, std::string const& text, need_check need)
    : file_{std::move(file)}, need_{std::move(need)} {
  try {
    parse(text);
  } catch (YAML::Exception const& wrong) {
    throw usage_error(
        fmt::format("{}:{}: no YAML: {}{}", file_, wrong.mark.line + 1, wrong.msg,
                    has_variable(file_, wrong.mark.line) ? R"(; within [...] and {...} quote "${...}")" : ""));
  }
}

// yaml-cpp stops after the first document, and ignores what comes after it.
void yaml_document::parse(std::string const& text) {
  std::istringstream in{text};
  YAML::Parser parser{in};
  value_maker values{nodes_, *this};
  bool const has_first = parser.HandleNextDocument(values);
  root_ = values.root() != nullptr ? values.root() : &nodes_.emplace_back();
  begin_of_document second{*this};
  if (!has_first || !parser.HandleNextDocument(second)) return;
  throw usage_error(fmt::format(
      "{}:{}: a second document of YAML begins, or text that belongs to no key; the file is one map of keys", file_,
      second.line()));
}

}  // namespace packetwarp
