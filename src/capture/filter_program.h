// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pcap/pcap.h>

#include <string>
#include <string_view>
#include <vector>

namespace packetwarp {

// A classic BPF program over Ethernet frames, as libpcap compiles it from an expression like "udp port 53". It answers
// whether a frame is wanted.
using filter_program = std::vector<bpf_insn>;

// Throws usage_error with libpcap's message, and for an expression with "protochain", which needs a loop, or with
// "inbound", "outbound" or "ifindex", which are no bytes of a frame. May ask the resolver for names in the expression,
// and wait for it.
[[nodiscard]] filter_program compile_filter(std::string const& expression);

// The program as text, for another process: an instruction's code, jt, jf and k, commas between instructions.
[[nodiscard]] std::string to_text(filter_program const& program);
// Throws usage_error for a text that is no program, a program that does not end on every packet, and one that reads
// what Linux keeps beside a packet.
[[nodiscard]] filter_program parse_filter_program(std::string_view text);

}  // namespace packetwarp
