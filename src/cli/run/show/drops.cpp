// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/run/show/drops.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "base/error.h"
#include "control/action.h"
#include "master/report.h"
#include "module/rows.h"
#include "network/control_report.h"

namespace packetwarp {
namespace {

enum class zeros : std::uint8_t { left_out, shown };

// The rows of one place, with the same interface and port.
class drop_rows {
 public:
  drop_rows(json_rows& into, zeros about, std::string place) : into_{into}, about_{about}, place_{std::move(place)} {}
  void add(std::string_view stage, std::string_view name, std::uint64_t packets) {
    if (packets == 0 && about_ == zeros::left_out) return;
    into_.add(fmt::format(R"({{"stage":"{}","drop":"{}",{},"packets":{}}})", stage, name, place_, packets));
  }

 private:
  json_rows& into_;
  zeros about_;
  std::string place_;
};

void add_port_drops(drop_rows& rows, port const& of) {
  auto const counted = of.counts();
  rows.add("port", "imissed", counted.missed);
  rows.add("port", "ierrors", counted.rx_errors);
  rows.add("port", "rx_nombuf", counted.no_mbuf);
  rows.add("port", "oerrors", counted.tx_errors);
}

// Adds all pipelines that receive by the port; they have the same function.
void add_pipeline_drops(drop_rows& rows, data_plane const& plane, port_id port) {
  constexpr auto first_of_function = static_cast<std::size_t>(drop_reason::first_of_function);
  std::array<std::uint64_t, max_drop_reasons> sums{};
  pipeline const* any = nullptr;
  for (auto const& p : plane.pipelines()) {
    if (p.planned().rx_port != port) continue;
    any = &p;
    auto const& counters = p.counters();
    for (std::size_t n = 0; n < sums.size(); ++n) sums[n] += counters.departures.dropped[n].read();
    sums[static_cast<std::size_t>(drop_reason::kernel_full)] += counters.arrivals.kernel_full.read();
    sums[static_cast<std::size_t>(drop_reason::isolated_full)] += counters.arrivals.isolated_full.read();
  }
  if (any == nullptr) return;
  auto const stages = plane.planned().config.function->drop_stages;
  for (std::size_t n = 0; n < sums.size(); ++n) {
    auto const name = any->name_of(static_cast<drop_reason>(n));
    if (name.empty()) continue;
    rows.add(n < first_of_function ? "data path" : stages[n - first_of_function], name, sums[n]);
  }
}

[[nodiscard]] std::uint64_t packets_of(telemetry::drop_counts const& drops, std::string_view name) {
  auto const found = std::find_if(drops.begin(), drops.end(), [&](auto const& one) { return one.name == name; });
  return found == drops.end() ? 0 : found->packets;
}

void add_control_drops(json_rows& into, zeros about, network& net) {
  drop_rows rows{into, about, R"("interface":null,"port":null)"};
  auto const said = make_control_report(net.control().counters(), net.plane());
  for (auto const& name : said.drop_names) {
    rows.add(is_work_done(name) ? "control plane, done" : "control plane", name, packets_of(said.dropped, name));
  }
}

// Adds packets to the kernel, and packets of the kernel.
void add_kernel_drops(json_rows& into, zeros about, network& net) {
  for (auto const& one : make_twin_report(net.plane())) {
    drop_rows rows{into, about, fmt::format(R"("interface":{},"port":{})", json_text(one.name), one.port)};
    for (auto const name : one.in_names) rows.add("to the kernel", name, packets_of(one.dropped_in, name));
    for (auto const name : one.out_names) rows.add("from the kernel", name, packets_of(one.dropped_out, name));
  }
}

[[nodiscard]] zeros zeros_of(request const& asked) {
  auto const all = asked.find("all");
  if (all && *all != "yes") throw usage_error("show drops: all is \"yes\", or is not given");
  return all ? zeros::shown : zeros::left_out;
}

}  // namespace

request_work show_drops(request const& asked, network& net) {
  asked.require_known({"all"});
  return
      [&net, about = zeros_of(asked), n = std::size_t{}, rows = json_rows{}]() mutable -> std::optional<std::string> {
        auto const& interfaces = net.config().interfaces;
        auto const port = net.plane().planned().ports[n].facts.id;
        drop_rows of_port{rows, about,
                          fmt::format(R"("interface":{},"port":{})", json_text(interfaces[n].name), port.value())};
        add_port_drops(of_port, net.plane().ports()[n]);
        add_pipeline_drops(of_port, net.plane(), port);
        if (++n < interfaces.size()) return std::nullopt;
        add_control_drops(rows, about, net);
        add_kernel_drops(rows, about, net);
        return success_line_of(fmt::format(R"({{"drops":{}}})", rows.array()));
      };
}

}  // namespace packetwarp
