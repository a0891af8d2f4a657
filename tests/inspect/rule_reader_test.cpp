// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "inspect/language/coverage.h"
#include "inspect/language/variable_check.h"
#include "inspect/made_rules.h"

namespace packetwarp::inspect {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

TEST(rule_reader, reads_a_header_and_what_a_rule_is_called) {
  auto const set = rules_of(
      "drop udp [10.0.0.0/8,!10.1.0.0/16] 1024: <> any [53,5353:5355] (msg:\"a \\\"b\\\"\\; c\"; sid:77; gid:2; rev:3; "
      "priority:1; classtype:misc-activity; reference:url,example.net/a; metadata:created_at 2026_01_02, tag x;)");
  ASSERT_TRUE(set.problems.empty()) << set.problems.front();
  auto const& one = set.rules.at(0);
  EXPECT_EQ(one.action, rule_action::drop);
  EXPECT_EQ(one.protocol, rule_protocol::udp);
  EXPECT_TRUE(one.is_bidirectional);
  EXPECT_EQ(one.message, "a \"b\"; c");
  EXPECT_EQ(one.sid, 77U);
  EXPECT_EQ(one.gid, 2U);
  EXPECT_EQ(one.revision, 3U);
  EXPECT_EQ(one.priority, 1U);
  EXPECT_EQ(one.classtype, "misc-activity");
  EXPECT_THAT(one.references, ElementsAre("url,example.net/a"));
  auto const& source = set.addresses[one.source].ipv4;
  EXPECT_TRUE(source.has(0x0a02'0000));
  EXPECT_FALSE(source.has(0x0a01'ffff));
  EXPECT_TRUE(set.addresses[one.destination].is_all());
  auto const& ports = set.ports[one.destination_port];
  EXPECT_TRUE(ports.has(53) && ports.has(5354) && ports.has(5355));
  EXPECT_FALSE(ports.has(54) || ports.has(5356));
  EXPECT_FALSE(set.ports[one.source_port].has(1023));
}

TEST(rule_reader, replaces_variables_and_takes_only_negated_parts_for_all_others) {
  rule_set set;
  variables known;
  known.set("HOME_NET", "[192.0.2.0/24,2001:db8::/32]");
  add_rules(set, "x", "alert ip $EXTERNAL_NET any -> [!$HOME_NET,!198.51.100.7] any (sid:1;)", known);
  ASSERT_TRUE(set.problems.empty()) << set.problems.front();
  auto const& source = set.addresses[set.rules[0].source];
  EXPECT_FALSE(source.ipv4.has(0xc000'0201));
  EXPECT_TRUE(source.ipv4.has(0xc000'0301));
  EXPECT_FALSE(source.ipv6.has(uint128{0x2001'0db8'0000'0000} << 64 | 1));
  auto const& destination = set.addresses[set.rules[0].destination];
  EXPECT_FALSE(destination.ipv4.has(0xc633'6407));
  EXPECT_TRUE(destination.ipv4.has(0xc633'6408));
}

TEST(rule_reader, reads_contents_with_bytes_and_escapes) {
  auto const one =
      one_rule(rule_with(R"(content:!"a|0D 0a 3b|\;\"\\|41|"; nocase; offset:3; depth:20; fast_pattern:1,4;)"));
  auto const& content = std::get<content_check>(one.payload.at(0));
  EXPECT_EQ(content.bytes, "a\r\n;;\"\\A");
  EXPECT_TRUE(content.is_negated && content.ignores_case && content.is_fast_pattern);
  EXPECT_EQ(content.offset, 3);
  EXPECT_EQ(content.depth, 20);
  EXPECT_EQ(content.fast_first, 1);
  EXPECT_EQ(content.fast_length, 4);
}

TEST(rule_reader, joins_lines_after_a_backslash_and_names_the_place_in_the_second_one) {
  EXPECT_EQ(one_rule("# a comment\n\nalert tcp any any -> any any (content:\"a\"; \\\n  sid:9;)\n").sid, 9U);
  EXPECT_THAT(problem_of_text("alert tcp any any -> any any (content:\"a\"; \\\n  depth:-1; sid:9;)\n"),
              StartsWith("test.rules:2:9: depth: '-1' is not allowed; give a number from 0 to 65535"));
}

TEST(rule_reader, a_comment_does_not_go_on_in_the_next_line) {
  std::string const two = rule_with("content:\"a\";") + rule_with("content:\"b\";", "tcp", 2);
  for (std::string const comment : {"# C:\\rules\\\n", "  #\\\r\n", "# a \\ \n#b\\\n"})
    EXPECT_EQ(rules_of(comment + two).rules.size(), 2U) << comment;
}

TEST(rule_reader, white_space_after_a_backslash_that_ends_a_line_is_passed_over) {
  for (std::string const end : {"\\\n", "\\ \n", "\\\t\n", "\\\r\n", "\\ \r\n"})
    EXPECT_EQ(one_rule("alert tcp any any -> any any " + end + " (content:\"a\"; sid:9;)\n").sid, 9U) << end;
}

TEST(rule_reader, a_byte_order_mark_is_passed_over) {
  EXPECT_EQ(one_rule("\xef\xbb\xbf" + rule_with("content:\"a\";")).sid, 1U);
  EXPECT_THAT(problem_of_text("\xef\xbb\xbf" + rule_with("nocase;")), StartsWith("test.rules:1:31: "));
}

TEST(rule_reader, reads_keywords_in_any_case) {
  auto const one =
      one_rule("alert http any any -> any any (MSG:\"m\"; Http.Uri; Content:\"A\"; NoCase; OFFSET:1; SID:7;)\n");
  auto const& content = std::get<content_check>(one.payload.at(0));
  EXPECT_EQ(one.sid, 7U);
  EXPECT_EQ(one.message, "m");
  EXPECT_EQ(content.where, rule_buffer::http_uri);
  EXPECT_TRUE(content.ignores_case);
  EXPECT_EQ(content.offset, 1);
  EXPECT_TRUE(one.gaps.empty());
  EXPECT_EQ(one_rule(rule_with("LUA:x;")).gaps.at(0).keyword, "lua");
}

TEST(rule_reader, reads_a_long_list_of_addresses_quickly) {
  constexpr unsigned count = 60'000;
  std::string list;
  for (unsigned n = 0; n < count; ++n)
    list += fmt::format("{}10.{}.{}.{}", n == 0 ? "" : ",", n >> 15, n >> 7 & 255, (n & 127) * 2);
  auto const set = rules_of("alert ip [" + list + "] any -> any any (sid:1;)\n");
  ASSERT_TRUE(set.problems.empty()) << set.problems.front();
  EXPECT_EQ(set.addresses[set.rules[0].source].ipv4.intervals().size(), count);
}

struct mistake {
  std::string text;
  std::string place;
  std::string says;
};
class mistakes : public testing::TestWithParam<mistake> {};

TEST_P(mistakes, are_named_by_their_place_and_what_is_allowed) {
  auto const& [text, place, says] = GetParam();
  auto const said = problem_of_text(text);
  EXPECT_THAT(said, StartsWith("test.rules:" + place + ": "));
  EXPECT_THAT(said, HasSubstr(says));
}

INSTANTIATE_TEST_SUITE_P(
    all, mistakes,
    testing::Values(
        mistake{"alert tcp any any -> any any", "1:1", "'(' is missing"},
        mistake{"alert tcp any any -> any (sid:1;)", "1:26", "the header ends too early"},
        mistake{"alret tcp any any -> any any (sid:1;)", "1:1", "give alert, drop, reject or pass"},
        mistake{"alert tcp any any - any any (sid:1;)", "1:19", "give -> or <>"},
        mistake{"alert tcp 10.0.0.256 any -> any any (sid:1;)", "1:11", "is no address"},
        mistake{"alert tcp $NOWHERE any -> any any (sid:1;)", "1:11", "known are AIM_SERVERS"},
        mistake{"alert tcp any 70000 -> any any (sid:1;)", "1:15", "is no port"},
        mistake{"alert tcp any any -> any any (msg:\"a\";)", "1:1", "has no sid"},
        mistake{"alert tcp any any -> any any (sid:1)", "1:31", "a ';' is missing"},
        mistake{rule_with("sid:2;"), "1:38", "sid is given twice; keep one of the two"},
        mistake{rule_with("rev:0; rev:0;"), "1:38", "rev is given twice"},
        mistake{rule_with("gid:2; gid:2;"), "1:38", "gid is given twice"},
        mistake{rule_with("msg:\"\"; msg:\"a\";"), "1:39", "msg is given twice"},
        mistake{rule_with("content:abc;"), "1:39", "a text in double quotes"},
        mistake{rule_with("content:\"|4|\";"), "1:41", "two hexadecimal digits"},
        mistake{rule_with("content:\"|41\";"), "1:41", "the second '|'"},
        mistake{rule_with("content:\"\\n\";"), "1:40", "after a backslash"},
        mistake{rule_with("nocase;"), "1:31", "there is none"},
        mistake{rule_with("content:\"abc\"; depth:2;"), "1:52", "3 or more"},
        mistake{rule_with("content:\"abc\"; offset:1; offset:2;"), "1:56", "given twice"},
        mistake{rule_with("content:\"abc\"; fast_pattern:2,2;"), "1:59", "a piece of the content's 3 bytes"},
        mistake{rule_with("pcre:\"/a(/\";"), "1:37", "an expression that PCRE2 compiles: missing closing parenthesis"},
        mistake{rule_with("pcre:\"/a/k\";"), "1:40", "modifiers out of"},
        mistake{rule_with("byte_test:9,>,1,0;"), "1:41", "1 to 8 bytes"},
        mistake{rule_with("byte_test:1,~,1,0;"), "1:43", "< > = <= >="},
        mistake{rule_with("byte_jump:1,0,sideways;"), "1:45", "from_beginning"},
        mistake{rule_with("isdataat:4,absolute;"), "1:42", "relative or rawbytes"},
        mistake{rule_with("dsize:5<>6;"), "1:37", "with a number between"},
        mistake{rule_with("flags:X;"), "1:37", "letters out of F S R P"},
        mistake{rule_with("flow:to_server,to_client;"), "1:46", "each once"},
        mistake{rule_with("flowbits:set;"), "1:40", "set,NAME"},
        mistake{rule_with("flow:stateless,established;"), "1:46", "each once"},
        mistake{rule_with("flow:not_established; flow:stateless;"), "1:58", "each once"},
        mistake{rule_with("flow:only_stream,no_stream;"), "1:48", "each once"},
        mistake{rule_with("flow:no_frag,only_frag;"), "1:44", "each once"},
        mistake{"alert tcp 10.0.77.0/255.0.255.0 any -> any any (sid:1;)", "1:21", "is no netmask"},
        mistake{"alert tcp 10.0.77.0/0.0.0.255 any -> any any (sid:1;)", "1:21", "is no netmask"},
        mistake{rule_with("content:\"a\"; content:\"b\"; distance:1; offset:1;"), "1:69",
                "count from the match before"},
        mistake{rule_with("content:\"a\"; content:\"b\"; depth:3; WITHIN:5;"), "1:66", "count from the match before"},
        mistake{rule_with("content:\"a\"; startswith; distance:1;"), "1:56", "count from the match before"},
        mistake{rule_with("content:\"a\"; fast_pattern; content:\"b\"; fast_pattern;"), "1:71", "given twice"},
        mistake{rule_with("pcre:\"/a/R\"; content:\"b\";"), "1:31", "no content or pcre is before it"},
        mistake{rule_with("http.host; content:\"aBc\";", "http"), "1:43", "http.host is in small letters"},
        mistake{rule_with("content:!\"A\"; http_host;", "http"), "1:32", "http.host is in small letters"},
        mistake{rule_with("http.host; dotprefix; content:\".A\";", "http"), "1:54", "http.host is in small letters"},
        mistake{rule_with("http.method; content:\"GET \";", "http"), "1:45", "no blanks around it"},
        mistake{rule_with("http.method; content:\"|09|GET\";", "http"), "1:45", "no blanks around it"},
        mistake{rule_with("http.uri; content:\"abcdef\"; bsize:3;", "http"), "1:42",
                "needs 6 bytes, and the buffer's size is 3"},
        mistake{rule_with("http.uri; bsize:<5; content:\"abcdef\";", "http"), "1:52", "the buffer's size is 5 at most"},
        mistake{rule_with("http.uri; bsize:2<>7; content:\"abcdef\"; offset:2;", "http"), "1:54", "needs 8 bytes"},
        mistake{rule_with("metadata:;"), "1:31", "metadata has no value; give one"},
        mistake{rule_with("METADATA: ;"), "1:31", "metadata has no value; give one"},
        mistake{rule_with("classtype:;"), "1:31", "classtype has no value; give one"},
        mistake{rule_with("reference;"), "1:31", "reference has no value; give one"},
        mistake{rule_with("target:;"), "1:31", "target has no value; give one"},
        mistake{rule_with("threshold:type limit, track by_src, count 1;"), "1:41", "seconds N"}));

TEST(rule_reader, takes_rules_that_are_near_a_contradiction) {
  for (auto const* keywords :
       {"http.host; content:\"ABC\"; nocase;", "http.host.raw; content:\"ABC\";",
        "http.method; content:\"G T\"; content:\"|0a|\";", "http.uri; content:\"abc\"; bsize:3;",
        "http.uri; content:!\"abcdef\"; bsize:3;", "http.uri; pcre:\"/a/R\";",
        "http.uri; content:\"abcdef\"; http.user_agent; bsize:3;",
        "tls.cert_subject; bsize:3; tls.cert_issuer; content:\"abcdef\";",
        "content:\"a\"; pcre:\"/a/R\"; pcre:\"/b/R\";", "flow:established,to_server,only_stream,no_frag;",
        "flow:stateless,to_server;", "content:\"a\"; offset:1; depth:3;",
        "http.uri; content:\"abcdef\"; bsize:>3; bsize:!6;", "http.uri; content:\"abcdef\"; bsize:<6;"}) {
    auto const set = rules_of(rule_with(keywords, "http"));
    EXPECT_TRUE(set.problems.empty()) << set.problems.front();
  }
  EXPECT_TRUE(rules_of("alert ip 10.0.0.0/255.255.0.0 any -> [10.0.0.1/0.0.0.0,1.1.1.1/255.255.255.255] any (sid:1;)")
                  .problems.empty());
}

TEST(rule_reader, says_that_nothing_is_left_of_a_value) {
  variables known;
  known.set("HOME_NET", "0.0.0.0/0");
  EXPECT_EQ(problem_of_value("!$HOME_NET", known), "'!$HOME_NET' leaves nothing");
  EXPECT_EQ(problem_of_value("$EXTERNAL_NET", known), "'$EXTERNAL_NET' leaves nothing");
  EXPECT_EQ(problem_of_value("[22,!20:30]", known), "'[22,!20:30]' leaves nothing");
  EXPECT_EQ(problem_of_value("$HOME_NET", known), "");
}

TEST(rule_reader, goes_on_after_a_malformed_rule) {
  auto const set = rules_of(rule_with("nocase;") + rule_with("content:\"a\";") + rule_with("depth:1;"));
  EXPECT_EQ(set.problems.size(), 2U);
  EXPECT_EQ(set.rules.size(), 1U);
}

TEST(rule_reader, takes_the_most_urgent_of_several_priorities) {
  EXPECT_EQ(one_rule(rule_with("priority:3; priority:2; priority:4;")).priority, 2U);
}

TEST(rule_files, have_the_newest_revision_of_a_rule_and_no_rule_twice) {
  auto const path = [](std::string const& name, std::string const& text) {
    auto const made = testing::TempDir() + "rule_reader_test_" + name;
    std::ofstream{made} << text;
    return made;
  };
  std::vector<std::string> const paths{
      path("a.rules", rule_with("msg:\"old\"; rev:2;") + rule_with("gid:2; msg:\"other\";")),
      path("b.rules", rule_with("msg:\"new\"; rev:3;") + rule_with("msg:\"older\"; gid:1;")),
      path("c.rules", rule_with("msg:\"alike\"; rev:3;") + rule_with("msg:\"new\"; rev:3;"))};
  auto const set = read_rule_files(paths, {});
  EXPECT_THAT(set.problems, testing::IsEmpty());
  std::vector<std::string> messages;
  for (auto const& one : set.rules) messages.push_back(one.message);
  EXPECT_THAT(messages, ElementsAre("other", "new", "alike"));
  EXPECT_EQ(set.replaced, 3U);
  EXPECT_EQ(coverage_of(set).alike, 1U);
}

// Addresses of a group, as Suricata takes them: 10.0.0.1, 10.0.0.2, 192.0.2.1, 2001:db8::1 and 2001:db8::2.
[[nodiscard]] std::string taken_by(std::string const& group) {
  rule_set set;
  variables known;
  known.set("A", "[10.0.0.1,!10.0.0.2]");
  add_rules(set, "x", "alert ip " + group + " any -> any any (sid:1;)", known);
  if (!set.problems.empty()) return set.problems.front();
  auto const& of = set.addresses[set.rules[0].source];
  std::string made;
  for (auto const v4 : {0x0a00'0001U, 0x0a00'0002U, 0xc000'0201U}) made += of.ipv4.has(v4) ? '1' : '0';
  for (auto const v6 : {1, 2}) made += of.ipv6.has((uint128{0x2001'0db8'0000'0000} << 64) + unsigned(v6)) ? '1' : '0';
  return made;
}

TEST(rule_reader, negated_addresses_are_of_their_ip_version) {
  EXPECT_EQ(taken_by("any"), "11111");
  EXPECT_EQ(taken_by("ANY"), "11111");
  EXPECT_EQ(taken_by("!10.0.0.1"), "01100");
  EXPECT_EQ(taken_by("[!10.0.0.1,!10.0.0.2]"), "00100");
  EXPECT_EQ(taken_by("[any,!10.0.0.1]"), "01111");
  EXPECT_EQ(taken_by("[10.0.0.1,!2001:db8::2]"), "10010");
  EXPECT_EQ(taken_by("[!10.0.0.1,2001:db8::1]"), "01110");
  EXPECT_EQ(taken_by("![10.0.0.1,2001:db8::1]"), "01101");
  EXPECT_EQ(taken_by("![!10.0.0.1]"), "10000");
  EXPECT_EQ(taken_by("[10.0.0.1,]"), "10000");
  EXPECT_THAT(taken_by("[,10.0.0.1]"), testing::EndsWith("a part of the list is empty"));
  EXPECT_THAT(taken_by("[10.0.0.1,!10.0.0.0/8]"), testing::EndsWith("'[10.0.0.1,!10.0.0.0/8]' leaves nothing"));
  EXPECT_THAT(taken_by("!any"), testing::EndsWith("'!any' leaves nothing"));
}

TEST(rule_reader, lists_within_lists_add_to_the_same_positive_and_negated_parts) {
  EXPECT_EQ(taken_by("[10.0.0.0/8,[!10.0.0.1,192.0.2.1]]"), "01100");
  EXPECT_EQ(taken_by("[10.0.0.0/8,$A]"), "10000");
  EXPECT_EQ(taken_by("[10.0.0.0/8,!$A]"), "01000");
}

TEST(rule_reader, a_negated_list_is_a_group_of_its_own) {
  EXPECT_EQ(taken_by("[10.0.0.2,![!10.0.0.0/8]]"), "01000");
  EXPECT_EQ(taken_by("[10.0.0.2,!$EXTERNAL_NET]"), "01000");
  EXPECT_EQ(taken_by("!$EXTERNAL_NET"), "11000");
  EXPECT_EQ(taken_by("![10.0.0.0/8,!10.0.0.1]"), "10100");
  EXPECT_THAT(taken_by("[192.0.2.1,!$EXTERNAL_NET]"), testing::EndsWith("leaves nothing"));
  EXPECT_THAT(taken_by("![10.0.0.1,$EXTERNAL_NET]"), testing::EndsWith("'[10.0.0.1,$EXTERNAL_NET]' leaves nothing"));
}

TEST(rule_reader, takes_words_in_any_case_and_numbers_as_suricata_does) {
  rule_set set;
  add_rules(set, "x",
            "Alert UDP any any -> any any (flow:Established,To_Server; priority:0; sid:1;)\n"
            "ALERT Ip ANY any -> any Any (priority:256; sid:2;)\n",
            variables{});
  ASSERT_TRUE(set.problems.empty()) << set.problems.front();
  EXPECT_EQ(set.rules[0].protocol, rule_protocol::udp);
  EXPECT_EQ(set.rules[0].flow.direction, direction_need::to_server);
  EXPECT_EQ(set.rules[0].priority, 0U);
  EXPECT_EQ(set.rules[1].priority, 256U);
  EXPECT_FALSE(set.rules[1].names_ports);
}

TEST(rule_reader, a_relative_check_has_the_buffer_that_an_old_modifier_chose) {
  auto const buffer_of_last = [](std::string const& keywords) {
    auto const one = one_rule(rule_with(keywords, "http"));
    return std::visit([](auto const& check) { return check.where; }, one.payload.back());
  };
  using enum rule_buffer;
  EXPECT_EQ(buffer_of_last("content:\"a\"; http_uri; isdataat:!1,relative;"), http_uri);
  EXPECT_EQ(buffer_of_last("content:\"a\"; http_uri; byte_test:1,=,97,0,relative;"), http_uri);
  EXPECT_EQ(buffer_of_last("content:\"a\"; http_uri; byte_jump:1,0,relative;"), http_uri);
  EXPECT_EQ(buffer_of_last("content:\"a\"; http_uri; isdataat:1;"), payload);
  EXPECT_EQ(buffer_of_last("http.host; content:\"a\"; isdataat:1,relative;"), http_host);
}

TEST(rule_reader, knows_a_buffer_by_each_of_its_names) {
  auto const buffer_in = [](std::string const& keywords) {
    auto const one = one_rule(rule_with(keywords, "http"));
    return std::visit([](auto const& check) { return check.where; }, one.payload.at(0));
  };
  using enum rule_buffer;
  EXPECT_EQ(buffer_in("http.uri; content:\"a\";"), http_uri);
  EXPECT_EQ(buffer_in("content:\"a\"; http_uri;"), http_uri);
  EXPECT_EQ(buffer_in("uricontent:\"a\";"), http_uri);
  EXPECT_EQ(buffer_in("pcre:\"/a/U\";"), http_uri);
  EXPECT_EQ(buffer_in("content:\"a\"; http_client_body;"), http_request_body);
  EXPECT_EQ(buffer_in("pcre:\"/a/P\";"), http_request_body);
  EXPECT_EQ(buffer_in("file_data; content:\"a\";"), http_response_body);
  EXPECT_EQ(buffer_in("http.host; dotprefix; content:\".a\";"), http_host_dotted);
  EXPECT_EQ(buffer_in("urilen:<9;"), http_uri);
  EXPECT_EQ(buffer_in("urilen:5<>9,raw;"), http_uri_raw);
  EXPECT_EQ(buffer_in("http_request_line; content:\"a\";"), http_request_line);
}

TEST(coverage, names_each_keyword_that_keeps_a_rule_out) {
  auto const set =
      rules_of(rule_with("content:\"a\";") + rule_with("dsize:>3; content:\"a\";", "tcp", 2) +
               rule_with("lua:x.lua;", "tcp", 3) + rule_with("dns.query; content:\"a\"; lua:y.lua;", "http", 4));
  auto const cover = coverage_of(set);
  EXPECT_EQ(cover.rules, 4U);
  EXPECT_EQ(cover.usable, 2U);
  EXPECT_EQ(cover.in_streams, 1U);
  ASSERT_EQ(cover.missing.size(), 2U);
  EXPECT_EQ(cover.missing[0].keyword, "lua");
  EXPECT_EQ(cover.missing[0].kind, gap_kind::not_in_language);
  EXPECT_EQ(cover.missing[0].rules, 2U);
  EXPECT_EQ(cover.missing[0].alone, 1U);
  EXPECT_EQ(cover.missing[0].first, "test.rules:3:31");
  EXPECT_EQ(cover.missing[1].keyword, "dns.query in a protocol other than dns and udp");
  EXPECT_EQ(cover.missing[1].kind, gap_kind::not_inspected);
}

TEST(coverage, keeps_a_rule_out_for_a_buffer_that_is_not_read) {
  EXPECT_FALSE(one_rule(rule_with("tls.certs; content:\"a\";")).gaps.empty());
  EXPECT_FALSE(one_rule(rule_with("http.uri; content:\"a\"; http.stat_code; content:\"200\";")).gaps.empty());
  EXPECT_FALSE(one_rule(rule_with("flow:to_client; http.uri; content:\"a\";")).gaps.empty());
  EXPECT_FALSE(one_rule(rule_with("http.uri; content:\"a\";", "udp")).gaps.empty());
  EXPECT_TRUE(one_rule(rule_with("flow:to_client; http.header; content:\"a\"; file.data; pcre:\"/b/\";")).gaps.empty());
  EXPECT_FALSE(one_rule(rule_with("dns.query; content:\"a\";")).gaps.empty());
  EXPECT_FALSE(one_rule(rule_with("tls.sni; content:\"a\";", "udp")).gaps.empty());
  EXPECT_TRUE(one_rule(rule_with("dns.query; dotprefix; content:\"a\";", "dns")).gaps.empty());
  EXPECT_FALSE(one_rule(rule_with("dotprefix; content:\"a\";", "dns")).gaps.empty());
  EXPECT_FALSE(one_rule(rule_with("byte_extract:1,0,n; content:\"a\"; offset:n;")).gaps.empty());
}

}  // namespace
}  // namespace packetwarp::inspect
