// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/telemetry_commands.h"

#include <rte_telemetry.h>
#include <rte_version.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <mutex>
#include <string>
#include <string_view>

#include "module/modules.h"

namespace packetwarp {
namespace {

using telemetry::run_report;

constexpr std::chrono::seconds patience{2};

// The board that the commands' functions read: DPDK keeps a command until the process ends, and gives its function no
// context.
struct bulletin {
  std::mutex mutex;
  telemetry::report_board* board{};
  bool has_commands{};
};
[[nodiscard]] bulletin& current() {
  static bulletin it;
  return it;
}

#if RTE_VERSION < RTE_VERSION_NUM(23, 3, 0, 0)
// Functions by their names in later versions.
int rte_tel_data_add_dict_uint(rte_tel_data* data, char const* name, std::uint64_t value) {
  return rte_tel_data_add_dict_u64(data, name, value);
}
int rte_tel_data_add_array_uint(rte_tel_data* data, std::uint64_t value) {
  return rte_tel_data_add_array_u64(data, value);
}
#endif

// A dictionary that is an answer, or a part of one.
class dictionary {
 public:
  explicit dictionary(rte_tel_data* data) : data_{data} { (void)rte_tel_data_start_dict(data_); }
  dictionary& add(char const* name, std::uint64_t value) {
    (void)rte_tel_data_add_dict_uint(data_, name, value);
    return *this;
  }
  dictionary& add(char const* name, std::string const& value) {
    (void)rte_tel_data_add_dict_string(data_, name, value.substr(0, RTE_TEL_MAX_STRING_LEN - 1).c_str());
    return *this;
  }
  // If memory is short, the part is left out.
  template <class Fill>
  void add_within(std::string const& name, Fill const& fill) {
    auto* const inner = rte_tel_data_alloc();
    if (inner == nullptr) return;
    fill(dictionary{inner});
    if (rte_tel_data_add_dict_container(data_, name.c_str(), inner, 0) != 0) rte_tel_data_free(inner);
  }
  dictionary& add(telemetry::drop_counts const& drops) {
    for (auto const& drop : drops) add(drop.name.c_str(), drop.packets);
    return *this;
  }

