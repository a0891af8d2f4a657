// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/generate/questions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/log/log.h"
#include "model/printable.h"
#include "telemetry/text_table.h"

namespace packetwarp {
namespace {

using traffic::capture;
using traffic::packet_class;

[[nodiscard]] capture read_capture(std::string const& file) {
  auto made = capture::read(file);
  if (!made.problem().empty()) log().warn("{}; the packets before that are sent", made.problem());
  return made;
}

constexpr std::string_view normal_name = "normal";
constexpr std::size_t longest_name = 64;

[[nodiscard]] bool is_normal_in_some_case(std::string_view line) {
  return std::equal(line.begin(), line.end(), normal_name.begin(), normal_name.end(),
                    [](char a, char b) { return a == b || (a >= 'A' && a <= 'Z' && a - 'A' + 'a' == b); });
}

// The reason why a line is no label; empty if it is one.
[[nodiscard]] std::string_view why_no_label(std::string_view line) {
  if (line.empty()) return "is empty";
  if (line.back() == '\r') return "ends in a carriage return";
  if (line.size() > longest_name) return "is too long";
  auto const is_allowed = [](char c) { return c > ' ' && c <= '~' && c != ','; };
  if (!std::all_of(line.begin(), line.end(), is_allowed)) return "has another character";
  if (line != normal_name && is_normal_in_some_case(line)) return "differs from 'normal' in capital letters";
  return {};
}

[[nodiscard]] packet_class class_of(std::string const& line, std::string const& path, std::size_t number) {
  if (auto const why = why_no_label(line); !why.empty()) {
    throw usage_error(
        fmt::format("{}:{}: '{}' {}; a line is 'normal' or the name of an attack, 1 to {} printable ASCII characters "
                    "without spaces and commas",
                    path, number, model::printable(line), why, longest_name));
  }
  return line == normal_name ? packet_class::normal : packet_class::anomalous;
}

[[nodiscard]] std::string labels_of(std::string const& file) {
  return std::filesystem::path{file}.replace_extension(".labels").string();
}

// A line per packet: normal, or the name of the attack.
[[nodiscard]] std::vector<packet_class> read_labels(std::string const& file, capture const& recorded) {
  auto const path = labels_of(file);
  std::ifstream in{path};
  if (!in) {
    throw usage_error(
        fmt::format("--labelled {}: its labels, {}, cannot be read: {}; they are a line per packet, normal "
                    "or the name of an attack",
                    file, path, std::strerror(errno)));
  }
  std::vector<packet_class> labels;
  for (std::string line; std::getline(in, line);) {
    labels.push_back(class_of(line, path, labels.size() + 1));
  }
  auto const packets = recorded.packets().size() + recorded.skipped();
  if (labels.size() != packets || recorded.skipped() != 0) {
    throw usage_error(
        fmt::format("--labelled {}: {} has {} lines for {} packets, {} of them recorded only in part; "
                    "each packet must be whole and have a line",
                    file, path, labels.size(), packets, recorded.skipped()));
  }
  return labels;
}

}  // namespace

void declare(CLI::App& app, question_request& typed) {
  app.add_option("--benign", typed.benign);
  app.add_option("--attack", typed.attack);
  app.add_option("--labelled", typed.labelled);
}

std::vector<std::string> files_of(question_request const& request) {
  std::vector<std::string> files;
  for (auto const& file : {request.benign, request.attack, request.labelled}) {
    if (file) files.push_back(*file);
  }
  if (request.labelled) files.push_back(labels_of(*request.labelled));
  return files;
}

std::shared_ptr<traffic::questions const> read_questions(question_request const& request) {
  auto made = std::make_shared<traffic::questions>(request.pace);
  auto const add = [&](std::optional<std::string> const& file, packet_class known) {
    if (!file) return;
    auto const recorded = read_capture(*file);
    made->add(recorded, std::vector(recorded.packets().size(), known));
  };
  add(request.benign, packet_class::normal);
  add(request.attack, packet_class::anomalous);
  if (request.labelled) {
    auto const recorded = read_capture(*request.labelled);
    made->add(recorded, read_labels(*request.labelled, recorded));
  }
  made->sort();
  if (made->is_empty()) {
    throw usage_error("no packet of the captures can be answered: whole IPv4 or IPv6 between two hosts is required");
  }
  if (made->left_out() != 0) {
    log().warn(
        "{} packets are left out, because a device does not answer them: ARP, neighbour discovery, fragments, "
        "groups, or malformed",
        made->left_out());
  }
  return made;
}

std::string describe(traffic::questions const& asked) {
  using telemetry::with_separators;
  return fmt::format("{} packets: {} normal, {} anomalous", with_separators(asked.count()),
                     with_separators(asked.count_of(packet_class::normal)),
                     with_separators(asked.count_of(packet_class::anomalous)));
}

}  // namespace packetwarp
