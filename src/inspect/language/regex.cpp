// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#define PCRE2_CODE_UNIT_WIDTH 8
#include "inspect/language/regex.h"

#include <pcre2.h>

#include <array>
#include <limits>
#include <new>

namespace packetwarp::inspect {
namespace {

// Steps and depth of one search.
constexpr std::uint32_t most_matches = 100'000;
constexpr std::uint32_t deepest_match = 10'000;

[[nodiscard]] std::uint32_t options_of(std::string const& modifiers) {
  std::uint32_t options = 0;
  for (char const c : modifiers) {
    switch (c) {
      case 'i':
        options |= PCRE2_CASELESS;
        break;
      case 's':
        options |= PCRE2_DOTALL;
        break;
      case 'm':
        options |= PCRE2_MULTILINE;
        break;
      case 'x':
        options |= PCRE2_EXTENDED;
        break;
      case 'A':
        options |= PCRE2_ANCHORED;
        break;
      case 'E':
        options |= PCRE2_DOLLAR_ENDONLY;
        break;
      default:
        options |= PCRE2_UNGREEDY;
        break;
    }
  }
  return options;
}

struct free_code {
  void operator()(pcre2_code* code) const { pcre2_code_free(code); }
};
using code_pointer = std::unique_ptr<pcre2_code, free_code>;

[[nodiscard]] code_pointer compile(regex_check const& check, int& error) {
  PCRE2_SIZE at = 0;
  auto const* text = reinterpret_cast<PCRE2_SPTR>(check.pattern.data());
  return code_pointer{pcre2_compile(text, check.pattern.size(), options_of(check.modifiers), &error, &at, nullptr)};
}

}  // namespace

std::string problem_of(regex_check const& check) {
  int error = 0;
  if (compile(check, error) != nullptr) return {};
  std::array<PCRE2_UCHAR, 128> text{};
  pcre2_get_error_message(error, text.data(), text.size());
  return reinterpret_cast<char const*>(text.data());
}

struct regex_library::state {
  std::vector<pcre2_code*> codes{};
  pcre2_match_context* context{pcre2_match_context_create(nullptr)};
  pcre2_match_data* data{pcre2_match_data_create(1, nullptr)};

  state() = default;
  state(state const&) = delete;
  state& operator=(state const&) = delete;
  ~state() {
    for (auto* code : codes) pcre2_code_free(code);
    pcre2_match_data_free(data);
    pcre2_match_context_free(context);
  }
};

regex_library::regex_library(std::vector<regex_check> const& checks) : state_{std::make_unique<state>()} {
  if (state_->context == nullptr || state_->data == nullptr) throw std::bad_alloc{};
  pcre2_set_match_limit(state_->context, most_matches);
  pcre2_set_depth_limit(state_->context, deepest_match);
  for (auto const& check : checks) {
    int error = 0;
    state_->codes.push_back(compile(check, error).release());
    if (state_->codes.back() == nullptr) throw std::bad_alloc{};
    // Without compiled code the expression is interpreted.
    pcre2_jit_compile(state_->codes.back(), PCRE2_JIT_COMPLETE);
  }
}

regex_library::~regex_library() = default;

bool regex_library::match(std::uint32_t number, std::byte const* text, std::uint32_t size, std::uint32_t& begin,
                          std::uint32_t& end) {
  if (begin > size) return false;
  auto const found = pcre2_match(state_->codes[number], reinterpret_cast<PCRE2_SPTR>(text), size, begin, 0,
                                 state_->data, state_->context);
  if (found < 0) {
    if (found == PCRE2_ERROR_NOMATCH) return false;
    ++out_of_bound_;
    end = std::numeric_limits<std::uint32_t>::max();
    return false;
  }
  auto const* places = pcre2_get_ovector_pointer(state_->data);
  begin = static_cast<std::uint32_t>(places[0]);
  end = static_cast<std::uint32_t>(places[1]);
  return true;
}

}  // namespace packetwarp::inspect