 private:
  rte_tel_data* data_;
};

// DPDK's telemetry has only whole numbers.
[[nodiscard]] std::uint64_t rounded(double value) {
  return std::isfinite(value) && value > 0 ? static_cast<std::uint64_t>(std::llround(value)) : 0;
}

void add_latency(dictionary to, std::optional<telemetry::latency_percentiles> const& us) {
  if (!us) return;
  to.add("p50_ns", rounded(us->p50 * 1e3))
      .add("p99_ns", rounded(us->p99 * 1e3))
      .add("p999_ns", rounded(us->p999 * 1e3));
}

int info(run_report const& r, char const* /*params*/, rte_tel_data* data) {
  dictionary{data}
      .add("command", r.command)
      .add("version", r.version)
      .add("executor", r.executor)
      .add("placement", r.placement)
      .add("burst", std::uint64_t{r.burst})
      .add("uptime_ms", rounded(r.elapsed_seconds * 1e3))
      .add("rx", r.packets.rx)
      .add("tx", r.packets.tx)
      .add("punted", r.packets.punted)
      .add("in_flight", r.packets.in_flight)
      .add("dropped", total(r.packets.dropped))
      .add("failed_over", r.failed_over);
  return 0;
}

int pipelines(run_report const& r, char const* /*params*/, rte_tel_data* data) {
  (void)rte_tel_data_start_array(data, RTE_TEL_U64_VAL);
  for (auto const& p : r.pipelines) (void)rte_tel_data_add_array_uint(data, p.id);
  return 0;
}

int pipeline(run_report const& r, char const* params, rte_tel_data* data) {
  std::string_view const text{params != nullptr ? params : ""};
  unsigned id{};
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
  if (error != std::errc{} || end != text.data() + text.size()) return -EINVAL;
  auto const found = std::find_if(r.pipelines.begin(), r.pipelines.end(), [&](auto const& p) { return p.id == id; });
  if (found == r.pipelines.end()) return -EINVAL;
  dictionary all{data};
  all.add("rx_port", std::uint64_t{found->rx_port}).add("rx_queue", std::uint64_t{found->rx_queue});
  if (found->tx_port) all.add("tx_port", std::uint64_t{*found->tx_port});
  all.add("tx_queue", std::uint64_t{found->tx_queue})
      .add("rx", found->rx)
      .add("tx", found->tx)
      .add("punted", found->punted)
      .add("bursts", found->bursts)
      .add("ring_full", found->ring_full);
  add_latency(all, found->latency_us);
  all.add_within("dropped", [&](dictionary drops) { drops.add(found->dropped); });
  return 0;
}

int workers(run_report const& r, char const* /*params*/, rte_tel_data* data) {
  dictionary all{data};
  for (auto const& w : r.workers) {
    all.add_within("lcore_" + std::to_string(w.lcore), [&](dictionary one) {
      one.add("role", w.role).add("busy_percent", rounded(w.busy * 100)).add("loops", w.loops);
      if (w.cycles_per_packet) one.add("cycles_per_packet", rounded(*w.cycles_per_packet));
    });
  }
  return 0;
}

int ports(run_report const& r, char const* /*params*/, rte_tel_data* data) {
  dictionary all{data};
  for (auto const& p : r.ports) {
    all.add_within("port_" + std::to_string(p.id), [&](dictionary one) {
      one.add("name", p.name)
          .add("state", p.state)
          .add("rx_packets", p.rx_packets)
          .add("tx_packets", p.tx_packets)
          .add("rx_bytes", p.rx_bytes)
          .add("tx_bytes", p.tx_bytes)
          .add("imissed", p.imissed)
          .add("ierrors", p.ierrors)
          .add("oerrors", p.oerrors)
          .add("rx_nombuf", p.rx_nombuf);
    });
  }
  return 0;
}

int drops(run_report const& r, char const* /*params*/, rte_tel_data* data) {
  dictionary{data}.add(r.packets.dropped);
  return 0;
}

int latency(run_report const& r, char const* /*params*/, rte_tel_data* data) {
  add_latency(dictionary{data}, r.latency_us);
  return 0;
}

int control(run_report const& r, char const* /*params*/, rte_tel_data* data) {
  dictionary all{data};
  if (!r.control) return 0;
  all.add("sent", r.control->sent).add("put_back", r.control->put_back);
  all.add_within("punted", [&](dictionary one) { one.add(r.control->punted); });
  all.add_within("dropped", [&](dictionary one) { one.add(r.control->dropped); });
  return 0;
}

// Empty if the run has no such module.
int part(run_report const& r, std::string_view name, rte_tel_data* data) {
  dictionary all{data};
  for (auto const& one : r.parts) {
    if (one->name() != name) continue;
    for (auto const& [key, number] : one->numbers(RTE_TEL_MAX_DICT_ENTRIES)) all.add(key.c_str(), number);
  }
  return 0;
}

constexpr std::string_view command_prefix = "/packetwarp/";

struct telemetry_command {
  char const* name;
  int (*fill)(run_report const&, char const* params, rte_tel_data*);
  char const* help;
};
constexpr std::array answers{
    telemetry_command{"/packetwarp/info", info, "The run, and the fates of its packets. Takes no parameters"},
    telemetry_command{"/packetwarp/pipelines", pipelines, "The pipelines' numbers. Takes no parameters"},
    telemetry_command{"/packetwarp/pipeline", pipeline, "A pipeline's counters. Parameters: its number"},
    telemetry_command{"/packetwarp/workers", workers, "The work of each lcore. Takes no parameters"},
    telemetry_command{"/packetwarp/ports", ports, "The counters of each port. Takes no parameters"},
    telemetry_command{"/packetwarp/drops", drops, "Packets dropped, by name. Takes no parameters"},
    telemetry_command{"/packetwarp/latency", latency, "From rx to ready to send, by packet. Takes no parameters"},
    telemetry_command{"/packetwarp/control", control, "The work of the control plane. Takes no parameters"},
};

// Runs on DPDK's thread. An error makes the answer null.
int fill_answer(char const* name, char const* params, rte_tel_data* data) {
  auto& it = current();
  std::lock_guard const lock{it.mutex};
  auto const report = it.board != nullptr ? it.board->wait_for_fresh(patience) : nullptr;
  if (!report) return -EAGAIN;
  for (auto const& one : answers) {
    if (std::string_view{one.name} == name) return one.fill(*report, params, data);
  }
  for (auto const* const kind : module_kinds()) {
    auto const own = kind->facts().report.name;
    if (!own.empty() && std::string_view{name}.substr(command_prefix.size()) == own) return part(*report, own, data);
  }
  return -ENOENT;
}

}  // namespace

telemetry_commands::telemetry_commands(telemetry::report_board& board) {
  auto& it = current();
  std::lock_guard const lock{it.mutex};
  it.board = &board;
  if (it.has_commands) return;
  it.has_commands = true;
  for (auto const& one : answers) (void)rte_telemetry_register_cmd(one.name, fill_answer, one.help);
  for (auto const* const kind : module_kinds()) {
    auto const own = kind->facts().report;
    auto const name = std::string{command_prefix}.append(own.name);
    if (!own.name.empty()) (void)rte_telemetry_register_cmd(name.c_str(), fill_answer, std::string{own.help}.c_str());
  }
}

telemetry_commands::~telemetry_commands() {
  auto& it = current();
  std::lock_guard const lock{it.mutex};
  it.board = nullptr;
}

}  // namespace packetwarp
