// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <iostream>
#include <string>

#include "base/error.h"
#include "flow/grammar.h"
#include "flow/nic.h"
#include "flow/parser.h"
#include "flow/print.h"
#include "flow/rte_flow_text.h"
#include "flow/rule_book.h"

// Reads `flow` commands, one per line, and prints for each packetwarp's result: a line ">", then the output of
// recording_nic and testpmd in the same case, or "!" and the error. test_testpmd.py compares the two.

using namespace packetwarp;

namespace {

std::string array_text(flow::rule const& rule) {
  flow::nic_rule const compiled{rule, {.types = flow::default_rss_types, .queues = 1}};
  return test::rule_text(compiled.attr(), compiled.pattern(), compiled.actions());
}

std::string tapped(flow::command const& command) {
  auto const port = " " + std::to_string(command.port.value()) + " ";
  if (auto const* one = std::get_if<flow::validate_rule>(&command.what)) {
    return "@validate" + port + array_text(one->what) + "\n";
  }
  if (auto const* one = std::get_if<flow::create_rule>(&command.what)) {
    return "@create" + port + array_text(one->what) + "\n";
  }
  if (auto const* one = std::get_if<flow::isolate_port>(&command.what)) {
    return "@isolate" + port + (one->to == flow::set_state::on ? "1\n" : "0\n");
  }
  return {};
}

}  // namespace

int main() {
  flow::rule_book book;
  std::size_t number = 0;
  for (std::string line; std::getline(std::cin, line);) {
    ++number;
    std::cout << ">\n";
    try {
      auto const command = flow::parse_command(line, {"stdin", number});
      if (flow::parse_command(flow::to_text(command)) != command) throw failure("is printed as something else");
      std::cout << tapped(command);
      try {
        std::cout << book.apply(command);
      } catch (usage_error const& error) {
        std::cout << "?" << error.what() << "\n";
      }
    } catch (std::exception const& error) {
      std::cout << "!" << error.what() << "\n";
    }
  }
}
