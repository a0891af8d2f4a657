// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <any>
#include <utility>
#include <vector>

namespace packetwarp {

// Configs of modules; only its module knows the type of each. Passive data: copies are deep.
class module_sections {
 public:
  // A type has one section at most.
  template <class Section>
  void add(Section one) {
    all_.emplace_back(std::move(one));
  }
  // nullptr if the file has no such section. Valid until the next add().
  template <class Section>
  [[nodiscard]] Section const* find() const {
    for (auto const& one : all_) {
      if (auto const* const found = std::any_cast<Section>(&one)) return found;
    }
    return nullptr;
  }
  template <class Section>
  [[nodiscard]] Section* find() {
    return const_cast<Section*>(std::as_const(*this).template find<Section>());
  }

 private:
  std::vector<std::any> all_;
};

}  // namespace packetwarp
