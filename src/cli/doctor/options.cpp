// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/doctor/options.h"

#include <optional>

#include "base/error.h"
#include "base/units.h"
#include "doctor/examine.h"

namespace packetwarp {

doctor_options parse_doctor_options(invocation const& call) {
  auto const all = with_words_as_options(call);

  doctor_options options;
  std::optional<std::string> only, hugepages;
  CLI::App app;
  app.add_option("--only", only);
  app.add_option("--hugepages", hugepages);
  app.add_flag_callback("--fix", [&] { options.fix = doctor_options::repair::hugepages; });
  app.add_option("--json", options.json);
  parse_options(app, all);

  options.chosen = doctor::choose_checks(only.value_or(""));
  if (hugepages) options.hugepage_bytes = parse_size(*hugepages, "--hugepages");
  constexpr std::uint64_t most = std::uint64_t{1} << 50;  // far above any node; sums of pages stay in 64 bits
  if (options.hugepage_bytes == 0 || options.hugepage_bytes > most) {
    throw usage_error("--hugepages: " + *hugepages + " is out of range; allowed are 1 byte to 1 PiB, such as 4g");
  }
  return options;
}

}  // namespace packetwarp
