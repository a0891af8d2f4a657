// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <istream>
#include <iterator>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/process/stop.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/features/capture_rows.h"
#include "cli/model/model_rate.h"
#include "cli/model/options.h"
#include "cli/model/rows_file.h"
#include "cli/model/rows_input.h"
#include "feature/feature_state.h"
#include "feature/row.h"
#include "function/network/bounds.h"
#include "gpu/gpu.h"
#include "model/evaluate.h"
#include "model/features.h"
#include "model/integer_network.h"
#include "model/load.h"
#include "model/metadata/threshold.h"
#include "model/onnx/onnx_file.h"
#include "telemetry/text_table.h"

namespace packetwarp {
namespace {

using telemetry::text_table;
using telemetry::with_separators;

// A row then has the file's features in the file's order.
[[nodiscard]] model::loaded_model load_alone(model::onnx::file const& file) {
  auto const features = model::features_of(file);
  std::vector<std::string_view> const known{features.begin(), features.end()};
  return model::load(file, known);
}

// The model at the places of the packet stage; empty if its features are not packetwarp's.
[[nodiscard]] std::optional<model::loaded_model> load_for_packets(model_options const& options,
                                                                  std::vector<std::string> const& features) {
  auto const is_known = [](std::string const& name) {
    return std::find(feature::names.begin(), feature::names.end(), name) != feature::names.end();
  };
  if (!std::all_of(features.begin(), features.end(), is_known)) return std::nullopt;
  return model::load(model::onnx::read_file(options.file), feature::names);
}

// The file's own threshold, and the last number that it lets pass, as detect compares them: with several scores, the
// first one is normal traffic's.
void print_threshold(double threshold, double unit, std::uint32_t scores) {
  fmt::print("threshold   {:.9g}: {} above {:.0f} is anomalous\n", threshold,
             scores == 1 ? "a score" : "the largest score but the first, less score_0,", std::floor(threshold / unit));
}

// The rate of the first GPU, or why there is none.
[[nodiscard]] std::string rate_on(std::vector<gpu_facts> const& gpus, model::integer_network const& network) {
  if (gpus.empty()) return "no GPU here";
  auto const& first = gpus.front();
  try {
    return fmt::format("{}, features and scores, measured now on {}; 4,096 flows, packets in its memory",
                       telemetry::with_unit(measure_packets_on_gpu(first.index, network), "pps"), first.name);
  } catch (std::runtime_error const& error) {
    return fmt::format("not measured on {}: {}", first.name, error.what());
  }
}

// Packets on this CPU, the GPU's bounds, and the state of a pipeline.
void print_use_for_packets(model_options const& options, model::loaded_model const& alone) {
  auto const loaded = load_for_packets(options, alone.features);
  if (!loaded) {
    fmt::print("packets     not judged: 'packetwarp features' computes other features than the model's\n");
    return;
  }
  auto const network = loaded->network.ref();
  if (auto const why_not = why_not_by_group(network, group_kind::lone_lane)) {
    fmt::print("cpu         not judged: the model {}\n", *why_not);
  } else {
    fmt::print("cpu         {}, features and scores, measured now on one CPU core; 4,096 flows\n",
               telemetry::with_unit(measure_packets(network), "pps"));
  }
  auto const why_not = why_not_by_group(network, group_kind::warp);
  auto const gpus = find_gpus();
  auto const here = gpus.empty() ? "no GPU here" : gpus.front().name + ", not measured";
  auto const shared_bytes = gpus.empty() ? 0 : gpus.front().shared_bytes;
  if (why_not && why_not_by_blocks(network, shared_bytes)) {
    fmt::print(
        "gpu         not judged: the model {}; executor cpu takes it, for packets that a smaller model leaves "
        "(detect.large) or for all; {}\n",
        *why_not, here);
  } else if (why_not) {
    fmt::print(
        "gpu         judged for packets that a smaller model leaves (detect.large), by executors graph and kernel: for "
        "all packets the model {}; {}\n",
        *why_not, here);
  } else {
    fmt::print("gpu         judged by every GPU executor; {}\n", rate_on(gpus, loaded->network));
  }
  feature::state_sizes const sizes;
  fmt::print("state       {} per pipeline: {} flows, {} hosts\n", format_size(feature::state_layout{sizes}.bytes()),
             with_separators(sizes.flows), with_separators(sizes.hosts));
}

int check_model(model_options const& options) {
  using enum text_table::align;
  auto const file = model::onnx::read_file(options.file);
  auto const loaded = load_alone(file);
  auto const threshold = model::threshold_of(file);
  text_table layers{{{"layer", left}, {"kind", left}, {"inputs"}, {"outputs"}, {"operations"}, {"bytes"}}};
  std::uint64_t operations = 0;
  for (auto const& layer : loaded.layers) {
    operations += layer.operations;
    layers.add_row({layer.name, layer.kind, std::to_string(layer.inputs), std::to_string(layer.outputs),
                    with_separators(layer.operations), with_separators(layer.bytes)});
  }
  auto const is_dense = loaded.network.ref().header().kind == model::network_kind::dense;
  auto const set = is_dense ? model::best_instruction_set() : model::instruction_set::scalar;
  fmt::print("{}\n", layers.text());
  fmt::print("features    {}: {}\n", loaded.features.size(), telemetry::with_commas(loaded.features));
  fmt::print("scores      {} per row; 1 stands for {:.9g}\n", loaded.network.ref().outputs(), loaded.unit);
  if (threshold) print_threshold(*threshold, loaded.unit, loaded.network.ref().outputs());
  fmt::print("operations  {} per row ({})\n", with_separators(operations),
             is_dense ? "products" : "comparisons at most");
  fmt::print("memory      {}\n", format_size(loaded.network.bytes().size()));
  fmt::print("speed       {}, measured now on one CPU core by {}\n",
             telemetry::with_unit(measure_rows(loaded.network.ref()), "rows/s"), model::name_of(set));
  print_use_for_packets(options, loaded);
  return exit_success;
}

void print_scores(std::vector<std::int32_t> const& scores, std::uint32_t outputs) {
  fmt::memory_buffer text;
  std::span<std::int32_t const> left{scores};
  for (; !left.empty(); left = left.subspan(outputs)) {
    fmt::format_to(std::back_inserter(text), "{}\n", fmt::join(left.first(outputs), ","));
  }
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    throw failure(fmt::format("writing to standard output failed: {}", std::strerror(errno)));
  }
}

// read(most, rows) appends rows; false: none is left.
template <class Read>
void print_all_scores(model::loaded_model const& loaded, Read const& read) {
  constexpr std::size_t at_once = 1024;
  auto const outputs = loaded.network.ref().outputs();
  for (std::uint32_t o = 0; o < outputs; ++o) fmt::print("score_{}{}", o, o + 1 == outputs ? '\n' : ',');
  std::vector<std::int8_t> rows;
  std::vector<std::int32_t> scores;
  while (read(at_once, rows)) {
    if (stop_requested() != stop_request::none) throw failure("interrupted before every row was evaluated");
    auto const count = rows.size() / model::row_bytes;
    scores.resize(count * outputs);
    model::evaluate(loaded.network.ref(), rows.data(), count, scores.data());
    print_scores(scores, outputs);
    rows.clear();
  }
}

int run_model_on_rows(model_options const& options) {
  rows_input input{options.rows};
  std::istream from{&input};
  from.exceptions(std::ios_base::badbit);
  auto const loaded = load_alone(model::onnx::read_file(options.file));
  rows_file file{from, options.rows, loaded.features};
  print_all_scores(loaded, [&](std::size_t most, auto& rows) { return file.read(most, rows); });
  return exit_success;
}

int run_model_on_capture(model_options const& options) {
  auto const loaded = model::load(model::onnx::read_file(options.file), feature::names);
  capture_rows from{options.pcap};
  print_all_scores(loaded, [&](std::size_t most, auto& rows) { return from.read(most, rows); });
  if (!from.problem().empty()) throw failure(fmt::format("{}; the packets before that have scores", from.problem()));
  return exit_success;
}

}  // namespace

int run_model(invocation const& call) {
  auto const options = parse_model_options(call);
  if (options.what == model_options::task::check) return check_model(options);
  return options.pcap.empty() ? run_model_on_rows(options) : run_model_on_capture(options);
}

}  // namespace packetwarp
