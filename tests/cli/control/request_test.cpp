// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "request/request.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "base/error.h"
#include "cli/control/control_path.h"

namespace packetwarp {
namespace {

TEST(request, is_read_from_its_line_and_written_back) {
  auto const read = parse_request(R"({"arguments":{"limit":"10"},"command":"nat sessions"})");
  EXPECT_EQ(read.command, "nat sessions");
  EXPECT_EQ(read.find("limit"), "10");
  EXPECT_EQ(read.find("protocol"), std::nullopt);
  EXPECT_EQ(to_line(read), R"({"command":"nat sessions","arguments":{"limit":"10"}})");
}

TEST(request, that_is_none_is_refused_by_one_line) {
  for (auto const* wrong :
       {"", "{", "[]", "7", R"("nat")", "{}", R"({"command":""})", R"({"command":7})", R"({"command":"a"} x)",
        R"({"command":"a","arguments":[]})", R"({"command":"a","arguments":{"limit":10}})",
        R"({"command":"a","more":1})", "\xff\xfe", R"({"command":"a","command":"b"})",
        R"({"command":"a","arguments":{"limit":"1","limit":"2"}})",
        R"({"command":"a","arguments":{"file":"a\u0000b"}})", R"({"command":"a\u0000"})"}) {
    try {
      (void)parse_request(wrong);
      ADD_FAILURE() << wrong;
    } catch (usage_error const& error) {
      EXPECT_EQ(std::string_view{error.what()}.find('\n'), std::string_view::npos);
      EXPECT_NE(std::string_view{error.what()}.find("such as"), std::string_view::npos) << error.what();
    }
  }
}

TEST(request, nested_deeper_than_any_is_refused_before_it_is_read) {
  for (auto const* bracket : {"[", R"({"a":)"}) {
    std::string line;
    while (line.size() < 65000) line += bracket;
    try {
      (void)parse_request(line);
      ADD_FAILURE() << bracket;
    } catch (usage_error const& error) {
      EXPECT_NE(std::string_view{error.what()}.find("nested deeper"), std::string_view::npos) << error.what();
    }
  }
  EXPECT_EQ(parse_request(R"({"command":"flow","arguments":{"text":"[[[[[[ \" {{{{{{ \\"}})").find("text"),
            R"([[[[[[ " {{{{{{ \)");
}

// The parser compares each key with all others before it.
TEST(request, with_more_keys_than_any_is_refused_before_it_is_read) {
  auto const line_of = [](int arguments) {
    std::string line = R"({"command":"flow","arguments":{)";
    for (int n = 0; n < arguments; ++n) line += (n == 0 ? "\"" : ",\"") + std::to_string(n) + R"(":":::\":")";
    return line + "}}";
  };
  for (auto const& line : {line_of(5000), line_of(63)}) {
    try {
      (void)parse_request(line);
      ADD_FAILURE() << line.size();
    } catch (usage_error const& error) {
      EXPECT_NE(std::string_view{error.what()}.find("more keys"), std::string_view::npos) << error.what();
    }
  }
  EXPECT_EQ(parse_request(line_of(62)).arguments.size(), 62u);
}

TEST(request, with_an_argument_that_its_command_does_not_know_is_refused) {
  request const asked{.command = "nat stats", .arguments = {{"limit", "1"}}};
  EXPECT_NO_THROW(asked.require_known({"inside", "limit"}));
  EXPECT_THROW(asked.require_known({}), usage_error);
}

TEST(answer, is_one_line_with_a_status) {
  EXPECT_EQ(success_line("ok"), R"({"status":0,"result":"ok"})");
  EXPECT_EQ(error_line(2, "wrong\nby far \xff"), "{\"status\":2,\"error\":\"wrong\\nby far \xef\xbf\xbd\"}");
  auto const read = parse_answer(error_line(1, "why"));
  EXPECT_EQ(read.status, 1);
  EXPECT_EQ(read.error, "why");
  EXPECT_EQ(parse_answer(success_line({{"live", 7}})).result["live"], 7);
  EXPECT_FALSE(read.again);
  EXPECT_TRUE(parse_answer(to_line(answer{.status = 1, .error = "no place", .result = {}, .again = true})).again);
  EXPECT_FALSE(parse_answer(R"({"status":1,"error":"no","again":"true"})").again);
  EXPECT_THROW((void)parse_answer("HTTP/1.1 200"), failure);
  EXPECT_THROW((void)parse_answer(R"({"status":"0"})"), failure);
}

TEST(file_prefix, is_the_eals_option_or_its_default) {
  using words = std::vector<std::string>;
  EXPECT_EQ(file_prefix(words{"-l", "0"}), "rte");
  EXPECT_EQ(file_prefix(words{"--file-prefix=left", "-l", "0"}), "left");
  EXPECT_EQ(file_prefix(words{"--file-prefix", "right"}), "right");
  EXPECT_EQ(file_prefix(words{"--file-prefix=../etc"}), ".._etc");
}

}  // namespace
}  // namespace packetwarp
