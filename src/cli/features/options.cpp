// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/features/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/error.h"

namespace packetwarp {
namespace {

constexpr std::size_t longest_label = 64;

[[nodiscard]] bool is_label(std::string_view text) {
  return text.size() <= longest_label && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
                  c == '-';
         });
}

}  // namespace

features_options parse_features_options(invocation const& given) {
  auto const call = with_words_as_options(given);
  features_options options;
  CLI::App app;
  app.add_option("--pcap", options.pcap);
  app.add_option("--out", options.out);
  auto* const label = app.add_option("--label", options.label);
  parse_options(app, call);
  if (options.pcap.empty()) throw usage_error("features: give the capture: --pcap FILE");
  if (options.out.empty()) throw usage_error("--out: give a file, or - for standard output");
  if (label->count() != 0 && (options.label.empty() || !is_label(options.label))) {
    throw usage_error(
        fmt::format("--label '{}': give 1 to {} letters, digits, '_', '.' and '-'", options.label, longest_label));
  }
  return options;
}

}  // namespace packetwarp
