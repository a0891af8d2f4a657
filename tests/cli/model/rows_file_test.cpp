// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/model/rows_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "base/error.h"
#include "cli/model/options.h"
#include "model/integer_network.h"

namespace packetwarp {
namespace {

using testing::HasSubstr;

std::vector<std::string> const feature_names{"a", "b", "c"};

[[nodiscard]] std::vector<std::int8_t> rows_of(std::string const& text) {
  std::istringstream from{text};
  rows_file file{from, "rows.csv", feature_names};
  std::vector<std::int8_t> rows;
  while (file.read(2, rows)) continue;
  return rows;
}
[[nodiscard]] std::string refusal_of_rows(std::string const& text) {
  try {
    (void)rows_of(text);
  } catch (usage_error const& wrong) {
    return wrong.what();
  }
  return "read";
}
[[nodiscard]] std::string refusal_of_model_words(std::vector<std::string> words) {
  try {
    (void)parse_model_options(
        {.program = "packetwarp", .command = "model", .eal = std::move(words), .options = {}, .wants_help = false});
  } catch (usage_error const& wrong) {
    return wrong.what();
  }
  return "accepted";
}

TEST(rows_file, columns_are_found_by_the_names_of_the_first_line) {
  auto const rows = rows_of("c, a ,b\r\n1,2,3\n-128,127,0\n7,8,9");
  ASSERT_EQ(rows.size(), 3 * model::row_bytes);
  EXPECT_EQ(std::vector<std::int8_t>(rows.begin(), rows.begin() + 4), (std::vector<std::int8_t>{2, 3, 1, 0}));
  EXPECT_EQ(rows[model::row_bytes], 127);
  EXPECT_EQ(rows[model::row_bytes + 2], -128);
  EXPECT_EQ(rows[2 * model::row_bytes + 1], 9);
}

TEST(rows_file, a_line_without_an_end_is_refused) {
  std::string const longest(rows_file::longest_line, ' ');
  EXPECT_EQ(refusal_of_rows("a,b,c\n" + longest + "1,2,3\n"), "rows.csv:2: is longer than 65536 characters");
  EXPECT_EQ(refusal_of_rows("a,b,c\n1,2,3\n" + longest + "\n"), "read");
  EXPECT_EQ(refusal_of_rows("a,b,c\n1,2,3\n1,2"), "rows.csv:3: has 2 values for 3 features") << "without a line end";
}

TEST(rows_file, lines_are_empty_at_the_end_alone) {
  EXPECT_EQ(rows_of("a,b,c\n1,2,3\n\n \r\n\n").size(), model::row_bytes);
  EXPECT_EQ(refusal_of_rows("\n \n"), "rows.csv: is empty; its first line names the features");
  EXPECT_EQ(refusal_of_rows("a,b,c\n1,2,3\n\n\t\n4,5,6\n"), "rows.csv:3: is empty; only lines at the end may be");
  EXPECT_EQ(refusal_of_rows("a,b,c\n1,2,3\n4,5,6\n\n7,8,9\n"), "rows.csv:4: is empty; only lines at the end may be");
  EXPECT_EQ(refusal_of_rows("\na,b,c\n1,2,3\n"), "rows.csv:1: is empty; only lines at the end may be");
}

TEST(rows_file, a_wrong_line_is_refused_with_its_number) {
  EXPECT_EQ(refusal_of_rows(""), "rows.csv: is empty; its first line names the features");
  EXPECT_EQ(refusal_of_rows("a,b,d\n"), "rows.csv:1: the model has no feature 'd'");
  EXPECT_EQ(refusal_of_rows("a,b\n"), "rows.csv:1: lacks the feature 'c'");
  EXPECT_EQ(refusal_of_rows("a,b,c,a\n"), "rows.csv:1: names 'a' twice");
  EXPECT_EQ(refusal_of_rows("a,b,c\n1,2,3\n1,2\n"), "rows.csv:3: has 2 values for 3 features");
  for (std::string const cell : {"128", "-129", "1.0", "", "0x1", "1 2", "99999999999999999999"}) {
    EXPECT_EQ(refusal_of_rows("a,b,c\n1," + cell + ",3\n"),
              "rows.csv:2: '" + cell + "' is no integer from -128 to 127");
  }
}

TEST(model_options, words_are_a_task_its_file_and_the_rows_or_packets) {
  EXPECT_EQ(refusal_of_model_words({"check", "m.onnx"}), "accepted");
  EXPECT_EQ(refusal_of_model_words({"run", "m.onnx", "--rows", "r.csv"}), "accepted");
  EXPECT_THAT(refusal_of_model_words({}), HasSubstr("give check or run"));
  EXPECT_THAT(refusal_of_model_words({"train", "m.onnx"}), HasSubstr("model 'train': give check or run"));
  EXPECT_THAT(refusal_of_model_words({"check"}), HasSubstr("give the model: model check FILE"));
  EXPECT_THAT(refusal_of_model_words({"run", "m.onnx"}), HasSubstr("give either the rows, --rows CSV"));
  EXPECT_EQ(refusal_of_model_words({"run", "m.onnx", "--pcap", "p.pcap"}), "accepted");
  EXPECT_THAT(refusal_of_model_words({"run", "m.onnx", "--pcap", "p.pcap", "--rows", "r.csv"}),
              HasSubstr("give either the rows, --rows CSV"));
  EXPECT_THAT(refusal_of_model_words({"check", "m.onnx", "--rows", "r.csv"}), HasSubstr("--rows"));
}

}  // namespace
}  // namespace packetwarp
