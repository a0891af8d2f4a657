// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "flow/parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <string>

#include "base/error.h"
#include "flow/print.h"

namespace packetwarp::flow {
namespace {

using testing::HasSubstr;

std::string error_of(std::function<void()> const& what) {
  try {
    what();
  } catch (usage_error const& error) {
    return error.what();
  }
  return "no error";
}

std::string error_of(std::string_view line) {
  return error_of([&] { (void)parse_command(line, {"flows.txt", 7}); });
}

rule rule_of(std::string_view line) { return std::get<create_rule>(parse_command(line).what).what; }

TEST(parser, reads_a_rule_into_attributes_items_and_actions) {
  auto const what = parse_command(
      "flow create 1 group 2 priority 3 ingress pattern eth / ipv4 src is 2.2.2.2 / udp src is 1002 / end "
      "actions set_tp_src port 1003 / queue index 1 / end");
  EXPECT_EQ(what.port, port_id{1});
  auto const& read = std::get<create_rule>(what.what).what;
  EXPECT_EQ(read.attr, (attributes{.group = 2, .priority = 3, .ingress = true}));
  ASSERT_EQ(read.pattern.size(), 3u);
  EXPECT_EQ(read.pattern[0], (item{item_kind::eth, {}}));
  EXPECT_EQ(read.pattern[1].kind, item_kind::ipv4);
  ASSERT_EQ(read.pattern[1].settings.size(), 1u);
  EXPECT_EQ(read.pattern[1].settings[0].how, relation::is);
  EXPECT_EQ(read.pattern[1].settings[0].value.bytes[0], std::byte{2});
  ASSERT_EQ(read.actions.size(), 2u);
  EXPECT_EQ(read.actions[0].kind, action_kind::set_tp_src);
  EXPECT_EQ(read.actions[1].kind, action_kind::queue);
}

TEST(parser, reads_every_command) {
  EXPECT_TRUE(
      std::holds_alternative<validate_rule>(parse_command("flow validate 0 egress pattern end actions end").what));
  EXPECT_EQ(std::get<destroy_rules>(parse_command("flow destroy 0 rule 3 rule 4").what).rules,
            (std::vector<std::uint32_t>{3, 4}));
  EXPECT_TRUE(std::holds_alternative<flush_rules>(parse_command("flow flush 65535").what));
  EXPECT_EQ(std::get<list_rules>(parse_command("flow list 0").what).groups, std::vector<std::uint32_t>{});
  EXPECT_EQ(std::get<list_rules>(parse_command("flow list 0 group 1 group 0x10").what).groups,
            (std::vector<std::uint32_t>{1, 16}));
  EXPECT_EQ(std::get<query_rule>(parse_command("flow query 0 7 count").what),
            (query_rule{.rule = 7, .action = action_kind::count}));
  EXPECT_EQ(std::get<isolate_port>(parse_command("flow isolate 0 yes").what).to, set_state::on);
  EXPECT_EQ(std::get<isolate_port>(parse_command("flow isolate 0 off").what).to, set_state::off);
}

TEST(parser, steps_over_blank_lines_and_comments) {
  EXPECT_FALSE(parse_line(""));
  EXPECT_FALSE(parse_line(" \t\r"));
  EXPECT_FALSE(parse_line("  # flow create"));
  EXPECT_TRUE(parse_line("\tflow flush 0 # all of them\r"));
  EXPECT_TRUE(parse_line("flow flush 0#all of them"));
}

TEST(parser, prints_what_it_read) {
  for (std::string const line : {
           "flow create 0 group 0 ingress pattern eth / ipv4 / udp / end actions jump group 1 / end",
           "flow create 0 group 0 egress pattern eth / ipv4 / udp / end actions set_mac_dst mac_addr "
           "ec:0d:9a:8a:27:ba / set_mac_src mac_addr 4a:ac:4f:29:87:80 / set_ipv4_src ipv4_addr 2.2.2.1 / dec_ttl / "
           "end",
           "flow validate 1 priority 4294967295 transfer pattern void / any num mask 7 / end actions void / end",
           "flow create 0 pattern eth type spec 2048 type mask 65535 has_vlan is 1 / vlan vid is 5 pcp prefix 2 / ipv6 "
           "src spec 2001:db8:: src prefix 32 flow last 1048575 / tcp flags is 2 / end actions rss func toeplitz level "
           "1 "
           "types ip udp end key 0a0b key_len 1 queues 0 3 end / end",
           "flow create 0 ingress pattern end actions of_push_vlan ethertype 33024 / of_set_vlan_vid vlan_vid 7 / "
           "port_id "
           "original 1 id 2 / end",
           "flow destroy 0 rule 3 rule 4",
           "flow flush 0",
           "flow list 9 group 1 group 2",
           "flow query 0 7 end",
           "flow query 0 7 count",
           "flow isolate 1 1",
       }) {
    EXPECT_EQ(to_text(parse_command(line)), line);
  }
}

TEST(parser, reads_numbers_and_addresses_in_each_of_their_spellings) {
  auto const same = [](std::string_view a, std::string_view b) {
    auto const line = [](std::string_view value) {
      return "flow create 0 ingress pattern " + std::string{value} + " / end actions drop / end";
    };
    EXPECT_EQ(rule_of(line(a)), rule_of(line(b))) << a;
  };
  same("udp src is 0x10", "udp src is 16");
  same("udp src is 020", "udp src is 16");
  same("udp src is +16", "udp src is 16");
  same("eth src is 4A:AC:4F:29:87:80", "eth src is 4a:ac:4f:29:87:80");
  same("eth src is 4aac:4f29:8780", "eth src is 4a:ac:4f:29:87:80");
  same("ipv4 src is 0x0a000001", "ipv4 src is 10.0.0.1");
  same("ipv6 src is 2001:DB8:0:0::1", "ipv6 src is 2001:db8::1");
  // Fields of a few bits keep the bits they have.
  same("vlan vid is 4097", "vlan vid is 1");
  same("ipv6 flow is -1", "ipv6 flow is 1048575");
}

TEST(parser, says_where_and_what_was_expected) {
  EXPECT_EQ(error_of("flow create 0 ingress pattern eth / udq / end actions drop / end"),
            "flows.txt:7:37: 'udq' is no item; expected one of void, any, eth, vlan, ipv4, ipv6, icmp, udp, tcp, end");
  EXPECT_EQ(error_of("flow create 0 ingress pattern ipv4 ttl is 256 / end actions drop / end"),
            "flows.txt:7:43: '256' is no value of ttl; expected a number from 0 to 255");
  EXPECT_EQ(error_of("flow create 0 ingress pattern ipv4 sorc is 1 / end actions drop / end"),
            "flows.txt:7:36: 'sorc' is no field of ipv4; expected one of version_ihl, tos, packet_id, fragment_offset, "
            "ttl, proto, src, dst, /");
  EXPECT_EQ(error_of("flow create 0 ingress pattern ipv4 src 1.1.1.1 / end actions drop / end"),
            "flows.txt:7:40: '1.1.1.1' is not what comes here; expected one of is, spec, last, mask, prefix");
  EXPECT_EQ(error_of("flow create 0 ingress pattern ipv4 src prefix 33 / end actions drop / end"),
            "flows.txt:7:47: '33' is no value of src; expected a prefix length from 0 to 32");
  EXPECT_EQ(error_of("flow create 0 ingress pattern eth / end actions drop"),
            "flows.txt:7:53: the line ends here; expected '/'");
  EXPECT_EQ(error_of("flow create 0 ingress pattern eth / end actions drip / end").substr(0, 36),
            "flows.txt:7:49: 'drip' is no action;");
  EXPECT_EQ(error_of("flow crate 0"),
            "flows.txt:7:6: 'crate' is no flow command; expected one of validate, create, "
            "destroy, flush, list, query, isolate");
  EXPECT_EQ(error_of("flow flush 65536"), "flows.txt:7:12: '65536' is no port; expected a number from 0 to 65535");
  EXPECT_EQ(error_of("flow flush 0 0"), "flows.txt:7:14: '0' is not what comes here; expected the end of the line");
  EXPECT_EQ(error_of("flush 0"), "flows.txt:7:1: 'flush' is not what comes here; expected 'flow'");
  EXPECT_THAT(error_of([] { (void)parse_command("flow flush x"); }), HasSubstr("flow rule, column 12: 'x'"));
}

// Abbreviations are none of testpmd's grammar.
TEST(parser, wants_words_in_full) {
  for (std::string_view const line : {"flow creat 0 ingress pattern eth / end actions drop / end", "fl flush 0",
                                      "flow create 0 ing pattern eth / end actions drop / end",
                                      "flow create 0 ingress pattern et / end actions drop / end",
                                      "flow create 0 INGRESS pattern eth / end actions drop / end",
                                      "flow create 0 ingress pattern eth end actions drop / end"}) {
    EXPECT_THROW((void)parse_command(line), usage_error) << line;
  }
}

TEST(parser, echoes_no_control_characters) {
  EXPECT_EQ(error_of("flow \x1b[2J"),
            "flows.txt:7:6: '?[2J' is no flow command; expected one of validate, create, "
            "destroy, flush, list, query, isolate");
}

TEST(parser, reads_files_whole_or_not_at_all) {
  auto const read = parse_text("# NAT\n\nflow flush 0\r\n  flow flush 1", "f");
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(read[0].line, 3u);
  EXPECT_EQ(read[1].line, 4u);
  EXPECT_EQ(read[1].what.port, port_id{1});
  EXPECT_EQ(error_of([] { (void)parse_text("flow flush 0\nflow flush x\n", "f"); }),
            "f:2:12: 'x' is no port; expected a number from 0 to 65535");
  EXPECT_EQ(error_of([] { (void)parse_text("flow flush y\nflow flush 0\nflow flush x\nflow\n", "f"); }),
            "f:1:12: 'y' is no port; expected a number from 0 to 65535 (2 more wrong lines)");
  EXPECT_THROW((void)load_file("/nonexistent/flows.txt"), usage_error);
  auto const path = testing::TempDir() + "flows.txt";
  std::ofstream{path} << "flow flush 3\n";
  EXPECT_EQ(load_file(path).front().what.port, port_id{3});
  std::ofstream{path, std::ios::trunc}.close();
  EXPECT_TRUE(load_file(path).empty());
  EXPECT_THROW((void)load_file(testing::TempDir()), usage_error);
}

}  // namespace
}  // namespace packetwarp::flow
