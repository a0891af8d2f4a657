// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "module/client/listing.h"
#include "request/request.h"

namespace packetwarp {

// An argument of a request: "inside" is the option --inside.
struct client_option {
  // path: of a file that the running packetwarp opens, which has a current folder of its own.
  enum class kind : std::uint8_t { word, path };
  std::string_view name;
  kind is{kind::word};
};

// A client waits without end for the answer to a request that may change the running packetwarp, and not for others.
enum class request_effect : std::uint8_t { changes, reads };

// "sessions" of `packetwarp nat` asks for "nat sessions".
struct client_task {
  std::string_view name;
  std::span<client_option const> options{};
  request_effect effect{request_effect::changes};
  // The form of a task's rows, which come page by page until the answer has no "next".
  listing (*rows)(){};
  // The text of an answer that comes whole.
  std::string (*text)(json const& said){};
};

// A command of packetwarp's that asks a running one about a module. Knows neither options of the command line nor the
// control socket: src/cli reads the words and asks.
struct client_command {
  std::string_view name;
  std::string_view summary;
  std::string_view page;  // --help
  // The first word of the command is one of these.
  std::span<client_task const> tasks{};
  // A command without tasks has a language of its own: all of its words are one text, which this checks before the
  // running packetwarp is asked. Returns the text's effect. Throws usage_error.
  request_effect (*check)(std::string const& text){};
};

}  // namespace packetwarp
