// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/rdma-bw/end_counters.h"

#include <fmt/format.h>

#include <array>
#include <exception>
#include <map>
#include <string_view>

#include "base/error.h"

namespace packetwarp {
namespace {

using counters_by_name = std::map<std::string, std::uint64_t, std::less<>>;

struct end_drop {
  std::string_view counter;
  std::string_view text;
};
// Packets that an end drops, and does not answer. Frames of other protocols, or to other MAC addresses, are none.
constexpr std::array<end_drop, 9> end_drops{{{"of_another_type", "of another connection type (-c RC is needed)"},
                                             {"malformed", "malformed"},
                                             {"of_no_queue", "of no queue"},
                                             {"of_no_peer", "of no peer"},
                                             {"of_no_partition", "of no partition"},
                                             {"of_no_responder", "of no responder"},
                                             {"answers_dropped", "answers without room"},
                                             {"requests_dropped", "requests without room"},
                                             {"frames_given_up", "that the driver did not take"}}};

// "; dropped: 3 malformed, 1 of no queue"; nothing without a drop.
[[nodiscard]] std::string drops_in(counters_by_name const& of) {
  std::string made;
  for (auto const& [counter, text] : end_drops) {
    auto const found = of.find(counter);
    if (found == of.end() || found->second == 0) continue;
    made += fmt::format("{}{} {}", made.empty() ? "; dropped: " : ", ", found->second, text);
  }
  return made;
}

[[nodiscard]] std::uint64_t value_in(counters_by_name const& of, std::string_view name) {
  auto const found = of.find(name);
  return found == of.end() ? 0 : found->second;
}

}  // namespace

std::string line_of_counters(end_counters const& counters) {
  counters_by_name const of{counters.begin(), counters.end()};
  if (of.contains("completions"))
    return fmt::format("engine: {} writes, {} doorbells, {} completions\n", of.at("writes"), of.at("doorbells"),
                       of.at("completions"));
  if (!of.contains("packets_sent")) return {};  // only engine `roce` counts packets
  std::string refused;
  if (of.at("remote_access_errors") != 0)
    refused += fmt::format(", {} remote access errors", of.at("remote_access_errors"));
  if (of.at("invalid_requests") != 0) refused += fmt::format(", {} invalid requests", of.at("invalid_requests"));
  return fmt::format(
      "packets: {} sent, {} of them again; {} time-outs, {} sequence NAKs; {} executed, {} duplicates, {} out of "
      "sequence, {} with a wrong ICRC, {} NAKs sent{}{}\n",
      of.at("packets_sent"), of.at("packets_sent_again"), of.at("timeouts"), of.at("sequence_naks_received"),
      of.at("packets_executed"), of.at("duplicates"), of.at("out_of_sequence"), of.at("bad_icrc"),
      of.at("sequence_naks_sent") + of.at("other_naks_sent"), refused, drops_in(of));
}

std::string shortfall_of(rdma::told_result const& told, end_counters const& counters, std::string const& peer) {
  counters_by_name const of{counters.begin(), counters.end()};
  auto const executed = of.find("messages_executed");
  if (executed == of.end() || executed->second >= told.iterations) return {};
  auto dropped = drops_in(of);
  if (auto const wrong = value_in(of, "bad_icrc"); wrong != 0)
    dropped = fmt::format("; {} packets had a wrong ICRC{}", wrong, dropped);
  return fmt::format("rdma-bw: {} tells of {} writes, and this end has executed {}{}", peer, told.iterations,
                     executed->second, dropped.empty() ? ": its own output may say more" : dropped);
}

void require_executed(rdma::told_result const& told, rdma::connected_pair& pair) {
  pair.own().stop();
  auto const line = shortfall_of(told, pair.own().counters(), pair.exchange().stream().peer());
  if (!line.empty()) throw failure(line);
}

end_counters counters_after_failure(rdma::endpoint& end) {
  try {
    end.stop();
    return end.counters();
  } catch (std::exception const&) {  // such as of a lost GPU; the test's own failure is told
    return {};
  }
}

std::string with_own_part(std::string const& line, end_counters const& counters) {
  counters_by_name const of{counters.begin(), counters.end()};
  // Engine `host` counts the errors of its own writes by that name.
  if (!of.contains("packets_sent") || value_in(of, "remote_access_errors") == 0) return line;
  return line + "; this end refused a write beyond its -s: give both ends the same -s";
}

}  // namespace packetwarp
