// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/generate/options.h"
#include "traffic/usage_text.h"

namespace packetwarp {
namespace {

using testing::AllOf;
using testing::HasSubstr;

generate_options parse(std::vector<std::string> words) {
  return parse_generate_options(
      {.program = "packetwarp", .command = "generate", .eal = {}, .options = std::move(words), .wants_help = false});
}
std::string refusal(std::vector<std::string> words) {
  return test::usage_text([&] { (void)parse(words); });
}

TEST(generate_options, without_any_are_udp_in_smallest_frames_as_fast_as_it_goes) {
  auto const options = parse({});
  EXPECT_EQ(options.exchange.what.description, traffic::parse_template("udp"));
  EXPECT_EQ(to_text(options.exchange.what.sizes), "64:1");
  EXPECT_EQ(options.exchange.what.flows, traffic::pattern{});
  EXPECT_EQ(options.exchange.how_fast.in, rate::unit::unlimited);
  EXPECT_EQ(options.exchange.packets, 0U);
  EXPECT_EQ(options.exchange.depth, traffic::content_check::every_byte);
  EXPECT_FALSE(options.through);
}

TEST(generate_options, say_what_is_sent) {
  auto const options =
      parse({"--stream", "vlan/ipv6/tcp", "--pattern", "tcp.sport=1..9", "--seed", "7", "--size", "128,9000"});
  EXPECT_EQ(options.exchange.what.description, traffic::parse_template("vlan/ipv6/tcp"));
  EXPECT_EQ(to_text(options.exchange.what.sizes), "128:1,9000:1");
  EXPECT_EQ(options.exchange.what.flows.flows, 9U);
  EXPECT_EQ(options.exchange.what.seed, 7U);
}

TEST(generate_options, choose_the_smallest_frame_that_holds_the_signature) {
  EXPECT_EQ(to_text(parse({"--stream", "tcp"}).exchange.what.sizes), "74:1");
  EXPECT_EQ(to_text(parse({"--stream", "tcp", "--unsigned"}).exchange.what.sizes), "64:1");
}

TEST(generate_options, say_how_fast_and_how_much) {
  auto const options = parse({"--rate", "10mpps", "--count", "64k", "--duration", "3s", "-b", "7", "--linger", "1s"});
  EXPECT_EQ(options.exchange.how_fast, (rate{10e6, rate::unit::packets_per_second}));
  EXPECT_EQ(options.exchange.packets, 64'000U);
  EXPECT_EQ(options.exchange.duration, std::chrono::seconds{3});
  EXPECT_EQ(options.exchange.burst, 7U);
  EXPECT_EQ(options.timing.linger, std::chrono::seconds{1});
}

TEST(generate_options, send_a_capture_at_its_own_times_only_if_asked_to) {
  auto const recorded = parse({"--replay", "x.pcap", "--rate", "recorded"});
  EXPECT_EQ(recorded.exchange.pace, traffic::capture_pace::recorded);
  EXPECT_EQ(recorded.exchange.how_fast.in, rate::unit::unlimited);
  EXPECT_EQ(parse({"--replay", "x.pcap"}).exchange.pace, traffic::capture_pace::by_rate);
  EXPECT_EQ(parse({"--replay", "x.pcap", "--rate", "1kpps"}).exchange.pace, traffic::capture_pace::by_rate);
  EXPECT_EQ(parse({"--benign", "x.pcap", "--rate", "recorded"}).asked.pace, traffic::capture_pace::recorded);
  EXPECT_THAT(refusal({"--rate", "recorded"}), HasSubstr("--rate recorded: only packets of captures"));
  EXPECT_THAT(refusal({"--stl", "a.py", "--rate", "recorded"}), HasSubstr("--rate: "));
  EXPECT_THAT(refusal({"--replay", "x.pcap", "--rate", "recorded", "--strict-rate"}),
              HasSubstr("--strict-rate: --rate recorded asks for times"));
}

TEST(generate_options, say_what_is_expected) {
  auto const options = parse({"--expect", "same-port,mac-swapped", "--check", "signature"});
  EXPECT_EQ(options.exchange.expected, traffic::transform::mac_swapped);
  EXPECT_EQ(options.returns, return_port::same);
  EXPECT_EQ(options.exchange.depth, traffic::content_check::signature);
}

TEST(generate_options, hold_the_data_plane_between) {
  auto const options = parse({"--through", "-w none -p 3 --workers pair"});
  ASSERT_TRUE(options.through);
  EXPECT_EQ(options.through->executor, executor_kind::none);
  EXPECT_EQ(options.through->pipelines, 3);
  EXPECT_EQ(options.through->workers, arrangement::pair);
}

TEST(generate_options, are_refused_with_a_line_that_names_the_option) {
  EXPECT_THAT(refusal({"--stream", "ipx"}), HasSubstr("--stream \"ipx\""));
  EXPECT_THAT(refusal({"--size", "10"}), HasSubstr("--size \"10\""));
  EXPECT_THAT(refusal({"--pattern", "x=1"}), HasSubstr("--pattern \"x=1\""));
  EXPECT_THAT(refusal({"--pattern", "tcp.sport=1"}), HasSubstr("the template has no such layer"));
  EXPECT_THAT(refusal({"--stream", "tcp", "--size", "64"}), HasSubstr("need 74 or more"));
  EXPECT_THAT(refusal({"--rate", "10"}), HasSubstr("--rate: '10' has no unit"));
  EXPECT_THAT(refusal({"--count", "0"}), HasSubstr("--count: 0 is out of range; the least is 1"));
  EXPECT_THAT(refusal({"-b", "5000"}), HasSubstr("-b: 5000 is out of range; allowed are 1 to 4096"));
  EXPECT_THAT(refusal({"--expect", "swapped"}), HasSubstr("as-sent, mac-swapped, peer, same-port"));
  EXPECT_THAT(refusal({"--check", "all"}), HasSubstr("every-byte, signature"));
  EXPECT_THAT(refusal({"--tx-ports", "1-0"}), HasSubstr("--tx-ports: '1-0' is wrong"));
  EXPECT_THAT(refusal({"--frobnicate"}), HasSubstr("--frobnicate: no such option"));
  EXPECT_THAT(refusal({"--duration"}), HasSubstr("--duration"));
}

TEST(generate_options, are_refused_where_they_contradict_each_other) {
  EXPECT_THAT(refusal({"--replay", "x.pcap", "--size", "64"}), HasSubstr("sent as they are"));
  EXPECT_THAT(refusal({"--replay", "x.pcap", "--check", "signature"}), HasSubstr("no signature"));
  EXPECT_THAT(refusal({"--strict-rate"}), HasSubstr("--strict-rate: no rate is asked for"));
  EXPECT_THAT(refusal({"--strict-rate", "--rate", "max"}), HasSubstr("--strict-rate: no rate is asked for"));
  EXPECT_THAT(refusal({"--stl", "a.py", "-m", "max", "--strict-rate"}), HasSubstr("--strict-rate: -m max asks for no"));
  EXPECT_EQ(parse({"--stl", "a.py", "-m", "5mpps", "--strict-rate"}).keeping, rate_keeping::strict);
  EXPECT_THAT(refusal({"--stl", "a.py", "--expect", "mac-swapped"}),
              HasSubstr("mac-swapped: a profile's packets carry"));
  EXPECT_THAT(refusal({"--unsigned", "--expect", "same-port,mac-swapped"}),
              HasSubstr("mac-swapped: with --unsigned packets carry"));
  EXPECT_EQ(parse({"--unsigned", "--expect", "same-port,as-sent"}).returns, return_port::same);
  EXPECT_THAT(refusal({"--loop", "3"}), HasSubstr("--replay FILE"));
  EXPECT_THAT(refusal({"--through", "-w cpu", "--tx-ports", "0"}), HasSubstr("--tx-ports: --through makes its own"));
  EXPECT_THAT(refusal({"--through", "-w cpu", "--expect", "as-sent"}), HasSubstr("--expect: --through"));
  EXPECT_THAT(refusal({"--expect", "peer,same-port"}), HasSubstr("--expect: 'peer' and 'same-port' answer the same"));
  EXPECT_THAT(refusal({"--expect", "mac-swapped,peer,as-sent"}),
              HasSubstr("--expect: 'mac-swapped' and 'as-sent' answer"));
  EXPECT_THAT(refusal({"--expect", "peer,as-sent,peer"}), HasSubstr("--expect: 'peer' and 'peer' answer"));
  EXPECT_THAT(refusal({"--expect", "same-port", "--portmap", "(0,1)"}),
              HasSubstr("--portmap: with --expect same-port"));
  EXPECT_THAT(refusal({"--expect", "mac-swapped,peer", "--portmap", "(0,1)"}),
              HasSubstr("--portmap: it says which ports are peers"));
  EXPECT_EQ(parse({"--expect", "mac-swapped", "--portmap", "(0,1)"}).port_map.size(), 1U);
  for (auto const* const how : {"every-byte", "signature"}) {
    EXPECT_THAT(refusal({"--unsigned", "--check", how}), HasSubstr("--check: with --unsigned")) << how;
  }
}

TEST(generate_options, hold_no_run_of_their_own_for_the_data_plane_between) {
  EXPECT_THAT(refusal({"--through", "-w banana"}), AllOf(HasSubstr("--through \"-w banana\""), HasSubstr("none, cpu")));
  EXPECT_THAT(refusal({"--through", "-v 100"}), HasSubstr("--count"));
  EXPECT_THAT(refusal({"--through", "--replay 0=a.pcap"}), HasSubstr("--replay of generate"));
  for (auto const* const own : {"--control s", "--metrics 0", "--event-log e"}) {
    EXPECT_THAT(refusal({"--through", own}), HasSubstr("are l2fwd's own")) << own;
  }
  EXPECT_THAT(refusal({"--through", "--json x"}), HasSubstr("of generate"));
  EXPECT_THAT(refusal({"--through", "-p 33"}),
              HasSubstr("--through \"-p 33\": -p: 33 is out of range; allowed are 1 to 32"));
  EXPECT_EQ(parse({"--through", "-p 32"}).through->pipelines, 32);
}

TEST(generate_options, take_a_profile_for_one_port_or_one_for_each) {
  auto const one = parse({"--stl", "a.py", "-t", "size=64,vm=inc", "-m", "74mpps", "-p", "0"});
  ASSERT_TRUE(one.stl);
  EXPECT_EQ(one.stl->files, std::vector<std::string>{"a.py"});
  EXPECT_EQ(one.stl->tunables, "size=64,vm=inc");
  EXPECT_EQ(one.exchange.faster.to, (rate{74e6, rate::unit::packets_per_second}));
  EXPECT_EQ(one.tx_ports, std::vector{port_id{0}});
  auto const two = parse({"--stl", "a.py,b.py"});
  EXPECT_EQ(two.stl->files, (std::vector<std::string>{"a.py", "b.py"}));
  EXPECT_EQ(two.tx_ports, (std::vector{port_id{0}, port_id{1}}));
  EXPECT_DOUBLE_EQ(two.exchange.faster.factor, 1);
  EXPECT_DOUBLE_EQ(parse({"--stl", "a.py", "-m", "2.5"}).exchange.faster.factor, 2.5);
}

TEST(generate_options, give_each_port_the_profile_in_its_place) {
  auto const crossed = parse({"--stl", "a.py,b.py,c.py", "-p", "2,0-1"});
  EXPECT_EQ(crossed.stl->ports, (std::vector{port_id{0}, port_id{1}, port_id{2}}));
  EXPECT_EQ(crossed.stl->files, (std::vector<std::string>{"b.py", "c.py", "a.py"}));
  auto const one = parse({"--stl", "a.py", "-p", "1,0"});
  EXPECT_EQ(one.tx_ports, (std::vector{port_id{0}, port_id{1}}));
  EXPECT_EQ(one.stl->files, std::vector<std::string>{"a.py"});
}

TEST(generate_options, know_what_a_profile_settles) {
  EXPECT_THAT(refusal({"--stl", "a.py", "--stream", "udp"}), HasSubstr("--stream: the packets are the profile's"));
  EXPECT_THAT(refusal({"--stl", "a.py", "--replay", "x.pcap"}), HasSubstr("--replay: the packets"));
  EXPECT_THAT(refusal({"--stl", "a.py", "--tx-ports", "0"}), HasSubstr("-p says which ports"));
  EXPECT_THAT(refusal({"--stl", "a.py", "-q", "2"}), HasSubstr("one queue of a port"));
  EXPECT_THAT(refusal({"--stl", "a.py,b.py,c.py", "-p", "0,1"}), HasSubstr("3 profiles for 2 ports"));
  EXPECT_THAT(refusal({"--stl", "a.py,b.py", "-p", "0"}), HasSubstr("2 profiles for 1 port;"));
  EXPECT_THAT(refusal({"--stl", "a.py", "-p", "0,0"}), HasSubstr("-p: port 0 is named twice"));
  EXPECT_THAT(refusal({"--stl", "a.py,b.py", "-p", "2,0-2"}), HasSubstr("-p: port 2 is named twice"));
  EXPECT_THAT(refusal({"--stl", "a.py,"}), HasSubstr("an empty name"));
  EXPECT_THAT(refusal({"-t", "a=1"}), HasSubstr("-t: is about a TRex profile"));
}

}  // namespace
}  // namespace packetwarp
