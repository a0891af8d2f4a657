// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "cli/control/line_server.h"

namespace packetwarp {

// A server that answers with the reversed line; "slow N ..." after N calls.
class serving : public testing::Test {
 protected:
  serving() : path_{testing::TempDir() + "line_server_" + std::to_string(::getpid()) + ".sock"} {
    std::filesystem::remove(path_);
  }

  using clock = line_server::clock;

  [[nodiscard]] static request_work turn(std::string_view line) {
    std::string const text{line};
    int left = text.starts_with("slow ") ? text[5] - '0' : 0;
    return [text, left]() mutable -> std::optional<std::string> {
      if (left-- > 0) return std::nullopt;
      if (text.starts_with("long")) return std::string(1U << 22, 'x');
      return std::string{text.rbegin(), text.rend()};
    };
  }
  [[nodiscard]] line_server make(line_server_limits limits = {}) const {
    return {path_, turn,
            [](std::string_view why, refused what) {
              return (what == refused::place ? "no place: " : "no: ") + std::string{why};
            },
            limits};
  }
  static void send(owned_fd const& to, std::string_view text) {
    ASSERT_EQ(::send(to.get(), text.data(), text.size(), MSG_NOSIGNAL), static_cast<ssize_t>(text.size()));
  }
  // The received bytes; "<closed>" at the end.
  static std::string receive(owned_fd const& from) {
    std::array<char, 65536> some;
    auto const n = ::recv(from.get(), some.data(), some.size(), MSG_DONTWAIT);
    if (n == 0) return "<closed>";
    return n < 0 ? std::string{} : std::string{some.data(), static_cast<std::size_t>(n)};
  }
  static void poll(line_server& server, int times = 3, clock::time_point now = {}) {
    for (int i = 0; i < times; ++i) server.poll(now);
  }
  std::string path_;
};

}  // namespace packetwarp
