// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/error.h"
#include "flow/grammar.h"
#include "flow/nic.h"
#include "flow/parser.h"
#include "flow/print.h"
#include "function/rules/rules.h"
#include "module/rules/compile/table.h"

using namespace packetwarp;

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

// Any text is either commands or one printable line.
template <class Use>
void parse_any(Use use) {
  try {
    use();
  } catch (usage_error const& error) {
    for (char const c : std::string_view{error.what()}) require(c >= ' ' && c <= '~');
  }
}

void check_print(flow::command const& read) {
  auto const text = flow::to_text(read);
  auto const again = flow::parse_command(text);
  require(again == read);
  require(flow::to_text(again) == text);
}

std::vector<flow::port_queues> queues() { return {{port_id{0}, 1, 2, port_id{1}}, {port_id{1}, 1, 2, port_id{0}}}; }

// With any rules, packets go through them and stay within their bytes (the address sanitizer checks).
void pass_packets(rules_table const& table) {
  std::vector<rules_egress> egresses;
  for (std::uint16_t n = 0; n < max_rules_ports; ++n) egresses.push_back({port_id{n}, egress_index{n}});
  constexpr std::uint32_t headroom = 8;
  for (std::uint32_t length : {0U, 14U, 40U, 64U, 200U}) {
    std::vector<std::byte> memory(headroom + length);
    auto* const frame = memory.data() + headroom;
    for (std::uint32_t i = 0; i < length; ++i) frame[i] = static_cast<std::byte>(i * 37);
    constexpr unsigned char header[] = {0x08, 0x00, 0x45, 0, 0, 40, 0, 0, 0, 0, 9, 17, 0, 0};
    for (std::uint32_t i = 0; i < sizeof header && 12 + i < length; ++i) frame[12 + i] = std::byte{header[i]};
    (void)rules::process({frame, length, length}, table.ref(port_id{0}, egresses));
  }
}

void check_rules(std::vector<flow::numbered_command> const& read) {
  flow::rule_book book;
  for (auto const& one : read) {
    check_print(one.what);
    if (auto const* created = std::get_if<flow::create_rule>(&one.what.what)) {
      flow::nic_rule const arrays{created->what, {.types = flow::default_rss_types, .queues = 4}};
      require(arrays.pattern() != nullptr && arrays.actions() != nullptr);
    }
    parse_any([&] { (void)book.apply(one.what, one.line); });
  }
  auto const compiled = flow::compile_rules(book, queues());
  pass_packets({compiled.all, compiled.ports, {}});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  std::string_view const text{reinterpret_cast<char const*>(data), size};
  parse_any([&] { check_rules(flow::parse_text(text, "fuzz")); });
  return 0;
}
