// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/thread/abandoned.h"
#include "file/yaml_document.h"

namespace packetwarp {

// A place in a YAML file: a value, and the words by which a person finds it. All its exceptions are usage_errors that
// begin with FILE:LINE and say what is allowed there; and abandoned, from calls that lists and maps make often.
class yaml_place {
 public:
  // The place of the whole document.
  explicit yaml_place(std::shared_ptr<yaml_document const> document)
      : document_{std::move(document)}, node_{&document_->root()} {}

  // Counted from 1.
  [[nodiscard]] int line() const { return node_->line; }
  [[nodiscard]] std::string const& path() const { return path_; }
  // "network.yaml:7"
  [[nodiscard]] std::string file_line() const;
  // "network.yaml:7: interfaces[1].mtu": the beginning of an error's line.
  [[nodiscard]] std::string told() const;
  // The line is shortened() where it quotes a long value.
  [[noreturn]] void refuse(std::string const& why) const;

  [[nodiscard]] bool is_map() const { return node_->is == yaml_node::kind::map; }
  // Requires a map with no other keys than these, each once and with a value.
  void require_keys(std::span<std::string_view const> allowed) const;
  void require_keys(std::initializer_list<std::string_view> allowed) const {
    require_keys(std::span{allowed.begin(), allowed.size()});
  }
  // The value of a map's key, or nothing.
  [[nodiscard]] std::optional<yaml_place> find(std::string const& key) const;
  // The value of a required key.
  [[nodiscard]] yaml_place at(std::string const& key) const;
  [[nodiscard]] bool is_scalar() const { return node_->is == yaml_node::kind::scalar; }
  [[nodiscard]] bool is_list() const { return node_->is == yaml_node::kind::list; }
  // The keys of a map with their values, in the file's order.
  [[nodiscard]] std::vector<std::pair<std::string, yaml_place>> entries() const;
  // The items of a list; a single value is a list of one.
  [[nodiscard]] std::vector<yaml_place> items() const;
  // The first single value here, in the file's order, with this text().
  [[nodiscard]] std::optional<yaml_place> find_text(std::string const& wanted) const;
  // A single value as written, without NUL characters, with its variables replaced (file/variables.h).
  [[nodiscard]] std::string text() const;
  // text() that is not empty: the name of a file, or an address. An empty one is most often a variable that is not set.
  [[nodiscard]] std::string name() const;
  [[nodiscard]] std::uint64_t number(std::uint64_t least, std::uint64_t most) const;
  [[nodiscard]] bool flag() const;
  // The first place here whose value differs from `was`, or nothing. The order of a map's keys is ignored; for a key
  // that is gone, the place is the map.
  [[nodiscard]] std::optional<yaml_place> first_difference(yaml_place const& was) const;

 private:
  yaml_place(yaml_place const& within, yaml_node const* node, std::string path)
      : document_{within.document_}, node_{node}, path_{std::move(path)} {}
  // The value of a key of this map; nullptr without one.
  [[nodiscard]] yaml_node const* value_of(std::string_view key) const;
  [[nodiscard]] std::string path_to(std::string const& key) const { return path_.empty() ? key : path_ + '.' + key; }

  std::shared_ptr<yaml_document const> document_;
  yaml_node const* node_;
  std::string path_;  // "interfaces[1].mtu"
};

// The whole of a file. need: see yaml_document. Throws usage_error for one that cannot be read or is no YAML.
[[nodiscard]] yaml_place read_yaml(std::string const& file, need_check need = {});
// The same of a text. file: for messages.
[[nodiscard]] yaml_place parse_yaml(std::string const& file, std::string const& text, need_check need = {});

}  // namespace packetwarp
