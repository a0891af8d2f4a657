// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "request/request.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>
#include <vector>

#include "base/error.h"

namespace packetwarp {
namespace {

constexpr std::string_view form = R"({"command":"nat stats","arguments":{}})";

// Any bytes are accepted: bytes that are no UTF-8 are replaced, so that the answer is always JSON.
[[nodiscard]] std::string dump(json const& what) { return what.dump(-1, ' ', false, json::error_handler_t::replace); }

[[noreturn]] void refuse(std::string_view why) {
  throw usage_error(fmt::format("the request {}; it is a line such as {}", why, form));
}

[[nodiscard]] std::string text_of(json const& value, std::string_view name) {
  if (!value.is_string()) refuse(fmt::format("has a {} that is no text", name));
  auto text = value.get<std::string>();
  if (text.find('\0') != text.npos) refuse(fmt::format("has a {} with a NUL character", name));
  return text;
}

// The way in which a line has more of JSON's structure than a request has, which is arguments within an object; empty:
// none. Only brackets and colons outside of strings count.
[[nodiscard]] std::string_view excess_of(std::string_view line) {
  constexpr int deepest = 4;
  constexpr int most_keys = 64;
  bool in_text = false;
  bool is_escaped = false;
  int depth = 0;
  int keys = 0;
  for (auto const c : line) {
    if (is_escaped) {
      is_escaped = false;
    } else if (in_text) {
      is_escaped = c == '\\';
      in_text = c != '"';
    } else if (c == '"') {
      in_text = true;
    } else if (c == '{' || c == '[') {
      if (++depth > deepest) return "is nested deeper than a request is";
    } else if (c == '}' || c == ']') {
      --depth;
    } else if (c == ':' && ++keys > most_keys) {
      return "has more keys than the 64 that a request may have";
    }
  }
  return {};
}

// For json::parse(), which calls it for each part of a text: finds a key that an object has twice, of which the parser
// keeps one.
struct repeated_key {
  std::vector<std::set<std::string>> open{};  // keys of the objects around
  bool is_found{false};

  bool operator()(int /*depth*/, json::parse_event_t event, json& parsed) {
    using event_kind = json::parse_event_t;
    if (event == event_kind::object_start) open.emplace_back();
    if (event == event_kind::object_end) open.pop_back();
    if (event == event_kind::key && !open.back().insert(parsed.get<std::string>()).second) is_found = true;
    return true;
  }
};

}  // namespace

std::optional<std::string> request::find(std::string const& name) const {
  auto const found = arguments.find(name);
  return found == arguments.end() ? std::nullopt : std::optional{found->second};
}

void request::require_known(std::initializer_list<std::string_view> names) const {
  for (auto const& [name, value] : arguments) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    std::string all;
    for (auto const known : names) all.append(all.empty() ? "" : ", ").append(known);
    throw usage_error(fmt::format("{}: an argument is not known; there are: {}", command, all.empty() ? "none" : all));
  }
}

request parse_request(std::string_view line) {
  // A line of nothing but brackets would be tens of thousands of arrays within each other, 50 ms of the master's time.
  // A line of nothing but keys would be an object of 8,000 keys, 100 ms: ordered_json compares each key with all
  // others.
  if (auto const excess = excess_of(line); !excess.empty()) refuse(excess);
  repeated_key repeated;
  auto const read = json::parse(line, std::ref(repeated), false);
  if (!read.is_object()) refuse("is no JSON object");
  if (repeated.is_found) refuse("has a key twice");
  request made;
  for (auto const& [key, value] : read.items()) {
    if (key == "command") {
      made.command = text_of(value, "command");
    } else if (key == "arguments") {
      if (!value.is_object()) refuse("has arguments that are no JSON object");
      for (auto const& [name, text] : value.items()) made.arguments[name] = text_of(text, "value of an argument");
    } else {
      refuse("has a key that is neither command nor arguments");
    }
  }
  if (made.command.empty()) refuse("has no command");
  return made;
}

std::string to_line(request const& asked) {
  json arguments = json::object();
  for (auto const& [name, value] : asked.arguments) arguments[name] = value;
  return dump({{"command", asked.command}, {"arguments", arguments}});
}

void refuse_answer() {
  throw failure("control socket: the program that listens there does not answer like packetwarp");
}

answer parse_answer(std::string_view line) {
  auto const read = json::parse(line, nullptr, false);
  if (!read.is_object() || !read.contains("status") || !read["status"].is_number_integer()) {
    refuse_answer();
  }
  answer made;
  made.status = read["status"].get<int>();
  if (read.contains("error") && read["error"].is_string()) made.error = read["error"].get<std::string>();
  if (read.contains("result")) made.result = read["result"];
  made.again = read.value("again", json{}) == true;
  return made;
}

std::string to_line(answer const& given) {
  json made{{"status", given.status}};
  if (!given.error.empty()) made["error"] = given.error;
  if (!given.result.is_null()) made["result"] = given.result;
  if (given.again) made["again"] = true;
  return dump(made);
}

std::string success_line(json result) {
  return to_line(answer{.status = exit_success, .error = {}, .result = std::move(result), .again = false});
}

std::string success_line_of(std::string_view result) {
  return fmt::format(R"({{"status":{},"result":{}}})", exit_success, result);
}

std::string error_line(int status, std::string_view error) {
  return to_line(answer{.status = status, .error = std::string{error}, .result = {}, .again = false});
}

}  // namespace packetwarp
