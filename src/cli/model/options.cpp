// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/model/options.h"

#include <fmt/format.h>

#include "base/error.h"

namespace packetwarp {
namespace {

[[nodiscard]] model_options::task model_task_called(std::string const& word) {
  if (word == "check") return model_options::task::check;
  if (word == "run") return model_options::task::run;
  throw usage_error(fmt::format("model '{}': give check or run; 'packetwarp model --help' says more", word));
}

}  // namespace

model_options parse_model_options(invocation const& given) {
  auto call = with_words_as_options(given);
  if (call.options.empty()) throw usage_error("model: give check or run; 'packetwarp model --help' says more");
  model_options options;
  options.what = model_task_called(call.options.front());
  auto const name = call.options.front();
  call.options.erase(call.options.begin());
  CLI::App app;
  app.add_option("file", options.file);
  if (options.what == model_options::task::run) {
    app.add_option("--rows", options.rows);
    app.add_option("--pcap", options.pcap);
  }
  parse_options(app, call);
  if (options.file.empty()) throw usage_error(fmt::format("model {0}: give the model: model {0} FILE", name));
  if (options.what == model_options::task::run && options.rows.empty() == options.pcap.empty()) {
    throw usage_error("model run: give either the rows, --rows CSV, - for standard input, or a capture, --pcap FILE");
  }
  return options;
}

}  // namespace packetwarp
