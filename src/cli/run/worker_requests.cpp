// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/run/worker_requests.h"

#include <algorithm>
#include <memory>

#include "worker/worker_messages.h"

namespace packetwarp {
namespace {

[[nodiscard]] cycles timeout_of(network& net) { return to_cycles(net.plane().planned().config.message_timeout); }

[[nodiscard]] std::string role_of(network& net, lcore_id lcore) {
  auto const& workers = net.plane().planned().workers;
  auto const found =
      std::find_if(workers.begin(), workers.end(), [&](auto const& one) { return one.lcore.id == lcore; });
  return found == workers.end() ? std::string{} : found->role;
}

[[nodiscard]] json in_microseconds(cycles time) { return to_nanoseconds(time) / 1e3; }

[[nodiscard]] json json_of(big_loops const& big, std::chrono::nanoseconds over) {
  json made{{"over_us", static_cast<double>(over.count()) / 1e3}, {"count", big.count}};
  made["longest_us"] = big.count == 0 ? json(nullptr) : in_microseconds(big.longest);
  made["longest_seconds_ago"] =
      big.count == 0 ? json(nullptr) : json(to_nanoseconds(now_cycles() - big.longest_began) / 1e9);
  return made;
}

[[nodiscard]] json json_of(worker_state::job_state const& job) {
  json made{{"name", job.name}, {"packets", job.packets}};
  made["cycles_per_packet"] =
      job.packets == 0 ? json(nullptr) : json(static_cast<double>(job.spent) / static_cast<double>(job.packets));
  made["big_loops"] = job.big_loops;
  return made;
}

[[nodiscard]] json json_of(worker_survey::entry const& one, network& net) {
  auto const& box = net.plane().workers().on(one.lcore).mail();
  json made{{"lcore", one.lcore.value()},
            {"role", role_of(net, one.lcore)},
            {"answered", one.stands == reply::given},
            {"messages", box.done()},
            {"message_timeouts", box.timeouts()}};
  if (one.stands != reply::given) return made;
  auto const& state = one.state->said();
  made["loops"] = state.loops;
  made["busy"] = state.all == 0 ? 0.0 : static_cast<double>(state.busy) / static_cast<double>(state.all);
  auto big = json_of(state.big, net.plane().planned().config.big_loop);
  big["longest_job"] = state.big.longest_job ? json(state.jobs[*state.big.longest_job].name) : json(nullptr);
  made["big_loops"] = std::move(big);
  made["jobs"] = json::array();
  for (auto const& job : state.jobs) made["jobs"].push_back(json_of(job));
  return made;
}

// Asks all workers at the first call; done when each has answered, or its time is over.
[[nodiscard]] request_work survey(network& net, worker_survey::about what,
                                  std::function<std::string(worker_survey const&)> answer) {
  return [&net, what, answer = std::move(answer),
          made = std::shared_ptr<worker_survey>{}]() mutable -> std::optional<std::string> {
    if (!made) made = std::make_shared<worker_survey>(net.plane().workers(), what, timeout_of(net));
    return made->is_over(now_cycles()) ? std::optional{answer(*made)} : std::nullopt;
  };
}

}  // namespace

request_work ask_workers(request const& asked, network& net) {
  asked.require_known({});
  return survey(net, worker_survey::about::state, [&net](worker_survey const& made) {
    auto const& config = net.plane().planned().config;
    json workers = json::array();
    for (auto const& one : made.entries()) workers.push_back(json_of(one, net));
    return success_line(
        {{"workers", std::move(workers)},
         {"master", {{"big_loops", json_of(net.plane().workers().big_looks().read(), config.big_loop_master)}}},
         {"message_timeout_us", static_cast<double>(config.message_timeout.count()) / 1e3}});
  });
}

request_work reset_workers(request const& asked, network& net) {
  asked.require_known({});
  return survey(net, worker_survey::about::reset, [&net](worker_survey const& made) {
    net.plane().workers().reset_big_looks();
    json reset = json::array(), missing = json::array();
    for (auto const& one : made.entries()) {
      (one.stands == reply::given ? reset : missing).push_back(one.lcore.value());
    }
    return success_line({{"reset", std::move(reset)}, {"missing", std::move(missing)}});
  });
}

}  // namespace packetwarp
