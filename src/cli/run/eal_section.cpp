// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/run/eal_section.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/process/container.h"
#include "base/shown_text.h"
#include "cli/misplaced.h"
#include "cli/run/options.h"
#include "memory/eal_words.h"
#include "port/device/requested_pci.h"
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

// yaml_place::refuse() with an error of this kind.
template <class Error>
[[noreturn]] void refuse_as(yaml_place const& place, std::string_view why) {
  constexpr std::size_t most_bytes = 2048;
  throw Error(shortened(fmt::format("{}: {}", place.told(), why), most_bytes));
}

// Refuses by the line of the option that alone causes the same error, or of the port whose device it names. Returns if
// there is none, as for an option of the command line.
template <class Error>
void refuse_by_line(network_call const& network, std::span<std::string const> words, Error const& wrong) {
  auto const pieces = read_eal_words(words);
  std::string_view const why{wrong.what()};
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    auto const begin = pieces[i].at;
    auto const& place = network.places.at(begin);
    if (!place) continue;
    auto const end = i + 1 < pieces.size() ? std::max(pieces[i + 1].at, begin + 1) : words.size();
    auto const alone = words.subspan(begin, end - begin);
    for (auto const& device : requested_pci(alone)) {
      if (why.starts_with(fmt::format("-a {}: ", device))) refuse_as<Error>(*place, why.substr(3));
    }
    try {
      (void)check_eal_words(alone);
    } catch (Error const& same) {
      if (why == same.what()) refuse_as<Error>(*place, why);
    } catch (std::runtime_error const&) {
      continue;  // another one, of the other kind
    }
  }
}

[[nodiscard]] bool asks_for_lcores(std::span<std::string const> words) {
  return std::ranges::any_of(read_eal_words(words), [](auto const& word) {
    return word.name == "-l" || word.name == "-c" || word.name == "--lcores";
  });
}

void add(network_call& to, std::string option, std::string value, yaml_place const& place) {
  to.call.eal.insert(to.call.eal.end(), {std::move(option), std::move(value)});
  to.places.insert(to.places.end(), 2, place);
}

// -a for each device that a port names and no -a does.
void add_devices(network_file const& file, network_call& to) {
  if (file.devices.empty()) return;
  auto const& words = to.call.eal;
  auto const hides = std::ranges::find_if(
      words, [](auto const& word) { return word == "--no-pci" || word == "-b" || word.starts_with("--block"); });
  if (hides != words.end()) {
    file.devices.front().place.refuse(
        fmt::format("{} among the EAL's options hides devices that ports name; take it out", *hides));
  }
  auto const named = requested_pci(words);
  auto const* const remedy =
      find_surroundings() == surroundings::pod
          ? "in a pod give port: {resource: NAME}, and set resources.limits.'NAME' of the container"
          : "ls /sys/bus/pci/devices lists those there are";
  for (auto const& one : file.devices) {
    if (!std::filesystem::exists(std::filesystem::path{"/sys/bus/pci/devices"} / one.address)) {
      refuse_as<failure>(one.place, fmt::format("{}: there is no such device here; {}", one.address, remedy));
    }
    if (std::ranges::find(named, one.address) != named.end()) continue;
    add(to, "-a", one.arguments.empty() ? one.address : fmt::format("{},{}", one.address, one.arguments), one.place);
  }
}

}  // namespace

network_call with_eal_of(network_file const& file, invocation call) {
  network_call made{.call = std::move(call), .places = {}, .section = {}};
  if (!made.call.eal.empty()) {
    made.places.resize(made.call.eal.size());
  } else {
    made.call.eal = file.eal;
    made.section = file.root.find("eal");
    if (made.section) {
      for (auto const& item : made.section->items()) made.places.emplace_back(item);
      if (auto const wrong = find_misplaced_in_file(made.call.eal)) {
        made.places.at(wrong->at)->refuse(why_not_here(*wrong));
      }
    }
    if (auto const place = file.root.find("lcores")) {
      if (asks_for_lcores(made.call.eal)) {
        place->refuse("lcores are also among the words of 'eal'; leave one of both out");
      }
      add(made, "-l", file.lcores, *place);
    }
  }
  add_devices(file, made);
  return made;
}

std::unique_ptr<eal_session> start_eal(network_call const& network) {
  try {
    return start_eal(network.call);
  } catch (usage_error const& wrong) {
    refuse_by_line(network, network.call.eal, wrong);
    if (network.section) network.section->refuse(wrong.what());
    throw;
  } catch (failure const& wrong) {
    refuse_by_line(network, network.call.eal, wrong);
    throw;
  }
}

planning_eal start_eal_for_plan(network_call network) {
  auto& words = network.call.eal;
  std::ranges::transform(words, words.begin(), without_outputs);
  try {
    return start_eal_for_plan(network.call);
  } catch (usage_error const& wrong) {
    refuse_by_line(network, words, wrong);
    if (network.section) network.section->refuse(wrong.what());
    throw;
  } catch (failure const& wrong) {
    refuse_by_line(network, words, wrong);
    throw;
  }
}

}  // namespace packetwarp
