// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/control/control_server.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <filesystem>

#include "base/error.h"
#include "cli/control/report_request.h"

namespace packetwarp {
namespace {

class control_serving : public testing::Test {
 protected:
  control_serving() { std::filesystem::remove(path_); }

  // "report", "wrong" which is a usage_error, "breaks" which fails at work.
  request_work work_of(request const& asked) {
    if (asked.command == "report") return reports_.answer(asked);
    if (asked.command == "wrong") throw usage_error("that is wrong");
    if (asked.command == "breaks") return []() -> std::optional<std::string> { throw failure("it broke"); };
    refuse_command(asked, runs_, of_networks_);
  }
  std::string runs_{"run"};
  std::vector<std::string_view> of_networks_;
  [[nodiscard]] control_server make(std::string path) {
    return {std::move(path), {}, [this](request const& asked) { return work_of(asked); }};
  }
  static void send(owned_fd const& to, std::string_view line) {
    ASSERT_EQ(::send(to.get(), line.data(), line.size(), MSG_NOSIGNAL), static_cast<ssize_t>(line.size()));
  }
  // Polls until a line has come.
  static answer receive(control_server& server, owned_fd const& from) {
    std::string all;
    std::array<char, 65536> some;
    while (!all.ends_with('\n')) {
      server.poll();
      auto const n = ::recv(from.get(), some.data(), some.size(), MSG_DONTWAIT);
      if (n > 0) all.append(some.data(), static_cast<std::size_t>(n));
      if (n == 0) throw failure("closed");
    }
    return parse_answer(all);
  }
  answer ask(std::string_view line) {
    auto server = make(path_);
    auto const client = connect_to(path_);
    send(client, line);
    return receive(server, client);
  }

  std::string path_{testing::TempDir() + "control_server_" + std::to_string(::getpid()) + ".sock"};
  telemetry::report_board board_;
  report_answers reports_{board_};
};

TEST_F(control_serving, what_a_command_throws_is_its_answer) {
  EXPECT_EQ(ask("{\"command\":\"wrong\"}\n").error, "that is wrong");
  EXPECT_EQ(ask("{\"command\":\"wrong\"}\n").status, exit_usage);
  EXPECT_EQ(ask("{\"command\":\"breaks\"}\n").error, "it broke");
  EXPECT_EQ(ask("{\"command\":\"breaks\"}\n").status, exit_failure);
  EXPECT_EQ(ask("{\"command\":\"others\"}\n").status, exit_usage);
  EXPECT_EQ(ask("what?\n").status, exit_usage);
}

TEST_F(control_serving, a_report_is_waited_for_and_nobody_with_it) {
  auto server = make(path_);
  auto const client = connect_to(path_);
  auto const other = connect_to(path_);
  send(client, "{\"command\":\"report\"}\n");
  for (int n = 0; n < 10; ++n) server.poll();
  EXPECT_TRUE(board_.is_asked_for());
  send(other, "{\"command\":\"wrong\"}\n");
  EXPECT_EQ(receive(server, other).error, "that is wrong");
  board_.close({.command = "l2fwd", .packets = {.rx = 7}});
  auto const said = receive(server, client);
  EXPECT_EQ(said.status, exit_success);
  EXPECT_EQ(said.result["command"], "l2fwd");
  EXPECT_EQ(said.result["packets"]["rx"], 7);
}

TEST_F(control_serving, a_networks_command_that_l2fwd_is_asked_says_who_has_it) {
  runs_ = "l2fwd";
  of_networks_ = {"nat", "flow", "workers", "reload"};
  for (auto const* const word : {"nat stats", "nat", "flow", "workers reset", "reload"}) {
    auto const said = ask(std::string{"{\"command\":\""} + word + "\"}\n");
    EXPECT_EQ(said.status, exit_usage);
    EXPECT_NE(said.error.find("packetwarp l2fwd that runs there"), std::string::npos) << said.error;
    EXPECT_EQ(said.error.find("version"), std::string::npos) << said.error;
  }
  EXPECT_EQ(ask("{\"command\":\"natter\"}\n").error, "the running packetwarp l2fwd, version " PACKETWARP_VERSION
                                                     ", knows no such command; is it of another version?");
}

TEST_F(control_serving, a_report_takes_no_arguments) {
  EXPECT_EQ(ask("{\"command\":\"report\",\"arguments\":{\"of\":\"all\"}}\n").status, exit_usage);
}

TEST_F(control_serving, a_refusal_for_want_of_a_place_says_that_it_may_be_asked_again_and_others_do_not) {
  EXPECT_FALSE(ask(std::string(70'000, 'x') + '\n').again);
  EXPECT_FALSE(ask("what?\n").again);
  control_server server{path_, {}, [this](request const& asked) { return work_of(asked); }, {.clients = 1}};
  auto const idle = connect_to(path_);
  server.poll();
  auto const other = connect_to(path_);
  auto const said = receive(server, idle);
  EXPECT_EQ(said.status, exit_failure);
  EXPECT_TRUE(said.again);
}

TEST_F(control_serving, there_may_be_no_socket) {
  auto server = make("none");
  server.poll();
  EXPECT_FALSE(std::filesystem::exists("none"));
}

}  // namespace
}  // namespace packetwarp
