// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/generate/stl.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "bench/child_process.h"
#include "cli/option_values.h"
#include "cli/python_tool.h"

namespace packetwarp {
namespace {

constexpr std::chrono::minutes reading_patience{1};
constexpr int exit_with_help = 3;  // of the reader: the profile's own argparse has printed its help

// The last line that is not blank: Python's own messages come before it.
std::string last_line(std::string const& text) {
  auto const end = text.find_last_not_of(" \r\n");
  if (end == std::string::npos) return {};
  auto const start = text.find_last_of('\n', end);
  return text.substr(start == std::string::npos ? 0 : start + 1,
                     end - (start == std::string::npos ? 0 : start + 1) + 1);
}

std::shared_ptr<traffic::stl::program const> read_profile(std::string const& file, port_id port,
                                                          std::string const& tunables) {
  auto const tool = find_python_tool("read_stl_profile.py");
  bench::child_process reader{
      tool.interpreter,
      {tool.interpreter, tool.script, fmt::format("--port={}", port.value()), "--tunables=" + tunables, "--", file}};
  using pause = bench::child_process::pause;
  auto const pause_for = reader.wait_for_end(bench::child_process::clock::now() + reading_patience);
  if (pause_for == pause::late) throw failure(fmt::format("--stl {}: still being read after a minute", file));
  if (pause_for == pause::stopped) throw failure(fmt::format("--stl {}: stopped while it was read", file));
  auto const end = reader.collect();
  auto const said = last_line(reader.errors());
  if (end.status == exit_with_help) throw profile_help(reader.output());
  if (end.status == exit_usage) throw usage_error("--stl: " + said);
  if (end.status != exit_success) throw failure(fmt::format("--stl {}: its reader: {}: {}", file, end.words, said));
  try {
    return std::make_shared<traffic::stl::program const>(traffic::stl::parse_program(reader.output()));
  } catch (failure const& wrong) {
    throw failure(fmt::format("--stl {}: {}", file, wrong.what()));
  }
}

void refuse_twice_named(std::vector<port_id> const& ports) {
  for (auto at = ports.begin(); at != ports.end(); ++at) {
    if (std::find(ports.begin(), at, *at) == at) continue;
    throw usage_error(fmt::format("-p: port {} is named twice; a port sends one profile", at->value()));
  }
}

// Ports send in ascending order; each keeps its own profile.
void sort_by_port(stl_request& request) {
  bool const has_one_each = request.files.size() == request.ports.size();
  std::vector<std::pair<port_id, std::string>> pairs;
  for (std::size_t i = 0; i < request.ports.size(); ++i) {
    pairs.emplace_back(request.ports[i], request.files[has_one_each ? i : 0]);
  }
  std::stable_sort(pairs.begin(), pairs.end(), [](auto const& a, auto const& b) { return a.first < b.first; });
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    request.ports[i] = pairs[i].first;
    if (has_one_each) request.files[i] = pairs[i].second;
  }
}

}  // namespace

void declare(CLI::App& app, typed_stl_options& typed) {
  app.add_option("--stl", typed.files);
  app.add_option("-t", typed.tunables);
  app.add_option("-m", typed.faster);
  app.add_option("-p", typed.ports);
}

void refuse_without_stl(typed_stl_options const& typed) {
  if (typed.files) return;
  for (auto const& [given, name] :
       {std::pair{typed.tunables.has_value(), "-t"}, std::pair{typed.faster.has_value(), "-m"},
        std::pair{typed.ports.has_value(), "-p"}}) {
    if (given) throw usage_error(fmt::format("{}: is about a TRex profile; give one with --stl FILE", name));
  }
}

std::string_view stl_settles_it(std::string_view option) {
  if (option == "--rate") return "a profile has its own rates; -m gives a factor, or a rate: -m 10mpps";
  if (option == "-q") return "a profile is sent on one queue of a port, to keep its order";
  if (option == "--tx-ports") return "-p says which ports send a profile";
  if (option == "--check") return "a profile's packets carry no signature; their own checksums are checked";
  return "the packets are the profile's; leave it out";
}

stl_request parse_stl_request(typed_stl_options const& typed) {
  stl_request made;
  std::string_view rest = *typed.files;
  while (true) {
    auto const end = std::min(rest.find(','), rest.size());
    made.files.emplace_back(rest.substr(0, end));
    if (made.files.back().empty()) throw usage_error("--stl: an empty name; give FILE, or FILE,FILE for two ports");
    if (end == rest.size()) break;
    rest.remove_prefix(end + 1);
  }
  made.tunables = typed.tunables.value_or("");
  if (typed.faster) made.faster = traffic::stl::parse_multiplier(*typed.faster, "-m");
  made.ports_by = typed.ports ? "-p" : "--stl";
  if (typed.ports) {
    made.ports = parse_ports(*typed.ports, "-p");
  } else {
    for (std::size_t i = 0; i < made.files.size(); ++i) made.ports.emplace_back(static_cast<std::uint16_t>(i));
  }
  if (made.ports.empty()) throw usage_error("-p: none sends; give ports, as 0 or 0,1");
  refuse_twice_named(made.ports);
  if (made.files.size() != 1 && made.files.size() != made.ports.size()) {
    throw usage_error(fmt::format("--stl: {} profiles for {} port{}; give one for each of -p, or one for all",
                                  made.files.size(), made.ports.size(), made.ports.size() == 1 ? "" : "s"));
  }
  sort_by_port(made);
  return made;
}

std::vector<std::shared_ptr<traffic::stl::program const>> read_profiles(stl_request const& request) {
  std::vector<std::shared_ptr<traffic::stl::program const>> all;
  for (std::size_t i = 0; i < request.ports.size(); ++i) {
    all.push_back(read_profile(request.files[request.files.size() == 1 ? 0 : i], request.ports[i], request.tunables));
  }
  return all;
}

std::string describe(std::vector<std::shared_ptr<traffic::stl::program const>> const& programs) {
  std::string text;
  for (auto const& one : programs) {
    auto const streams = one->streams.size();
    text += fmt::format("{}{}, {} stream{}", text.empty() ? "" : "; ", one->name, streams, streams == 1 ? "" : "s");
  }
  return text;
}

}  // namespace packetwarp
