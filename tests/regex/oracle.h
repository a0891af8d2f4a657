// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#ifndef PCRE2_CODE_UNIT_WIDTH
#define PCRE2_CODE_UNIT_WIDTH 8
#endif
#include <pcre2.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

namespace packetwarp::regex {

// PCRE2's own answers.
class oracle {
 public:
  oracle(std::string_view pattern, std::string_view modifiers) {
    int error = 0;
    PCRE2_SIZE at = 0;
    code_.reset(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.data()), pattern.size(), options_of(modifiers),
                              &error, &at, nullptr));
  }
  [[nodiscard]] bool compiles() const { return code_ != nullptr; }
  // Searches by compiled code.
  void use_jit() { pcre2_jit_compile(code_.get(), PCRE2_JIT_COMPLETE); }
  // Nothing: the search ended at a bound, before there was an answer.
  [[nodiscard]] std::optional<bool> matches(std::string_view text) const {
    auto const found = pcre2_match(code_.get(), reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(), 0, 0,
                                   data_.get(), context_.get());
    if (found >= 0) return true;
    if (found == PCRE2_ERROR_NOMATCH) return false;
    return std::nullopt;
  }

 private:
  struct deleter {
    void operator()(pcre2_code* code) const { pcre2_code_free(code); }
    void operator()(pcre2_match_data* data) const { pcre2_match_data_free(data); }
    void operator()(pcre2_match_context* context) const { pcre2_match_context_free(context); }
  };
  [[nodiscard]] static std::uint32_t options_of(std::string_view modifiers) {
    std::uint32_t options = 0;
    for (char const modifier : modifiers) {
      if (modifier == 'i') options |= PCRE2_CASELESS;
      if (modifier == 's') options |= PCRE2_DOTALL;
      if (modifier == 'm') options |= PCRE2_MULTILINE;
      if (modifier == 'x') options |= PCRE2_EXTENDED;
      if (modifier == 'A') options |= PCRE2_ANCHORED;
      if (modifier == 'E') options |= PCRE2_DOLLAR_ENDONLY;
      if (modifier == 'G') options |= PCRE2_UNGREEDY;
    }
    return options;
  }
  [[nodiscard]] static pcre2_match_context* bounded() {
    auto* made = pcre2_match_context_create(nullptr);
    pcre2_set_match_limit(made, 200'000);
    return made;
  }

  std::unique_ptr<pcre2_code, deleter> code_{};
  std::unique_ptr<pcre2_match_data, deleter> data_{pcre2_match_data_create(1, nullptr)};
  std::unique_ptr<pcre2_match_context, deleter> context_{bounded()};
};

}  // namespace packetwarp::regex
