// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/nat44/nat_requests.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <memory>
#include <utility>

#include "base/error.h"
#include "module/nat44/session_tally.h"
#include "wire/address_text.h"

namespace packetwarp {
namespace {

// The records per call: it takes some tens of microseconds, and a millisecond if all records have sessions that are
// listed.
constexpr std::uint32_t records_a_slice = 8192;
constexpr std::uint32_t records_a_step = 256;
constexpr std::size_t sessions_a_page = 256;

constexpr std::array<std::string_view, nat::transports> transport_names{"udp", "tcp", "icmp"};
[[nodiscard]] std::string_view name_of(nat::transport kind) { return transport_names[static_cast<std::size_t>(kind)]; }

[[nodiscard]] std::string_view state_of(nat44_session const& one) {
  if (one.kind != nat::transport::tcp) return "";
  if (nat::is_established(one.tcp)) return "established";
  return (one.tcp & nat::tcp_state::closed) != 0 ? "closing" : "opening";
}

[[nodiscard]] std::string text_of(nat::endpoint at) { return fmt::format("{}:{}", wire::to_text(at.address), at.port); }

// An address, and a port of it if one is given.
struct endpoint_filter {
  std::optional<wire::ipv4_address> address;
  std::optional<std::uint16_t> port;
  [[nodiscard]] bool takes(nat::endpoint at) const {
    return (!address || *address == at.address) && (!port || *port == at.port);
  }
};

template <class Number>
[[nodiscard]] std::optional<Number> parse_number(std::string_view text) {
  Number value{};
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional{value} : std::nullopt;
}

[[nodiscard]] endpoint_filter endpoint_of(request const& asked, std::string const& name) {
  auto const text = asked.find(name);
  if (!text) return {};
  auto const colon = text->find(':');
  endpoint_filter made{.address = wire::parse_ipv4(text->substr(0, colon)), .port = {}};
  if (colon != std::string::npos) made.port = parse_number<std::uint16_t>(std::string_view{*text}.substr(colon + 1));
  if (!made.address || (colon != std::string::npos && !made.port)) {
    throw usage_error(fmt::format("--{}: give an IPv4 address, or one with a port, such as 192.0.2.1:53", name));
  }
  return made;
}

[[nodiscard]] std::optional<nat::transport> transport_of(request const& asked) {
  auto const text = asked.find("protocol");
  if (!text) return std::nullopt;
  for (std::size_t i = 0; i < transport_names.size(); ++i) {
    if (*text == transport_names[i]) return static_cast<nat::transport>(i);
  }
  throw usage_error("--protocol: give udp, tcp or icmp");
}

struct session_filter {
  endpoint_filter inside;
  endpoint_filter outside;
  std::optional<nat::transport> kind;
  [[nodiscard]] bool takes(nat44_session const& one) const {
    return (!kind || *kind == one.kind) && inside.takes(one.inside) && outside.takes(one.outside);
  }
};

[[nodiscard]] json json_of(nat44_session const& one) {
  json made{{"protocol", name_of(one.kind)}, {"inside", text_of(one.inside)}, {"outside", text_of(one.outside)}};
  bool const is_configured = one.from == nat::origin::configured;
  // A port forward does not age and tracks no connections.
  if (!is_configured) made["idle"] = one.idle;
  if (auto const state = state_of(one); !is_configured && !state.empty()) made["state"] = state;
  made["origin"] = is_configured ? "configured" : "packet";
  return made;
}

}  // namespace

request_work list_sessions(request const& asked, nat44_module& nat) {
  asked.require_known({"inside", "outside", "protocol", "from"});
  session_filter const filter{endpoint_of(asked, "inside"), endpoint_of(asked, "outside"), transport_of(asked)};
  auto const from = parse_number<std::uint32_t>(asked.find("from").value_or("1"));
  if (!from) throw usage_error("nat sessions: from is no number of a record");
  return [filter, at = *from, found = json::array(), &nat]() mutable -> std::optional<std::string> {
    auto const& table = nat.table();
    // Up to the end of a page's last step: a record is never on two pages.
    for (std::uint32_t n = 0; n < records_a_slice && at < table.records() && found.size() < sessions_a_page;
         n += records_a_step, at += records_a_step) {
      table.for_each(at, at + records_a_step, [&](nat44_session const& one) {
        if (filter.takes(one)) found.push_back(json_of(one));
      });
    }
    bool const is_last = at >= table.records();
    if (!is_last && found.size() < sessions_a_page) return std::nullopt;
    json page{{"sessions", std::move(found)}};
    if (!is_last) page["next"] = std::to_string(at);
    return success_line(std::move(page));
  };
}

request_work count_sessions(request const& asked, nat44_module& nat) {
  asked.require_known({});
  return [tally = session_tally{nat.table()}, &nat]() mutable -> std::optional<std::string> {
    auto const seen = tally.step();
    if (!seen) return std::nullopt;
    return success_line({{"live", seen->live()},
                         {"udp", seen->udp},
                         {"tcp", seen->tcp},
                         {"icmp", seen->icmp},
                         {"configured", seen->configured},
                         {"room", seen->room},
                         {"made", seen->made},
                         {"ended", seen->ended},
                         {"evicted", seen->evicted},
                         {"untracked", seen->untracked},
                         {"unlogged", seen->unlogged + lost_lines(nat)},
                         {"conflicts", seen->conflicts}});
  };
}

request_work save_sessions(request const& asked, nat44_module& nat, run_view const& run) {
  asked.require_known({"file"});
  auto const path = asked.find("file").value_or(nat.state());
  // Another name of the state's file is as good as the state's own.
  auto own = path == nat.state() ? std::vector<std::string>{} : run.own_files();
  std::erase(own, nat.state());
  std::erase(own, nat::session_file_writer::unfinished_name(nat.state()));
  if (path.empty()) throw usage_error("nat save: the network has no 'state' file; say where to: nat save --file FILE");
  return [path, own = std::move(own), &nat, is_begun = false,
          save = std::shared_ptr<session_save const>{}]() mutable -> std::optional<std::string> {
    // With a GPU, all of its sessions are read first.
    if (!std::exchange(is_begun, true)) nat.table().begin_read_back();
    if (!save && nat.table().is_reading_back()) return std::nullopt;
    if (!save) save = nat.begin_save(path, own);
    if (!save || !save->is_over()) return std::nullopt;
    if (save->is_refused()) throw usage_error(fmt::format("nat save: {} by --file", save->error()));
    if (!save->error().empty()) throw failure(save->error());
    return success_line({{"saved", save->sessions()}, {"file", path}});
  };
}

}  // namespace packetwarp
