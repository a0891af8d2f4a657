// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace packetwarp {

using json = nlohmann::ordered_json;

// A request to a running packetwarp, a JSON object on one line:
//   {"command":"nat sessions","arguments":{"protocol":"udp","limit":"10"}}
// Arguments are text, as on a command line.
struct request {
  std::string command;
  std::map<std::string, std::string> arguments;

  // Nothing for a missing argument.
  [[nodiscard]] std::optional<std::string> find(std::string const& name) const;
  // Throws usage_error for an argument that is not among `names`.
  void require_known(std::initializer_list<std::string_view> names) const;
};

// The work that a request asks for, one slice per call: returns the answer, without a line's end, or nothing yet.
using request_work = std::function<std::optional<std::string>()>;

// Throws usage_error, one printable line, if the line is no request.
[[nodiscard]] request parse_request(std::string_view line);
[[nodiscard]] std::string to_line(request const& asked);

// The answer, also one line: {"status":0,"result":...}, or {"status":2,"error":"what was wrong"}. status is the exit
// status of the command that asked. "again":true beside them means that the server had no place for the client and that
// no part of the request was done: the client may connect and ask again.
struct answer {
  int status{};
  std::string error;
  json result;
  bool again{};
};
// Throws failure if the line is no answer.
[[nodiscard]] answer parse_answer(std::string_view line);
// For a program at the socket that is no packetwarp: throws failure, one line.
[[noreturn]] void refuse_answer();
// The result of code that reads an answer, whose parts may be missing or of another kind.
template <class Read>
[[nodiscard]] auto understood(Read const& read) {
  try {
    return read();
  } catch (json::exception const&) {
    refuse_answer();
  }
}
[[nodiscard]] std::string to_line(answer const& given);

[[nodiscard]] std::string success_line(json result);
// The same for a result that is JSON on one line already.
[[nodiscard]] std::string success_line_of(std::string_view result);
[[nodiscard]] std::string error_line(int status, std::string_view error);

}  // namespace packetwarp
