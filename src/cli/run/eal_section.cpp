// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/run/eal_section.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "cli/misplaced.h"
#include "cli/run/options.h"
#include "memory/eal_words.h"
#include "port/replay/capture_file.h"

namespace packetwarp {
namespace {

// The options of `packetwarp run` with a key of the file.
constexpr std::array keys_of_options{std::pair<std::string_view, std::string_view>{"--control", "control"},
                                     std::pair<std::string_view, std::string_view>{"--metrics", "metrics"},
                                     std::pair<std::string_view, std::string_view>{"--event-log", "event_log"},
                                     std::pair<std::string_view, std::string_view>{"--rules-on", "rules.on"}};

[[nodiscard]] std::string why_not_ours(misplaced_word const& word) {
  auto const* const key = std::ranges::find(keys_of_options, word.name, [](auto const& one) { return one.first; });
  auto const instead = key == keys_of_options.end() ? std::string{} : fmt::format("use the key '{}', or ", key->second);
  return fmt::format(
      "{} is packetwarp's, not the EAL's: {}give it on the command line, as in 'packetwarp run -c FILE {}{}{}'",
      word.name, instead, word.name, word.value.empty() ? "" : " ", word.value);
}

[[nodiscard]] std::string why_not_here(misplaced_word const& word) {
  using enum misplaced_word::kind;
  if (word.is == ours) return why_not_ours(word);
  if (auto const blank = word.name.find(' '); blank != std::string::npos) {
    return fmt::format("'{}': a word is an item of its own, as in [{}, {}]", word.name, word.name.substr(0, blank),
                       word.name.substr(blank + 1));
  }
  if (word.is == stray) return fmt::format("'{}' belongs to no option of the EAL's", word.name);
  return fmt::format("{}: neither the EAL nor packetwarp run has such an option; 'dpdk-testpmd -h' lists the EAL's",
                     word.name);
}

// Refuses by the line of the option that alone causes the same error; if none does, by the section's line.
[[noreturn]] void refuse_by_line(yaml_place const& section, std::span<std::string const> words,
                                 usage_error const& wrong) {
  auto const pieces = read_eal_words(words);
  auto const items = section.items();
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    auto const begin = pieces[i].at;
    auto const end = i + 1 < pieces.size() ? std::max(pieces[i + 1].at, begin + 1) : words.size();
    try {
      (void)check_eal_words(words.subspan(begin, end - begin));
    } catch (usage_error const& alone) {
      if (std::string_view{alone.what()} == wrong.what()) items.at(begin).refuse(wrong.what());
    }
  }
  section.refuse(wrong.what());
}

}  // namespace

network_call with_eal_of(network_file const& file, invocation call) {
  if (!call.eal.empty()) return {.call = std::move(call), .eal = {}};
  call.eal = file.eal;
  network_call made{.call = std::move(call), .eal = file.root.find("eal")};
  if (auto const wrong = find_misplaced_in_file(made.call.eal); wrong && made.eal) {
    made.eal->items().at(wrong->at).refuse(why_not_here(*wrong));
  }
  return made;
}

std::unique_ptr<eal_session> start_eal(network_call const& network) {
  try {
    return start_eal(network.call);
  } catch (usage_error const& wrong) {
    if (!network.eal) throw;
    refuse_by_line(*network.eal, network.call.eal, wrong);
  }
}

planning_eal start_eal_for_plan(network_call network) {
  auto& words = network.call.eal;
  std::ranges::transform(words, words.begin(), without_outputs);
  try {
    return start_eal_for_plan(network.call);
  } catch (usage_error const& wrong) {
    if (!network.eal) throw;
    refuse_by_line(*network.eal, words, wrong);
  }
}

}  // namespace packetwarp
