// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "base/units.h"

#include <gmock/gmock.h>

#include <clocale>
#include <vector>

#include "base/error.h"

namespace packetwarp {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

template <class Value>
struct accepted {
  std::string_view text;
  Value value;
};

struct refused {
  std::string_view text;
  std::string_view problem;
};

template <class Parse>
std::string complaint(Parse parse, std::string_view text) {
  try {
    static_cast<void>(parse(text, "--option"));
  } catch (usage_error const& error) {
    return error.what();
  }
  return "no complaint";
}

template <class Parse>
void expect_refused(Parse parse, std::vector<refused> const& table) {
  for (auto const& [text, problem] : table) {
    EXPECT_THAT(complaint(parse, text),
                AllOf(StartsWith("--option: '"), HasSubstr("' " + std::string{problem} + "; expected "),
                      testing::Not(HasSubstr("\n"))))
        << "given '" << text << "'";
  }
}

TEST(parse_count, takes_decimal_factors_and_fractions_that_come_out_whole) {
  std::vector<accepted<std::uint64_t>> const table{{"0", 0},
                                                   {"64", 64},
                                                   {"8k", 8'000},
                                                   {"1.5m", 1500'000},
                                                   {"2g", 2'000'000'000},
                                                   {"2G", 2'000'000'000},
                                                   {"1.1k", 1'100},
                                                   {"0.001k", 1},
                                                   {"3 k", 3'000},
                                                   {"7.000", 7},
                                                   {"007", 7},
                                                   {"18446744073709551615", 18'446'744'073'709'551'615u}};
  for (auto const& [text, value] : table) EXPECT_EQ(parse_count(text, "-b"), value) << text;
}

TEST(parse_count, refuses_what_is_no_whole_count) {
  expect_refused(parse_count, {{"", "is empty"},
                               {"-5", "is negative"},
                               {"+5", "is not a number"},
                               {"nan", "is not a number"},
                               {"inf", "is not a number"},
                               {" 5", "is not a number"},
                               {".5k", "is not a number"},
                               {"5.k", "has no digit after the point"},
                               {"5 ", "ends in a blank"},
                               {"1e6", "has no such unit"},
                               {"0x10", "has no such unit"},
                               {"5,000", "has no such unit"},
                               {"1.5", "is not a whole number of things"},
                               {"1.2345k", "is not a whole number of things"},
                               {"0.1234567890123456789k", "has too many digits after the point"},
                               {"18446744073709551616", "is too large"},
                               {"18446744073709552k", "is too large"}});
}

TEST(parse_size, takes_binary_factors_with_and_without_b) {
  std::vector<accepted<std::uint64_t>> const table{{"2048", 2048},
                                                   {"2048b", 2048},
                                                   {"64k", 65'536},
                                                   {"64kb", 65'536},
                                                   {"64KiB", 65'536},
                                                   {"1m", 1'048'576},
                                                   {"1.5k", 1'536},
                                                   {"1g", 1ull << 30},
                                                   {"1 GiB", 1ull << 30},
                                                   {"0.5gb", 1ull << 29},
                                                   {"17179869183g", 17'179'869'183ull << 30}};
  for (auto const& [text, value] : table) EXPECT_EQ(parse_size(text, "-s"), value) << text;
}

TEST(parse_size, refuses_parts_of_bytes_and_unknown_units) {
  expect_refused(parse_size, {{"1.3k", "is not a whole number of bytes"},
                              {"64ib", "has no such unit"},
                              {"64kbit", "has no such unit"},
                              {"17179869184g", "is too large"},
                              {"-1k", "is negative"}});
}

TEST(parse_duration, takes_every_unit_and_a_bare_zero) {
  std::vector<accepted<std::chrono::nanoseconds>> const table{
      {"0", 0ns},        {"0.0", 0ns}, {"0s", 0ns},    {"500ns", 500ns}, {"40us", 40us},
      {"1.5ms", 1500us}, {"2s", 2s},   {"10m", 10min}, {"1h", 1h},       {"20 US", 20us}};
  for (auto const& [text, value] : table) EXPECT_EQ(parse_duration(text, "-t"), value) << text;
}

TEST(parse_duration, refuses_missing_units_and_parts_of_nanoseconds) {
  expect_refused(parse_duration, {{"5", "has no unit"},
                                  {"0.5ns", "is not a whole number of nanoseconds"},
                                  {"3 days", "has no such unit"},
                                  {"9223372037s", "is too large"},
                                  {"-1s", "is negative"}});
}

TEST(parse_duration, says_the_grammar_in_one_line) {
  EXPECT_EQ(
      complaint([](auto text, auto) { return parse_duration(text, "--burst-timeout"); }, "20 parsecs"),
      "--burst-timeout: '20 parsecs' has no such unit; expected a number with ns, us, ms, s, m or h, such as 20us");
}

TEST(parse_duration, shows_hostile_text_on_one_short_line) {
  auto const said = complaint(parse_duration, "5\n\x1b[31m" + std::string(1'000, 'x'));
  EXPECT_THAT(said, HasSubstr("'5??[31mxxx"));
  EXPECT_LT(said.size(), 200u);
}

TEST(parse_rate, takes_packets_bits_percentages_and_max) {
  using unit = rate::unit;
  std::vector<accepted<rate>> const table{{"10mpps", {10e6, unit::packets_per_second}},
                                          {"148.8mpps", {148.8e6, unit::packets_per_second}},
                                          {"900 pps", {900, unit::packets_per_second}},
                                          {"1.25kpps", {1'250, unit::packets_per_second}},
                                          {"1gbps", {1e9, unit::l2_bits_per_second}},
                                          {"1Gbpsl2", {1e9, unit::l2_bits_per_second}},
                                          {"1gbpsL1", {1e9, unit::l1_bits_per_second}},
                                          {"0.4tbps", {400e9, unit::l2_bits_per_second}},
                                          {"50%", {50, unit::line_percent}},
                                          {"99.99 %", {99.99, unit::line_percent}},
                                          {"MAX", {0, unit::unlimited}}};
  for (auto const& [text, value] : table) {
    EXPECT_DOUBLE_EQ(parse_rate(text, "--rate").value, value.value) << text;
    EXPECT_EQ(parse_rate(text, "--rate").in, value.in) << text;
  }
}

TEST(parse_rate, refuses_what_cannot_be_sent) {
  expect_refused(parse_rate, {{"0pps", "sends nothing"},
                              {"0%", "sends nothing"},
                              {"100.1%", "is more than the line carries"},
                              {"10", "has no unit"},
                              {"10m", "has no such unit"},
                              {"10xpps", "has no such unit"},
                              {"10gbpsl3", "has no such unit"},
                              {"maximum", "is not a number"},
                              {"infpps", "is not a number"},
                              {"-1mpps", "is negative"}});
}

TEST(parse_rate, does_not_ask_the_locale) {
  char const* const comma = std::setlocale(LC_ALL, "de_DE.UTF-8");
  EXPECT_DOUBLE_EQ(parse_rate("1.5gbps", "--rate").value, 1.5e9);
  EXPECT_EQ(complaint(parse_rate, "1,5gbps").find("no complaint"), std::string::npos);
  EXPECT_EQ(format_si(12'300'000), "12.3 M");
  if (comma != nullptr) std::setlocale(LC_ALL, "C");
}

}  // namespace
}  // namespace packetwarp
