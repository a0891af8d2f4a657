// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/detect/detect_report.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "module/detect/detect_config.h"
#include "telemetry/text_table.h"

namespace packetwarp {
namespace {

using nlohmann::ordered_json;

[[nodiscard]] ordered_json object_of(feature::table_counts const& table) {
  return {{"inserted", table.inserted}, {"replaced", table.replaced}, {"untracked", table.untracked}};
}

[[nodiscard]] ordered_json object_of(anomalous_host const& host) {
  return {{"address", host.address}, {"role", to_string(host.as)}, {"packets", host.packets}, {"flows", host.flows},
          {"highest", host.highest}, {"latest", host.latest},      {"peer", host.peer}};
}

[[nodiscard]] ordered_json object_of(anomalous_flow const& flow) {
  ordered_json made{{"source", flow.source}, {"destination", flow.destination}};
  if (flow.source_port) made["source_port"] = *flow.source_port;
  if (flow.destination_port) made["destination_port"] = *flow.destination_port;
  made.update(ordered_json{
      {"protocol", flow.protocol}, {"packets", flow.packets}, {"highest", flow.highest}, {"latest", flow.latest}});
  return made;
}

[[nodiscard]] telemetry::labels labels_of(std::size_t n, detect_counts::model const& model) {
  return {{"number", std::to_string(n)}, {"model", model.file}};
}

// "5 of 20 packets called anomalous by a.onnx".
[[nodiscard]] std::string verdicts_of(detect_counts::model const& model) {
  return fmt::format("{} of {} packets called anomalous by {}", telemetry::with_separators(model.anomalous),
                     telemetry::with_separators(model.judged), model.file);
}

}  // namespace

ordered_json json_of(detect_counts const& counts) {
  auto models = ordered_json::array();
  for (auto const& one : counts.models) {
    models.push_back(ordered_json{{"file", one.file},
                                  {"threshold", one.threshold},
                                  {"decides", &one == &counts.models.front()},
                                  {"judged", one.judged},
                                  {"anomalous", one.anomalous}});
  }
  auto busiest = ordered_json::array();
  for (auto const& one : counts.busiest) busiest.push_back(object_of(one));
  auto highest = ordered_json::array();
  for (auto const& one : counts.highest) highest.push_back(object_of(one));
  auto const& events = counts.events;
  ordered_json made{
      {"action", to_string(counts.action)},
      {"models", std::move(models)},
      {"flows", object_of(counts.flows)},
      {"hosts", object_of(counts.hosts)},
      {"events",
       {{"told", events.told}, {"repeated", events.repeated}, {"limited", events.limited}, {"lost", events.lost}}},
      {"busiest", std::move(busiest)},
      {"highest", std::move(highest)}};
  if (auto const& large = counts.large; !large.file.empty()) {
    made["large"] = {{"file", large.file},           {"threshold", large.threshold}, {"judged", large.judged},
                     {"anomalous", large.anomalous}, {"followed", counts.followed},  {"limited", counts.large_limited}};
  }
  if (counts.action == detect_action::mirror) {
    made["mirror"] = {{"to", counts.mirror_to}, {"limited", counts.mirror_limited}};
  }
  return made;
}

ordered_json detect_report::object() const { return json_of(counts_); }

void detect_report::add_metrics(telemetry::metrics_text& to) const {
  to.begin({"detect_judged", "counter", "Packets that a model has judged."});
  for (std::size_t n = 0; n < counts_.models.size(); ++n) {
    to.sample(labels_of(n, counts_.models[n]), counts_.models[n].judged);
  }
  to.begin({"detect_anomalous", "counter", "Packets whose score was above the model's threshold."});
  for (std::size_t n = 0; n < counts_.models.size(); ++n) {
    to.sample(labels_of(n, counts_.models[n]), counts_.models[n].anomalous);
  }
  if (auto const& large = counts_.large; !large.file.empty()) {
    to.begin({"detect_large_judged", "counter", "Packets of uncertain flows that the large model has judged."});
    to.sample({{"model", large.file}}, large.judged);
    to.begin({"detect_large_anomalous", "counter", "Packets that the large model has called anomalous."});
    to.sample({{"model", large.file}}, large.anomalous);
    to.begin({"detect_large_followed", "counter", "Uncertain packets with the verdict that their flow has."});
    to.sample({{"model", large.file}}, counts_.followed);
    to.begin({"detect_large_limited", "counter", "Packets that the large model would have judged but for its limit."});
    to.sample({{"model", large.file}}, counts_.large_limited);
  }
  if (counts_.action == detect_action::mirror) {
    to.begin({"detect_mirror_limited", "counter", "Anomalous packets beyond the limit of copies."});
    to.sample({}, counts_.mirror_limited);
  }
  to.begin({"detect_records_replaced", "counter", "Flows and hosts that took the place of idle ones."});
  to.sample({{"of", "flows"}}, counts_.flows.replaced);
  to.sample({{"of", "hosts"}}, counts_.hosts.replaced);
  to.begin({"detect_untracked", "counter", "Packets for whose flow or host there was no place."});
  to.sample({{"of", "flows"}}, counts_.flows.untracked);
  to.sample({{"of", "hosts"}}, counts_.hosts.untracked);
  to.begin({"detect_events", "counter", "Events of flows with anomalous packets, and those that were not written."});
  to.sample({{"fate", "told"}}, counts_.events.told);
  to.sample({{"fate", "repeated"}}, counts_.events.repeated);
  to.sample({{"fate", "limited"}}, counts_.events.limited);
  to.sample({{"fate", "lost"}}, counts_.events.lost);
}

std::vector<std::pair<std::string, std::uint64_t>> detect_report::numbers(std::size_t most) const {
  std::vector<std::pair<std::string, std::uint64_t>> all;
  for (std::size_t n = 0; n < counts_.models.size() && all.size() + 2 <= most; ++n) {
    all.emplace_back(fmt::format("{}/judged", n), counts_.models[n].judged);
    all.emplace_back(fmt::format("{}/anomalous", n), counts_.models[n].anomalous);
  }
  return all;
}

std::string detect_report::line() const {
  if (counts_.models.empty()) return {};
  auto text = fmt::format("detect   {}, action {}", verdicts_of(counts_.models.front()), to_string(counts_.action));
  if (!counts_.large.file.empty()) text += fmt::format("; of uncertain flows {}", verdicts_of(counts_.large));
  return text + '\n';
}

}  // namespace packetwarp
