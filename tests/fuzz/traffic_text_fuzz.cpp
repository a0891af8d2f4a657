// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/error.h"
#include "traffic/streams/pattern.h"
#include "traffic/streams/size_mix.h"
#include "traffic/streams/stream.h"
#include "traffic/streams/template.h"

using namespace packetwarp;
using namespace packetwarp::traffic;

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

// Any text is either a value, which `use` takes, or one printable line.
template <class Use>
void parse_any(Use use) {
  try {
    use();
  } catch (usage_error const& error) {
    for (char const c : std::string_view{error.what()}) require(c >= ' ' && c <= '~');
  }
}

// Every packet of a stream fits its buffer (the address sanitizer checks) and is read back by its signature.
void write_packets(stream_config const& config) {
  stream const sent{config};
  for (std::uint64_t const index : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{12'345'678'901}}) {
    std::vector<std::byte> frame(sent.length(index));
    sent.write(index, 5, frame.data());
    auto const found = read_signature(frame.data() + frame.size() - signature_length, sent.key());
    require(found && found->index == index);
  }
}

void check_template(std::string_view text) {
  packet_template const parsed = parse_template(text);
  require(parse_template(to_text(parsed)) == parsed);
  stream_config config;
  config.description = parsed;
  config.sizes = size_mix{{{smallest_frame(parsed, signature_length), 1}, {frame_size{1518}, 2}}};
  write_packets(config);
}

void check_pattern(std::string_view text) {
  pattern const parsed = parse_pattern(text);
  require(parse_pattern(to_text(parsed)) == parsed);
  require(parsed.flows >= 1 && parsed.flows <= pattern::most_flows);
  stream_config config;
  config.flows = parsed;
  config.sizes = size_mix::parse("128");
  for (char const* const description : {"vlan/ipv4/udp", "ipv4/tcp", "ipv6/udp", "ipv4/icmp"}) {
    parse_any([&] {
      config.description = parse_template(description);
      write_packets(config);
    });
  }
}

void check_sizes(std::string_view text) {
  size_mix const parsed = size_mix::parse(text);
  require(size_mix::parse(to_text(parsed)).shares() == parsed.shares());
  require(parsed.average() >= frame_size::smallest && parsed.average() <= frame_size::largest);
  for (std::uint64_t i = 0; i < 100; ++i) require(parsed.share_at(i * i * i) < parsed.shares().size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  std::string_view const text{reinterpret_cast<char const*>(data), size};
  parse_any([&] { check_template(text); });
  parse_any([&] { check_pattern(text); });
  parse_any([&] { check_sizes(text); });
  return 0;
}
