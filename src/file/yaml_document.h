// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "base/thread/abandoned.h"

namespace packetwarp {

// A value of a YAML document. An alias is a second pointer to the value that it stands for.
struct yaml_node {
  enum class kind : std::uint8_t { null, scalar, list, map };
  kind is{kind::null};
  int line{1};                          // counted from 1
  std::string text;                     // of a scalar, as written
  std::vector<yaml_node const*> parts;  // of a list; of a map its keys and values in turn, in the file's order
};

// The one document of a YAML file, read in one pass.
class yaml_document {
 public:
  // file: for messages. need: called again and again while the text is read, and by readers of the document. Throws
  // usage_error with FILE:LINE for a text that is no YAML or has a second document.
  yaml_document(std::string file, std::string const& text, need_check need);
  yaml_document(yaml_document const&) = delete;
  yaml_document& operator=(yaml_document const&) = delete;
  ~yaml_document() = default;

  [[nodiscard]] std::string const& file() const { return file_; }
  [[nodiscard]] yaml_node const& root() const { return *root_; }
  // Throws abandoned once nothing needs the document.
  void require_need() const {
    if (need_) need_();
  }

 private:
  void parse(std::string const& text);

  std::string file_;
  need_check need_;
  std::deque<yaml_node> nodes_;
  yaml_node const* root_{};
};

}  // namespace packetwarp
