// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/rdma-bw/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

#include "base/error.h"
#include "cli/rdma-bw/end_counters.h"
#include "cli/rdma-bw/report.h"

namespace packetwarp {
namespace {

[[nodiscard]] rdma_bw_options parsed_rdma_words(std::vector<std::string> words) {
  return parse_rdma_bw_options(
      {.program = "packetwarp", .command = "rdma-bw", .eal = std::move(words), .options = {}, .wants_help = false});
}
[[nodiscard]] std::string refusal_of_rdma_words(std::vector<std::string> words) {
  try {
    (void)parsed_rdma_words(std::move(words));
  } catch (usage_error const& wrong) {
    return wrong.what();
  }
  return "accepted";
}

TEST(rdma_bw_options, are_the_references_by_default) {
  auto const plain = parsed_rdma_words({});
  EXPECT_THAT(plain.sizes, testing::ElementsAre(64, 128, 256, 512, 1024, 2048, 4096));
  EXPECT_EQ(plain.iterations, 2048U);
  EXPECT_EQ(plain.test.posts, 512U);
  EXPECT_EQ(plain.test.queues, 1U);
  EXPECT_EQ(plain.test.posting, rdma::initiator::cpu);
  EXPECT_EQ(plain.test.engine, rdma::transport::host);
}

TEST(rdma_bw_options, have_the_letters_of_ib_write_bw) {
  auto const all = parsed_rdma_words({"-s", "2k", "-n", "10", "-q", "4", "--posts", "16", "--initiator", "gpu",
                                      "--transport=gpu", "-g", "1", "--json", "-"});
  EXPECT_THAT(all.sizes, testing::ElementsAre(2048));
  EXPECT_EQ(all.test.largest, 2048U);
  EXPECT_EQ(all.iterations, 10U);
  EXPECT_EQ(all.test.queues, 4U);
  EXPECT_EQ(all.test.posts, 16U);
  EXPECT_EQ(all.test.posting, rdma::initiator::gpu);
  EXPECT_EQ(all.test.engine, rdma::transport::gpu);
  EXPECT_EQ(all.test.gpu, 1);
  EXPECT_EQ(all.json, "-");
}

TEST(rdma_bw_options, let_both_ends_write) {
  auto const both = parsed_rdma_words({"--transport", "shm", "-b", "-s", "64", "--validate", "127.0.0.1"});
  EXPECT_TRUE(both.both_ways);
  EXPECT_TRUE(both.validate);
  EXPECT_EQ(
      refusal_of_rdma_words({"-b", "-s", "64"}),
      "--transport host has no peer: a server's name, --address, -p, -m, -u, --retries, -d, -x, -b and --validate "
      "go with --transport shm, roce, verbs or mlx5");
  EXPECT_EQ(refusal_of_rdma_words({"--transport", "shm", "-b"}),
            "-b takes one size, the same at both ends: give -s, such as -s 4096");
  auto const server = parsed_rdma_words({"--transport", "mlx5", "-b", "-s", "64", "--initiator", "gpu"});
  EXPECT_EQ(server.network.end.posting, rdma::initiator::gpu);
}

TEST(rdma_bw_options, that_are_wrong_are_refused) {
  EXPECT_EQ(refusal_of_rdma_words({"-s", "0"}), "-s: 0 is out of range; allowed are 1 to 8m, or all");
  EXPECT_EQ(refusal_of_rdma_words({"-s", "9m"}), "-s: 9m is out of range; allowed are 1 to 8m, or all");
  EXPECT_EQ(refusal_of_rdma_words({"-q", "129"}), "-q: 129 is out of range; allowed are 1 to 128");
  EXPECT_EQ(refusal_of_rdma_words({"--posts", "16385"}), "--posts: 16385 is out of range; allowed are 1 to 16384");
  EXPECT_EQ(refusal_of_rdma_words({"-n", "0"}), "-n: 0 is out of range; allowed are 1 to 1000000000");
  EXPECT_EQ(refusal_of_rdma_words({"--initiator", "nic"}), "--initiator 'nic': give cpu or gpu");
  EXPECT_EQ(refusal_of_rdma_words({"--transport", "ucx"}),
            "--transport 'ucx': give host, gpu, store, shm, roce, verbs or mlx5");
}

TEST(rdma_bw_options, have_no_address_that_no_interface_has) {
  for (std::string const address : {"0.0.0.0", "0.1.2.3", "127.0.0.1", "224.0.0.5", "240.0.0.1", "255.255.255.255"})
    EXPECT_EQ(refusal_of_rdma_words({"--transport", "roce", "--address", address}),
              "--address '" + address +
                  "': no interface has it: give this end's IPv4 address, such as 10.9.0.1; 0/8, 127/8 and 224.0.0.0 to "
                  "255.255.255.255 are not possible");
  for (std::string const address : {"1.0.0.0", "126.255.255.255", "128.0.0.1", "223.255.255.255"})
    EXPECT_EQ(refusal_of_rdma_words({"--transport", "roce", "--address", address}), "accepted");
}

TEST(rdma_bw_options, name_a_gpu_only_if_one_has_a_part) {
  EXPECT_EQ(refusal_of_rdma_words({"-g", "1"}),
            "-g goes with GPUs: give --initiator gpu, or --transport gpu or store, too");
  EXPECT_EQ(refusal_of_rdma_words({"--transport", "roce", "-g", "1", "10.9.0.2"}),
            "-g goes with GPUs: give --initiator gpu or --payload gpu, too");
  EXPECT_EQ(refusal_of_rdma_words({"--transport", "verbs", "-g", "1", "10.9.0.2"}),
            "-g goes with GPUs: --transport verbs has a CPU and host memory at both ends");
  EXPECT_EQ(refusal_of_rdma_words({"--initiator", "gpu", "-g", "1"}), "accepted");
  EXPECT_EQ(refusal_of_rdma_words({"--transport", "gpu", "-g", "1"}), "accepted");
  EXPECT_EQ(refusal_of_rdma_words({"--transport", "roce", "--payload", "gpu", "-g", "1"}), "accepted");
}

TEST(rdma_bw_options, have_one_server) {
  EXPECT_EQ(refusal_of_rdma_words({"--transport", "shm", "1.1.1.1", "2.2.2.2"}),
            "2.2.2.2: a word too many; 'packetwarp rdma-bw --help' lists them");
  EXPECT_EQ(refusal_of_rdma_words({"--transport", "shm", "--gone"}),
            "--gone: no such option; 'packetwarp rdma-bw --help' lists them");
}

TEST(rdma_bw_options, let_a_gpu_post_to_a_connectx_and_have_the_payload_of_either_end) {
  auto const client = parsed_rdma_words({"--transport", "mlx5", "-d", "mlx5_1", "-x", "3", "--initiator", "gpu",
                                         "--payload", "gpu", "-g", "2", "10.9.0.1"});
  EXPECT_EQ(client.transport, rdma_transport::mlx5);
  EXPECT_EQ(client.network.end.posting, rdma::initiator::gpu);
  EXPECT_EQ(client.network.end.payload, rdma::memory_kind::device);
  EXPECT_EQ(client.network.end.gpu, 2);
  EXPECT_EQ(client.network.verbs.device, "mlx5_1");
  EXPECT_EQ(client.network.verbs.gid_index, 3);
  auto const server = parsed_rdma_words({"--transport", "mlx5", "--payload", "gpu", "--validate"});
  EXPECT_EQ(server.network.end.payload, rdma::memory_kind::device);
  EXPECT_TRUE(server.validate);
  EXPECT_EQ(refusal_of_rdma_words({"--transport", "mlx5", "--initiator", "gpu"}),
            "--initiator gpu is the client's: a server of rdma-bw writes nothing without -b");
}

TEST(rdma_bw_report, has_the_naks_of_a_server) {
  std::vector<std::pair<std::string, std::uint64_t>> counters;
  for (auto const* const name : {"packets_sent", "packets_sent_again", "timeouts", "sequence_naks_received",
                                 "packets_executed", "duplicates", "out_of_sequence", "bad_icrc", "sequence_naks_sent",
                                 "other_naks_sent", "remote_access_errors", "invalid_requests"})
    counters.emplace_back(name, 0);
  EXPECT_TRUE(line_of_counters(counters).ends_with("0 with a wrong ICRC, 0 NAKs sent\n"));
  for (auto& [name, value] : counters)
    if (name.ends_with("naks_sent") || name == "remote_access_errors") value = 3;
  EXPECT_TRUE(line_of_counters(counters).ends_with("0 with a wrong ICRC, 6 NAKs sent, 3 remote access errors\n"));
}

TEST(rdma_bw_report, names_what_an_end_has_dropped) {
  end_counters counters;
  for (auto const* const name : {"packets_sent", "packets_sent_again", "timeouts", "sequence_naks_received",
                                 "packets_executed", "duplicates", "out_of_sequence", "bad_icrc", "sequence_naks_sent",
                                 "other_naks_sent", "remote_access_errors", "invalid_requests"})
    counters.emplace_back(name, 0);
  counters.insert(counters.end(), {{"other_frames", 9}, {"of_another_mac", 9}, {"malformed", 2}, {"of_no_peer", 1}});
  EXPECT_TRUE(line_of_counters(counters).ends_with("0 NAKs sent; dropped: 2 malformed, 1 of no peer\n"));
}

TEST(rdma_bw_report, knows_fewer_writes_than_the_peer_tells_of) {
  rdma::told_result const told{.bytes = 64, .iterations = 500};
  auto const of = [&](std::uint64_t executed, end_counters more = {}) {
    more.emplace_back("messages_executed", executed);
    return shortfall_of(told, more, "10.9.0.2:1");
  };
  EXPECT_EQ(of(500), "");
  EXPECT_EQ(of(501), "") << "a peer with -D executes more than it tells of";
  EXPECT_EQ(shortfall_of(told, {{"completions", 1}}, "10.9.0.2:1"), "") << "this end counts no writes of the peer";
  EXPECT_EQ(of(499),
            "rdma-bw: 10.9.0.2:1 tells of 500 writes, and this end has executed 499: its own output may say more");
  EXPECT_EQ(of(0, {{"of_another_type", 500}, {"malformed", 0}, {"of_no_queue", 3}}),
            "rdma-bw: 10.9.0.2:1 tells of 500 writes, and this end has executed 0; dropped: 500 of another connection "
            "type (-c RC is needed), 3 of no queue");
  EXPECT_EQ(
      of(0, {{"bad_icrc", 2}, {"malformed", 1}}),
      "rdma-bw: 10.9.0.2:1 tells of 500 writes, and this end has executed 0; 2 packets had a wrong ICRC; dropped: "
      "1 malformed");
}

TEST(rdma_bw_report, says_that_this_end_has_refused_a_write) {
  EXPECT_EQ(with_own_part("gone", {{"packets_sent", 1}, {"remote_access_errors", 0}}), "gone");
  EXPECT_EQ(with_own_part("gone", {{"packets_sent", 1}, {"remote_access_errors", 1}}),
            "gone; this end refused a write beyond its -s: give both ends the same -s");
  EXPECT_EQ(with_own_part("gone", {{"completions", 1}, {"remote_access_errors", 1}}), "gone") << "of its own writes";
  EXPECT_EQ(with_own_part("gone", {}), "gone");
}

TEST(rdma_bw_report, has_the_error_of_a_test_that_failed) {
  auto const options = parsed_rdma_words({"--transport", "mlx5", "10.9.0.1"});
  EXPECT_FALSE(nlohmann::json::parse(to_json(options, network_report{})).contains("error"));
  EXPECT_EQ(nlohmann::json::parse(to_json(options, network_report{.error = "gone"}))["error"], "gone");
}

TEST(rdma_bw_report, has_the_properties_of_an_end) {
  auto const options = parsed_rdma_words({"--transport", "mlx5", "10.9.0.1"});
  network_report const report{
      .properties = {{"doorbell", "proxy"}, {"doorbell_reason", "not permitted"}, {"registration", "host memory"}},
      .counters = {{"doorbells_by_proxy", 7}}};
  EXPECT_THAT(head_of(options, report),
              testing::HasSubstr("\ndoorbell: proxy\ndoorbell reason: not permitted\nregistration: host memory\n---"));
  EXPECT_THAT(end_of(report), testing::Not(testing::HasSubstr("packets:"))) << "no engine roce took part";
  auto const made = nlohmann::json::parse(to_json(options, report));
  EXPECT_EQ(made["transport"], "mlx5");
  EXPECT_EQ(made["doorbell"], "proxy");
  EXPECT_EQ(made["doorbell_reason"], "not permitted");
  EXPECT_EQ(made["registration"], "host memory");
  EXPECT_EQ(made["counters"]["doorbells_by_proxy"], 7);
}

TEST(rdma_bw_report, is_json_whatever_the_peer_calls_itself) {
  network_report const report{.peer = "a\xff"};
  auto const made = nlohmann::json::parse(to_json(parsed_rdma_words({"--transport", "mlx5", "10.9.0.1"}), report));
  EXPECT_EQ(made["peer"], "a\xef\xbf\xbd");
}

TEST(rdma_bw_table, has_the_columns_of_ib_write_bw) {
  rdma::write_test_result const result{.bytes = 64,
                                       .iterations = 2048,
                                       .peak_bytes = 2.0 * (1 << 20),
                                       .average_bytes = 1.5 * (1 << 20),
                                       .messages = 1'250'000};
  EXPECT_EQ(line_of(result), " 64         2048             2.00               1.50                 1.250000\n");
  EXPECT_THAT(head_of(rdma_bw_options{}),
              testing::EndsWith(" #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]\n"));
}

TEST(rdma_transports, say_what_nobody_has_tried) {
  EXPECT_THAT(std::string{warning_of(rdma_transport::mlx5)},
              testing::HasSubstr("--transport mlx5 has never met a NIC"));
  for (auto const one : {rdma_transport::roce, rdma_transport::verbs, rdma_transport::host, rdma_transport::gpu})
    EXPECT_EQ(warning_of(one), "") << to_string(one);
}

}  // namespace
}  // namespace packetwarp
