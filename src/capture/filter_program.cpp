// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "capture/filter_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <memory>

#include "base/error.h"

namespace packetwarp {
namespace {

// The snap length that libpcap takes for a whole packet.
constexpr int any_snap = 262144;

// The next number of a text whose numbers are separated by single blanks.
template <class Number>
[[nodiscard]] bool take_number(std::string_view& text, Number& into) {
  if (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), into);
  if (error != std::errc{}) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

// Whether an instruction jumps back. Libpcap's validator accepts such jumps, and its interpreter follows them for ever.
// Only BPF_JA has a distance with a sign; libpcap compiles "protochain" to it.
[[nodiscard]] bool jumps_back(filter_program const& program) {
  return std::any_of(program.begin(), program.end(), [](bpf_insn const& one) {
    return BPF_CLASS(one.code) == BPF_JMP && BPF_OP(one.code) == BPF_JA && static_cast<std::int32_t>(one.k) < 0;
  });
}

// Whether an instruction loads what Linux keeps beside a packet (SKF_AD_OFF, SKF_LL_OFF: negative offsets), which
// libpcap's interpreter takes for bytes beyond its end: no packet would match. Libpcap compiles "inbound", "outbound"
// and "ifindex" to it.
[[nodiscard]] bool reads_beside_packet(filter_program const& program) {
  return std::any_of(program.begin(), program.end(), [](bpf_insn const& one) {
    return BPF_CLASS(one.code) == BPF_LD && BPF_MODE(one.code) == BPF_ABS && static_cast<std::int32_t>(one.k) < 0;
  });
}
constexpr char const* beside_packet =
    "reads a packet's direction or interface, which are none of its bytes; the direction is chosen by --stage rx or "
    "--stage tx, and the interface by --port";

}  // namespace

filter_program compile_filter(std::string const& expression) {
  std::unique_ptr<pcap_t, decltype(&pcap_close)> const reader{pcap_open_dead(DLT_EN10MB, any_snap), &pcap_close};
  if (!reader) throw failure("--filter: libpcap has no memory left");
  bpf_program made{};
  constexpr int optimize = 1;
  if (pcap_compile(reader.get(), &made, expression.c_str(), optimize, PCAP_NETMASK_UNKNOWN) != 0) {
    throw usage_error(
        fmt::format("--filter '{}': {}; 'man pcap-filter' has the grammar", expression, pcap_geterr(reader.get())));
  }
  filter_program program{made.bf_insns, made.bf_insns + made.bf_len};
  pcap_freecode(&made);
  if (jumps_back(program)) {
    throw usage_error(
        fmt::format("--filter '{}': protochain loops over a packet's headers, and filters run without loops; match a "
                    "header at its place, as in 'ip6 proto 17'",
                    expression));
  }
  if (reads_beside_packet(program)) throw usage_error(fmt::format("--filter '{}': it {}", expression, beside_packet));
  return program;
}

std::string to_text(filter_program const& program) {
  std::string text;
  for (auto const& one : program) {
    fmt::format_to(std::back_inserter(text), "{}{} {} {} {}", text.empty() ? "" : ",", one.code, one.jt, one.jf, one.k);
  }
  return text;
}

filter_program parse_filter_program(std::string_view text) {
  filter_program program;
  bool is_good = !text.empty();
  while (is_good && !text.empty()) {
    auto& one = program.emplace_back();
    is_good = take_number(text, one.code) && take_number(text, one.jt) && take_number(text, one.jf) &&
              take_number(text, one.k) && (text.empty() || text.front() == ',');
    if (!is_good || text.empty()) break;
    text.remove_prefix(1);
    is_good = !text.empty();
  }
  constexpr std::size_t most = std::numeric_limits<std::uint16_t>::max();
  if (!is_good || program.size() > most || bpf_validate(program.data(), static_cast<int>(program.size())) == 0) {
    throw usage_error("capture: the filter is no BPF program; give an expression by packetwarp capture --filter");
  }
  if (jumps_back(program)) {
    throw usage_error(
        "capture: the filter's BPF program jumps back, and would never end; give an expression by packetwarp capture "
        "--filter");
  }
  if (reads_beside_packet(program)) throw usage_error(fmt::format("capture: the filter {}", beside_packet));
  return program;
}

}  // namespace packetwarp
