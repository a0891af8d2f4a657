// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
// Packets that cost a GPU's warps much time, as a stranger may send them, and a few of a bystander between them:
// their alerts are all there. How long a group takes is bounded (shared_budget.h); the kernels' times are printed by
// GoogleTest.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "fixtures/packet_builder.h"
#include "inspection/device/stage_by_warps.h"

namespace packetwarp::test {
namespace {

constexpr unsigned strangers = 100;
constexpr std::uint32_t strangers_sid = 1000;

struct flood {
  std::string rules;
  std::vector<std::string> payloads;
};

frame_bytes frame_to(std::uint16_t port, std::string const& text) {
  auto const* raw = reinterpret_cast<std::byte const*>(text.data());
  return packet_builder{}.eth().ipv4().udp(4000, port).payload(bytes{raw, raw + text.size()}).build();
}

// Six packets of the flood, one of a stranger, and so on.
void expect_strangers_alerts(flood const& of) {
  stage_bed bed{fmt::format("alert udp any any -> any 9 (content:\"stranger\"; sid:{};)\n", strangers_sid) + of.rules,
                judged_alone, 1, expressions::later, table_place{.gpu = 0}};
  std::vector<frame_bytes> frames;
  for (unsigned n = 0; n < strangers; ++n) {
    for (unsigned i = 0; i < 6; ++i) frames.push_back(frame_to(7, of.payloads[(6 * n + i) % of.payloads.size()]));
    frames.push_back(frame_to(9, "a stranger"));
  }
  (void)judged_by_warps(bed, frames);
  EXPECT_EQ(bed.alerts().at(strangers_sid), strangers);
}

// Each packet is equal to 60 rules for long.
TEST_F(inspection_by_warps, gives_strangers_alerts_in_a_flood_of_partial_matches) {
  flood made;
  std::string windows;
  std::string const ends = "0123456789bcdefghijklmnopqrstuvwxyz!#$%&()*+-./<=>?@[]^_{}~";
  for (unsigned n = 0; n < ends.size(); ++n) {
    made.rules += fmt::format("alert udp any any -> any 7 (content:\"{}|{:02x}|\"; sid:{};)\n", std::string(300, 'a'),
                              static_cast<unsigned>(ends[n]), n + 1);
    windows += fmt::format(",{}{}", std::string(7, 'a'), ends[n]);
  }
  made.payloads = {fmt::format("{}{}", std::string(1400 - windows.size(), 'a'), windows)};
  expect_strangers_alerts(made);
}

// An expression whose automaton looks at all of its bits for each byte, and begins at each of 175 places.
TEST_F(inspection_by_warps, gives_strangers_alerts_in_a_flood_of_costly_expressions) {
  std::string payload;
  for (unsigned n = 0; n < 175; ++n) payload += "stranger";
  expect_strangers_alerts(
      {"alert udp any any -> any 7 (content:\"stranger\"; "
       "pcre:\"/(?:ab|cd|ef).{60}[x-z].{60}(?:gh|ij){1,20}[0-9]/R\"; sid:1;)\n",
       {payload}});
}

// The same of 30 rules, so that the lanes of a warp go one after the other.
TEST_F(inspection_by_warps, gives_strangers_alerts_in_a_flood_of_expressions_that_differ) {
  flood made;
  std::string words;
  for (unsigned n = 0; n < 30; ++n) {
    made.rules += fmt::format(
        "alert udp any any -> any 7 (content:\"word{:02}\"; "
        "pcre:\"/(?:ab|cd|ef).{{{}}}[x-z].{{60}}(?:gh|ij){{1,20}}[0-9]/R\"; sid:{};)\n",
        n, 30 + n, n + 1);
    words += fmt::format("word{:02}", n);
  }
  std::string payload;
  while (payload.size() + words.size() <= 1400) payload += words;
  made.payloads = {payload};
  expect_strangers_alerts(made);
}

// Each attempt is a long one for one packet of 32.
TEST_F(inspection_by_warps, gives_strangers_alerts_in_a_flood_of_long_words_in_turns) {
  std::string word;
  for (unsigned n = 0; n < 9; ++n) word += fmt::format("{}b", std::string(31, 'a'));
  flood made;
  std::string windows;
  unsigned sid = 0;
  for (char const end : std::string{"cdefghijk"}) {
    made.rules += fmt::format("alert udp any any -> any 7 (content:\"{}{}\"; sid:{};)\n", word, end, ++sid);
    windows += fmt::format(",{}{}", word.substr(word.size() - 7), end);
  }
  std::string text;
  for (unsigned n = 0; n < 5; ++n) text += word;
  for (unsigned n = 0; n < 32; ++n) {
    auto const whole = fmt::format("{}{}{}", text.substr(n), text.substr(0, n), windows);
    made.payloads.push_back(whole.substr(whole.size() - 1400));
  }
  expect_strangers_alerts(made);
}

}  // namespace
}  // namespace packetwarp::test
