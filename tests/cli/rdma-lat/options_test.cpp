// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/rdma-lat/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.h"

namespace packetwarp {
namespace {

using words = std::vector<std::string>;

[[nodiscard]] invocation rdma_call(std::string command, words eal, words options) {
  return {.program = "packetwarp",
          .command = std::move(command),
          .eal = std::move(eal),
          .options = std::move(options),
          .wants_help = false};
}
template <class Parse>
[[nodiscard]] std::string refusal_of_call(invocation const& call, Parse const& parse) {
  try {
    (void)parse(call);
  } catch (usage_error const& wrong) {
    return wrong.what();
  }
  return "accepted";
}
[[nodiscard]] std::string refusal_of_lat_words(words eal, words options) {
  return refusal_of_call(rdma_call("rdma-lat", std::move(eal), std::move(options)), parse_rdma_lat_options);
}
[[nodiscard]] std::string refusal_of_bw_words(words eal, words options) {
  return refusal_of_call(rdma_call("rdma-bw", std::move(eal), std::move(options)), parse_rdma_bw_options);
}

TEST(rdma_lat_options, are_for_engine_roce_by_default_also_behind_the_words_of_the_eal) {
  auto const made = parse_rdma_lat_options(
      rdma_call("rdma-lat", {"--vdev", "net_null0"}, {"--address", "10.9.0.1", "-n", "7", "10.9.0.2"}));
  EXPECT_EQ(made.transport, rdma_transport::roce);
  EXPECT_EQ(made.iterations, 7U);
  EXPECT_EQ(made.network.peer.server, "10.9.0.2");
}

TEST(rdma_lat_options, may_stand_before_the_dashes_of_a_transport_without_a_port) {
  EXPECT_EQ(refusal_of_lat_words({"--transport", "verbs"}, {"-n", "7"}), "accepted");
  EXPECT_EQ(refusal_of_lat_words({"--transport=mlx5", "-d", "mlx5_0", "10.9.0.2"}, {}), "accepted");
  EXPECT_EQ(refusal_of_lat_words({}, {"--transport", "verbs"}), "accepted");
}

TEST(rdma_commands, say_which_transport_goes_with_the_eals_options) {
  auto const line = [](std::string const& name) {
    return name + " is the EAL's, and EAL options go with --transport roce: give that after `--`, or leave " + name +
           " out";
  };
  words const without{"--address", "10.9.0.1", "-s", "64", "10.9.0.2"};
  EXPECT_EQ(refusal_of_bw_words({"--vdev", "net_null0"}, without), line("--vdev"));
  EXPECT_EQ(refusal_of_bw_words({"--vdev=net_null0"}, without), line("--vdev"));
  EXPECT_EQ(refusal_of_bw_words({"-q", "2", "-l", "0"}, {"--transport", "shm", "127.0.0.1"}), line("-l"));
  EXPECT_EQ(refusal_of_lat_words({"--vdev", "net_null0"}, {"--transport", "shm", "127.0.0.1"}), line("--vdev"));
  EXPECT_EQ(refusal_of_lat_words({"--vdev", "net_null0"}, without), "accepted");
  EXPECT_EQ(refusal_of_bw_words({"--vdev", "net_null0"}, {"--transport", "roce"}), "accepted");
  EXPECT_EQ(refusal_of_bw_words({"-s", "64"}, {"-n", "1"}), "accepted") << "both are packetwarp's, too";
}

TEST(rdma_commands, ask_for_a_port_by_their_transport) {
  EXPECT_TRUE(asks_for_a_port(rdma_call("rdma-lat", {"--vdev", "net_null0"}, {"--address", "10.9.0.1"})));
  EXPECT_TRUE(asks_for_a_port(rdma_call("rdma-bw", {}, {"--transport=roce"})));
  EXPECT_TRUE(asks_for_a_port(rdma_call("rdma-bw", {}, {"--transport", "roce"})));
  EXPECT_FALSE(asks_for_a_port(rdma_call("rdma-bw", {"--vdev", "net_null0"}, {"--address", "10.9.0.1"})));
  EXPECT_FALSE(asks_for_a_port(rdma_call("rdma-lat", {}, {"--transport", "verbs"})));
  EXPECT_FALSE(asks_for_a_port(rdma_call("rdma-lat", {"--transport", "verbs"}, {"-n", "7"})));
  EXPECT_FALSE(asks_for_a_port(rdma_call("rdma-lat", {"--address", "10.9.0.1"}, {})));
}

TEST(rdma_commands, tell_where_words_of_the_eal_go) {
  EXPECT_EQ(refusal_of_lat_words({"--vdev", "net_null0", "--address", "10.9.0.1"}, {}),
            "--vdev is the EAL's: put it in front of `--`, as in 'packetwarp rdma-lat --vdev ... -- --transport roce "
            "[options]'");
  EXPECT_EQ(refusal_of_lat_words({}, {"-b", "--transport", "shm"}),
            "-b is an option of rdma-bw's: a latency test writes in both directions anyway; leave it out");
  EXPECT_EQ(refusal_of_bw_words({"--vdev", "net_null0", "--address", "10.9.0.1"}, {}),
            "--vdev is the EAL's: put it in front of `--`, as in 'packetwarp rdma-bw --vdev ... -- --transport roce "
            "[options]'");
}

TEST(rdma_commands, refuse_options_of_another_transport_of_a_network) {
  for (auto const& refusal : {refusal_of_lat_words, refusal_of_bw_words}) {
    for (std::string const option : {"-d", "-x"}) {
      EXPECT_EQ(refusal({"--vdev", "net_null0"}, {"--transport", "roce", "--address", "10.9.0.1", option, "1"}),
                option +
                    " goes with --transport verbs or mlx5: the port of --transport roce is the one that the EAL's "
                    "words name");
    }
    for (std::string const transport : {"verbs", "mlx5"}) {
      EXPECT_EQ(refusal({"--transport", transport, "--address", "10.9.0.1"}, {}),
                "--address goes with --transport roce: --transport " + transport +
                    " has the address of the device's GID, which -x names");
    }
  }
}

}  // namespace
}  // namespace packetwarp
