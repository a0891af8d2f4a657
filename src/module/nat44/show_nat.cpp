// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/nat44/show_nat.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/error.h"
#include "module/nat44/nat44_module.h"
#include "module/nat44/session_tally.h"
#include "module/rows.h"
#include "wire/address_text.h"

namespace packetwarp {
namespace {

// Each position has 24 KiB of sets of free ports: a loop iteration of the master takes some hundred microseconds for
// this many.
constexpr std::size_t nat_rows_a_slice = 64;

[[nodiscard]] std::string text_of_endpoint(nat::endpoint at) {
  return fmt::format("{}:{}", wire::to_text(at.address), at.port);
}

[[nodiscard]] std::string_view name_of_transport(nat::transport kind) {
  constexpr std::array<std::string_view, nat::transports> words{"udp", "tcp", "icmp"};
  return words[static_cast<std::size_t>(kind)];
}

[[nodiscard]] std::string row_of_outside(nat44_outside_use const& one, std::span<std::string const> names) {
  std::string_view const use = !one.is_configured              ? "leaving"
                               : one.gift == nat::gift_to_none ? "port_forwards"
                                                               : "pool";
  bool const is_any = one.gift == nat::gift_to_none || one.gift == nat::gift_to(nat::any_egress);
  auto const interface = is_any ? std::string{"null"} : names[one.gift - nat::gift_to(0)];
  return fmt::format(R"({{"use":"{}","outside":"{}","interface":{},"udp":{},"tcp":{},"icmp":{}}})", use,
                     wire::to_text(one.address), interface, one.ports[0], one.ports[1], one.ports[2]);
}

[[nodiscard]] std::string row_of_static(nat44_config::static_address const& one) {
  return fmt::format(R"({{"use":"static","outside":"{}","inside":"{}"}})", wire::to_text(one.outside),
                     wire::to_text(one.inside));
}

[[nodiscard]] std::string row_of_forward(nat44_config::port_forward const& one) {
  return fmt::format(R"({{"use":"port_forward","outside":"{}","inside":"{}","protocol":"{}"}})",
                     text_of_endpoint(one.outside), text_of_endpoint(one.inside), name_of_transport(one.kind));
}

// The number of all rows, one after the other: positions, static addresses, port forwards.
[[nodiscard]] std::size_t all_nat_rows(nat44_tables const& table) {
  auto const& config = table.config();
  return table.outside_positions() + config.static_addresses.size() + config.port_forwards.size();
}

void add_nat_row(nat44_tables const& table, std::span<std::string const> names, std::size_t n, json_rows& into) {
  auto const& config = table.config();
  if (n < table.outside_positions()) {
    auto const one = table.outside_use(static_cast<std::uint32_t>(n));
    if (one) into.add(row_of_outside(*one, names));
    return;
  }
  n -= table.outside_positions();
  auto const statics = config.static_addresses.size();
  into.add(n < statics ? row_of_static(config.static_addresses[n]) : row_of_forward(config.port_forwards[n - statics]));
}

[[nodiscard]] json sessions_of(nat_report const& seen, std::uint64_t lost) {
  return {{"live", seen.live()},
          {"room", seen.room},
          {"udp", seen.udp},
          {"tcp", seen.tcp},
          {"icmp", seen.icmp},
          {"configured", seen.configured},
          {"made", seen.made},
          {"ended", seen.ended},
          {"evicted", seen.evicted},
          {"untracked", seen.untracked},
          {"unlogged", seen.unlogged + lost},
          {"conflicts", seen.conflicts}};
}

// 0 stands for any number.
[[nodiscard]] json limits_of(nat44_config const& config) {
  auto const limits = nat::share_limits_of(config);
  return {{"sessions", config.sessions},          {"sessions_per_host", limits.host},
          {"sessions_per_prefix", limits.prefix}, {"share_prefix", config.share_prefix},
          {"ports_per_prefix", limits.ports},     {"first_port", config.first_port},
          {"last_port", config.last_port}};
}

[[nodiscard]] json settings_of(nat44_config const& config) {
  constexpr std::array filters{"endpoint-independent", "address-dependent", "address-and-port-dependent"};
  return {{"filtering", filters[static_cast<std::size_t>(config.filtering)]},
          {"pooling", config.pooling == nat::pooling::paired ? "paired" : "arbitrary"},
          {"forwarding", config.unmatched == nat::unmatched::forward},
          {"output_feature", config.feature == nat::feature::output_feature},
          {"timeouts",
           {{"udp", config.timeouts.udp},
            {"tcp_established", config.timeouts.tcp_established},
            {"tcp_transitory", config.timeouts.tcp_transitory},
            {"icmp", config.timeouts.icmp}}}};
}

class nat_page {
 public:
  nat_page(nat44_module& nat, run_view const& run, std::size_t from, std::size_t most)
      : nat_{nat}, run_{run}, names_{json_names(run.config())}, from_{from}, most_{most}, tally_{nat.table()} {
    begin();
  }

  [[nodiscard]] std::optional<std::string> step() {
    if (version_ != run_.version()) begin();
    bool const is_counted = from_ != 0 || counted_ || (counted_ = tally_.step());
    if (!is_counted) return std::nullopt;
    auto const& table = nat_.table();
    auto const all = all_nat_rows(table);
    for (std::size_t n = 0; n < nat_rows_a_slice && at_ < all && rows_.count() < most_; ++n, ++at_) {
      add_nat_row(table, names_, at_, rows_);
    }
    if (at_ < all && rows_.count() < most_) return std::nullopt;
    return finish(all);
  }

 private:
  void begin() {
    version_ = run_.version();
    rows_.clear();
    at_ = from_;
  }

  [[nodiscard]] std::string finish(std::size_t all) const {
    auto const& config = nat_.table().config();
    auto text = fmt::format(R"({{"version":{},"changing":{},)", version_, run_.is_changing());
    if (counted_) {
      text +=
          fmt::format(R"("sessions":{},"limits":{},"settings":{},)", sessions_of(*counted_, lost_lines(nat_)).dump(),
                      limits_of(config).dump(), settings_of(config).dump());
    }
    text += fmt::format(R"("outside":{})", rows_.array());
    if (at_ < all) text += fmt::format(R"(,"next":"{}")", at_);
    return success_line_of(text + '}');
  }

  nat44_module& nat_;
  run_view const& run_;
  std::vector<std::string> names_;
  std::size_t from_;
  std::size_t most_;
  std::size_t at_{};
  std::uint64_t version_{};
  session_tally tally_;
  std::optional<nat_report> counted_;
  json_rows rows_;
};

}  // namespace

request_work show_nat(request const& asked, nat44_module& nat, run_view const& run) {
  asked.require_known({"from", "limit"});
  return [page = nat_page{nat, run, first_row(asked), rows_of_a_page(asked)}]() mutable { return page.step(); };
}

}  // namespace packetwarp
