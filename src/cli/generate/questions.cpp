// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/generate/questions.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

#include "base/error.h"
#include "base/log/log.h"
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

// A line per packet: normal, or the name of the attack.
[[nodiscard]] std::vector<packet_class> read_labels(std::string const& file, capture const& recorded) {
  auto const path = std::filesystem::path{file}.replace_extension(".labels").string();
  std::ifstream in{path};
  if (!in) {
    throw usage_error(
        fmt::format("--labelled {}: its labels, {}, cannot be read: {}; they are a line per packet, normal "
                    "or the name of an attack",
                    file, path, std::strerror(errno)));
  }
  std::vector<packet_class> labels;
  for (std::string line; std::getline(in, line);) {
    labels.push_back(line == "normal" ? packet_class::normal : packet_class::anomalous);
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
