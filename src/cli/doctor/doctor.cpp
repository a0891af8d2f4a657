// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/log/log.h"
#include "base/process/container.h"
#include "base/process/privileges.h"
#include "base/process/stop.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/doctor/child_tools.h"
#include "cli/doctor/options.h"
#include "cli/result_file.h"
#include "doctor/examine.h"
#include "doctor/machine/boot.h"
#include "doctor/machine/hugepages.h"
#include "doctor/report.h"
#include "gpu/gpu.h"

namespace packetwarp {
namespace {

using namespace doctor;

[[nodiscard]] cuda_facts ask_cuda() {
  if (!built_with_cuda) return {};
  if (auto const gpus = find_gpus(); !gpus.empty()) {
    return {.driver = gpus.front().driver, .runtime = gpus.front().runtime, .problem = {}};
  }
  try {
    (void)open_gpu(0);  // its error names the missing part
  } catch (std::exception const& refused) {
    return {.driver = {}, .runtime = {}, .problem = refused.what()};
  }
  return {.driver = {}, .runtime = {}, .problem = "CUDA finds no GPU"};
}

// Logs each step before it is made, and its result afterwards.
[[nodiscard]] std::vector<hugepage_result> fix_hugepages(machine_reader const& files, std::uint64_t wanted) {
  auto const steps = plan_hugepages(files, wanted);
  if (steps.empty()) log().info("--fix: nothing to do, {} of hugepages are free everywhere", format_size(wanted));
  std::vector<hugepage_result> results;
  for (auto const& step : steps) {
    log().info("--fix: {}", describe(step));
    results.push_back(apply(files, step));
    if (step.refused.empty()) log().info("--fix: {}", describe(results.back()));
  }
  return results;
}

}  // namespace

int run_doctor(invocation const& call) {
  auto const options = parse_doctor_options(call);
  raise_permitted(rights_of_ports);
  result_file result{options.json};
  machine_reader const files;
  child_tools const programs;

  std::vector<hugepage_result> fixes;
  if (options.fix == doctor_options::repair::hugepages) fixes = fix_hugepages(files, options.hugepage_bytes);
  auto const findings = examine({.files = files,
                                 .programs = programs,
                                 .cuda = ask_cuda(),
                                 .hugepage_bytes = options.hugepage_bytes,
                                 .where = find_surroundings()},
                                options.chosen);
  if (stop_requested() != stop_request::none) throw failure("interrupted before every check was made");

  auto const boot = plan_boot(files, findings);
  if (!result.is_standard_output()) fmt::print("{}", to_table(findings, boot));
  if (!options.json.empty()) result.write(to_json(findings, fixes, boot));
  bool const is_fixed = std::all_of(fixes.begin(), fixes.end(), [](auto const& fix) { return fix.problem.empty(); });
  return is_fixed && !any_fails(findings) ? exit_success : exit_failure;
}

}  // namespace packetwarp
