// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/command.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "cli/ask/ask.h"
#include "cli/help_pages.h"
#include "cli/misplaced.h"
#include "cli/run/page.h"
#include "cli/show/page.h"

namespace packetwarp {

std::span<command const> commands() {
  static std::vector<command> const all = [] {
    std::vector<command> made{
        {"l2fwd", "forward packets between ports, swapping MAC addresses", help::l2fwd, run_l2fwd},
        {"run", "route, translate, inspect or apply flow rules as a file describes it", run_page(), run_network},
        {"show", "interfaces, routes, neighbours and more of a running network", show_page(), run_show}};
    for (auto const& one : module_commands()) made.push_back(one);
    made.insert(
        made.end(),
        {
            command{"capture", "copies of a running network's packets, as a pcapng file", help::capture, run_capture},
            command{"top", "a running network, live", help::top, run_top},
            command{"workers", "the workers of a running network", help::workers, run_workers},
            command{"reload", "have a running network read its file again", help::reload, run_reload},
            command{"drain", "have a running network end once its traffic has gone", help::drain, run_drain},
            command{"generate", "send traffic and verify the packets that come back", help::generate, run_generate},
            command{"plan", "show which lcore would run which jobs on which queues", help::plan, run_plan},
            command{"bench", "measure executors beside each other, and say which to use", help::bench, run_bench},
            command{"features", "the features of a capture's packets, as models see them", help::features,
                    run_features},
            command{"model", "load a model from a file, and evaluate it on rows of features", help::model, run_model},
            command{"rdma-bw", "the bandwidth of RDMA writes posted by a CPU or a GPU", help::rdma_bw, run_rdma_bw},
            command{"rdma-lat", "the latency of RDMA writes to a peer", help::rdma_lat, run_rdma_lat},
            command{"inspect", "check rules in Suricata's language, and inspect a capture by them", help::inspect,
                    run_inspect},
            command{"doctor", "check this machine against the tuning that packet processing needs", help::doctor,
                    run_doctor},
        });
    return made;
  }();
  return all;
}

invocation split_command_line(std::span<char const* const> arguments) {
  invocation call;
  call.program = arguments.empty() ? "packetwarp" : arguments[0];
  if (arguments.size() > 1) call.command = arguments[1];
  bool after_dashes = false;
  for (auto const* word : arguments.subspan(std::min<std::size_t>(2, arguments.size()))) {
    std::string_view const text{word};
    // -t has words for a TRex profile, which may have a help of its own.
    bool const is_of_profile = after_dashes && !call.options.empty() && call.options.back() == "-t";
    call.wants_help |= !is_of_profile && (text == "--help" || text == "-h");
    if (!after_dashes && text == "--") {
      after_dashes = true;
    } else {
      (after_dashes ? call.options : call.eal).emplace_back(text);
    }
  }
  return call;
}

invocation with_words_as_options(invocation call) {
  call.options.insert(call.options.begin(), std::make_move_iterator(call.eal.begin()),
                      std::make_move_iterator(call.eal.end()));
  call.eal.clear();
  return call;
}

namespace {

// Options whose commands would take an empty word for "not given", and lose a result. The word is most often a script's
// variable that is not set. The other options refuse it with words of their own.
constexpr std::array<std::string_view, 10> never_empty{"--json",   "--csv",    "--event-log", "--metrics", "--control",
                                                       "--replay", "--resume", "--from",      "--only",    "--pattern"};

// Whether a word may stand without an option, such as a server's name.
[[nodiscard]] bool takes_words(CLI::App const& app) {
  auto const all = app.get_options();
  return std::any_of(all.begin(), all.end(), [](auto const* option) { return option->get_positional(); });
}

// The library's texts are "--count: At Most 1 required but received 2", "--only: 1 required TEXT missing" and "--json
// was given a disallowed flag override".
[[nodiscard]] std::string mismatch_of(CLI::ArgumentMismatch const& wrong) {
  std::string_view const text{wrong.what()};
  auto const option = text.substr(0, text.find_first_of(": "));
  if (text.find("At Most") != text.npos) return fmt::format("{} is given twice; give it once", option);
  if (text.ends_with("missing")) return fmt::format("{} needs a value", option);
  return fmt::format("{} takes no value", option);
}

void refuse_empty_values(CLI::App const& app, invocation const& call) {
  for (auto const* const option : app.get_options()) {
    if (std::find(never_empty.begin(), never_empty.end(), option->get_name()) == never_empty.end()) continue;
    auto const& words = option->results();
    if (std::find(words.begin(), words.end(), std::string{}) == words.end()) continue;
    throw usage_error(fmt::format("{}: the value is empty; give one, or leave the option out ('packetwarp {} --help')",
                                  option->get_name(), call.command));
  }
}

}  // namespace

namespace {

// "--within --control PATH" gives the first option the second one's name, and leaves a word.
void refuse_names_as_values(CLI::App const& app) {
  for (auto const* const one : app.get_options()) {
    for (auto const& value : one->results()) {
      if (value.starts_with("--") && app.get_option_no_throw(value) != nullptr) {
        throw usage_error(fmt::format("{}: its value is missing before {}", one->get_name(), value));
      }
    }
  }
}

}  // namespace

void parse_options(CLI::App& app, invocation const& call) {
  app.set_help_flag();
  app.allow_windows_style_options(false);
  refuse_misplaced(app, call);
  auto words = call.options;
  std::reverse(words.begin(), words.end());  // CLI11 takes them from the back
  try {
    app.parse(words);
  } catch (CLI::ExtrasError const&) {
    refuse_names_as_values(app);
    auto const rest = app.remaining();
    auto const wrong = rest.empty() ? std::string{"?"} : rest.front();
    if (auto const elsewhere = where_else(wrong, call); !elsewhere.empty()) throw usage_error(elsewhere);
    auto const what = takes_words(app) && !wrong.starts_with('-') ? "a word too many" : "no such option";
    throw usage_error(fmt::format("{}: {}; 'packetwarp {} --help' lists them", wrong, what, call.command));
  } catch (CLI::ArgumentMismatch const& wrong) {
    throw usage_error(fmt::format("{}; 'packetwarp {} --help' says how", mismatch_of(wrong), call.command));
  } catch (CLI::ParseError const& wrong) {
    throw usage_error(fmt::format("{}; 'packetwarp {} --help' says how", wrong.what(), call.command));
  }
  refuse_empty_values(app, call);
}

}  // namespace packetwarp
