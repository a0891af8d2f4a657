// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/capture/options.h"

#include "capture/filter_program.h"
#include "cli/capture/stages.h"
#include "cli/option_values.h"

namespace packetwarp {

capture_options parse_capture_options(invocation const& given) {
  auto const call = with_words_as_options(given);
  std::optional<std::string> stages, port, reason, filter, packets, bytes, duration, buffer, file;
  capture_options options;
  CLI::App app;
  app.add_option("--stage", stages);
  app.add_option("--port", port);
  app.add_option("--reason", reason);
  app.add_option("--filter", filter);
  app.add_option("--packets", packets);
  app.add_option("--bytes", bytes);
  app.add_option("--duration", duration);
  app.add_option("--buffer", buffer);
  app.add_option("-w,--write", file);
  app.add_option("--control", options.control);
  parse_options(app, call);
  if (!file || file->empty()) throw usage_error("-w: give the file to write, or - for standard output");
  options.file = *file;
  take_duration(duration, "--duration", options.duration);
  // Every running packetwarp would refuse a mistake here.
  if (stages) (void)parse_stages(*stages);
  if (filter) options.arguments["program"] = to_text(compile_filter(*filter));
  for (auto const& [name, value] :
       {std::pair{"stages", stages}, std::pair{"port", port}, std::pair{"reason", reason}, std::pair{"filter", filter},
        std::pair{"packets", packets}, std::pair{"bytes", bytes}, std::pair{"buffer", buffer}}) {
    if (value) options.arguments[name] = *value;
  }
  return options;
}

}  // namespace packetwarp
