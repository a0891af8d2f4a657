// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/features/options.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.h"

namespace packetwarp {
namespace {

[[nodiscard]] features_options parsed_features(std::vector<std::string> words) {
  return parse_features_options(
      {.program = "packetwarp", .command = "features", .eal = std::move(words), .options = {}, .wants_help = false});
}
[[nodiscard]] std::string refusal_of_features_words(std::vector<std::string> words) {
  try {
    (void)parsed_features(std::move(words));
  } catch (usage_error const& wrong) {
    return wrong.what();
  }
  return "accepted";
}

TEST(features_options, are_a_capture_an_output_and_a_label) {
  auto const plain = parsed_features({"--pcap", "a.pcap"});
  EXPECT_EQ(plain.pcap, "a.pcap");
  EXPECT_EQ(plain.out, "-");
  EXPECT_EQ(plain.label, "");
  auto const all = parsed_features({"--label", "port-scan_1.a", "--out=rows.csv", "--pcap", "a.pcap"});
  EXPECT_EQ(all.out, "rows.csv");
  EXPECT_EQ(all.label, "port-scan_1.a");
}

TEST(features_options, that_are_wrong_are_refused) {
  EXPECT_EQ(refusal_of_features_words({}), "features: give the capture: --pcap FILE");
  EXPECT_EQ(refusal_of_features_words({"--pcap", "a", "--out", ""}), "--out: give a file, or - for standard output");
  for (std::string const& label : {std::string{"a,b"}, std::string{"a b"}, std::string{"\""}, std::string(65, 'a')}) {
    EXPECT_EQ(refusal_of_features_words({"--pcap", "a", "--label", label}),
              "--label '" + label + "': give 1 to 64 letters, digits, '_', '.' and '-'");
  }
  EXPECT_EQ(refusal_of_features_words({"--pcap", "a", "--label", std::string(64, 'a')}), "accepted");
}

}  // namespace
}  // namespace packetwarp
