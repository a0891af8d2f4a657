// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "master/data_plane.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/error.h"
#include "base/log/log.h"
#include "base/sleep.h"
#include "port/flow/address_flow.h"

namespace packetwarp {
namespace {

[[nodiscard]] std::map<int, gpu_facts> open_gpus(plan const& p) {
  std::set<int> wanted;
  for (auto const& pipeline : p.pipelines) wanted.insert(pipeline.gpu);
  wanted.insert(p.pool.gpu);
  wanted.insert(p.payload_pool.gpu);
  wanted.erase(-1);
  std::map<int, gpu_facts> opened;
  for (auto const index : wanted) opened.emplace(index, open_gpu(index));
  return opened;
}

// Ports that write into a GPU's memory need a GPU that allows it.
void require_rdma(plan const& p, std::map<int, gpu_facts> const& gpus) {
  auto const index = std::max(p.pool.gpu, p.payload_pool.gpu);
  if (index < 0) return;
  auto const& gpu = gpus.at(index);
  for (auto const& port : p.ports) {
    if (port.facts.access != packet_access::rdma || gpu.rdma != rdma_support::none) continue;
    throw failure(
        fmt::format("port {} ({}): GPU {} ({}) lets no other device into its memory (GPUDirect RDMA); use -m "
                    "host, or a GPU that does: a data centre or workstation model",
                    port.facts.id.value(), port.facts.name, gpu.index, gpu.name));
  }
}

// The master of a run of any kind, preceded by the care for GPUs and devices.
class device_keeper final : public workforce::master {
 public:
  device_keeper(data_plane& plane, workforce::master& own) : plane_{plane}, own_{own} {}
  [[nodiscard]] run_phase supervise(cycles now) override {
    plane_.look_after_gpus(now);
    plane_.look_after_ports(now);
    plane_.look_after_twins(now);
    return own_.supervise(now);
  }
  [[nodiscard]] std::chrono::nanoseconds rest() const override { return own_.rest(); }

 private:
  data_plane& plane_;
  workforce::master& own_;
};

[[nodiscard]] std::deque<packet_pool> make_pools(plan const& p) {
  std::deque<packet_pool> made;
  for (std::uint16_t n = 0; n < p.pools; ++n) {
    auto config = p.pool;
    if (p.pools != 1) config.name += fmt::format("_{}", n);
    made.emplace_back(config);
  }
  return made;
}

}  // namespace

data_plane::data_plane(plan planned, table_maker const& make_tables, gpu_domains domains)
    : plan_{std::move(planned)}, gpus_{open_gpus(plan_)}, domains_{std::move(domains)}, pools_{make_pools(plan_)} {
  for (auto const& [index, facts] : gpus_) {
    if (!domains_.contains(index)) domains_.emplace(index, std::make_shared<gpu_domain>(index));
  }
  require_rdma(plan_, gpus_);
  bool const is_mapped = std::any_of(plan_.ports.begin(), plan_.ports.end(),
                                     [](auto const& p) { return p.facts.access == packet_access::rdma; });
  if (!plan_.payload_pool.name.empty()) payload_pool_.emplace(plan_.payload_pool);
  if (is_mapped) (payload_pool_ ? *payload_pool_ : pools_.front()).announce();
  for (auto const& p : plan_.ports) ports_.emplace_back(p.facts, p.config, pools_of(p));
  bind_hairpins();
  start_replays();
  auto const tables = make_tables(ports_);
  departures_ = tables.departures;
  if (plan_.config.function->leaves == departure::by_any_port) {
    desk_.emplace(plan_.config.pipelines, plan_.ports.size(), plan_.config.punts);
  }
  make_links();
  make_handovers();
  for (auto const& p : plan_.pipelines) {
    auto const gpu = gpus_.find(p.gpu);
    pipelines_.emplace_back(p, plan_.config,
                            surroundings_of(p, gpu != gpus_.end() ? gpu->second : gpu_facts{}, tables));
  }
  for (std::size_t n = 0; n < links_.size(); ++n) make_twin_job(plan_.twins[n], links_[n]);
  add_jobs();
  watch_ports();
}

void data_plane::watch_ports() {
  twin_watch_.emplace(twins_, links_);
  signs_.emplace(ports_);
  removals_.emplace(ports_, workforce_, *signs_,
                    port_removals::hooks{.leave = [this](port_id gone) { abandon(gone); },
                                         .has_drained = [this](port_id from) { return has_drained(from); },
                                         .may_call = [this] { return !restarts_->is_calling(); }});
  restarts_.emplace(ports_, workforce_, *signs_,
                    port_restarts::hooks{.leave = [this](port_id left) { leave(left); },
                                         .rejoin =
                                             [this](port_id back) {
                                               for (auto* const job : masters_) job->rejoin(back);
                                             },
                                         .has_rules = [this](port_id in) { return has_address_flows(in); },
                                         .may_call = [this] { return !removals_->is_calling(); }});
}

// The master's part of leaving a port: the jobs that no worker polls.
void data_plane::leave(port_id gone) {
  auto const now = now_cycles();
  for (auto* const job : masters_) job->leave(gone, now);
}

bool data_plane::has_address_flows(port_id in) const {
  return std::any_of(address_flows_.begin(), address_flows_.end(),
                     [in](auto const& one) { return one.of() == in && one.size() != 0; });
}

// Leaves the port, and forgets the calls that its drivers would get at the end.
void data_plane::abandon(port_id gone) {
  leave(gone);
  for (auto& one : replays_) {
    if (one.port_of() == gone) one.end();
  }
  for (auto& one : address_flows_) {
    if (one.of() == gone) one.forget();
  }
  hairpins_.forget(gone);
}

bool data_plane::has_drained(port_id from) const {
  return std::all_of(pipelines_.begin(), pipelines_.end(), [from](pipeline const& p) {
    return p.planned().rx_port != from || p.counters().in_flight() == 0;
  });
}

void data_plane::make_links() {
  links_by_port_.assign(plan_.ports.size(), nullptr);
  for (auto const& one : plan_.twins) {
    links_by_port_[one.port] = &links_.emplace_back(one.config, static_cast<std::uint16_t>(one.port));
  }
}

void data_plane::make_handovers() {
  for (auto const& p : plan_.pipelines) {
    if (p.hands_to.empty()) continue;
    handed_.emplace_back(fmt::format("handed_{}", p.id.value()), handover_room, mbuf_ring::writers::many);
  }
}

void data_plane::make_twin_job(planned_twin const& planned, twin_link& link) {
  auto const& twin = twins_.emplace_back(planned.config, pools_.front());
  add_notices(twin.notices());
  auto const& own = ports_[planned.port];
  twin_surroundings around{.link = &link,
                           .twin = &twin.side(),
                           .received = {},
                           .out = planned.out,
                           .to_port = {},
                           .desk = desk(),
                           .timeout = to_cycles(plan_.config.tx_timeout),
                           .departures = departures_,
                           .seen = planned.lcore ? capture_tap{*captures_} : capture_tap{}};
  for (auto const queue : planned.rx_queues) around.received.push_back(own.rx(queue));
  if (!planned.rx_queues.empty() && !planned.config.flows.empty()) steer_by_port(planned);
  if (planned.out == twin_way_out::by_queue) {
    around.to_port.emplace(own.tx(planned.tx_queue), own.longest_chain(), twin_job::waiting_packets,
                           to_cycles(plan_.config.tx_timeout));
  }
  auto& job = twin_jobs_.emplace_back(std::move(around));
  if (!planned.lcore) masters_.push_back(&job);
}

// Steers packets for the twin's addresses into the first of the kernel's RX queues, if the port can.
void data_plane::steer_by_port(planned_twin const& planned) {
  auto const& facts = plan_.ports[planned.port].facts;
  auto& flows = address_flows_.emplace_back(facts.id);
  std::uint32_t number = 0;
  for (auto const& address : planned.config.flows) {
    auto const refused =
        std::visit([&](auto a) { return steer_to_queue(flows, number, a, planned.rx_queues.front()); }, address);
    ++number;
    if (!refused) continue;
    plan_.notices.push_back(fmt::format(
        "port {} ({}) refuses an address flow to {}: {}; its packets come by the queues of forwarding workers",
        facts.id.value(), facts.name, to_text(address), *refused));
  }
}

void data_plane::add_jobs() {
  for (auto const& w : plan_.workers) {
    auto& worker = workforce_.on(w.lcore.id);
    worker.record_big_loops(to_cycles(plan_.config.big_loop));
    worker.sleep_when_idle(plan_.config.poll_sleep);
    for (auto const& j : w.jobs) worker.add(pipelines_[j.pipeline].job_of(j.kind));
    for (std::size_t n = 0; n < twin_jobs_.size(); ++n) {
      if (plan_.twins[n].lcore == w.lcore.id) worker.add(twin_jobs_[n]);
    }
    bool const forwards =
        std::any_of(w.jobs.begin(), w.jobs.end(), [](auto const& j) { return j.kind == job_kind::transmit; });
    if (forwards && plan_.config.loop_delay.count() != 0) worker.add(delays_.emplace_back(plan_.config.loop_delay));
  }
  workforce_.record_big_looks(to_cycles(plan_.config.big_loop_master));
}

std::uint32_t data_plane::serve_twins(tick const& t) {
  std::uint32_t moved = 0;
  for (auto* const job : masters_) moved += job->poll(t);
  return moved;
}

void data_plane::withdraw_routes() {
  for (auto& twin : twins_) {
    for (auto const& refused : twin.withdraw()) log().warn("{}", refused);
  }
}

void data_plane::keep_twins() {
  for (auto& twin : twins_) twin.keep();
}

void data_plane::give_up_twins() {
  for (auto& job : twin_jobs_) job.give_up();
}

// Binds each port's hairpin RX queues to the TX queues of the port by which their packets leave.
void data_plane::bind_hairpins() {
  for (auto const& p : plan_.ports) {
    auto const& hairpin = p.config.hairpin;
    if (hairpin.queues != 0 && hairpin.mode.peers != hairpin_peers::self) hairpins_.bind(hairpin.next, p.facts.id);
  }
}

void data_plane::start_replays() {
  auto const by = needs_gpu(plan_.config.executor) ? worked_on::by_gpu : worked_on::by_core;
  for (auto const& p : plan_.ports) {
    if (p.replayed) replays_.emplace_back(port_of(p.facts.id), p.config.rx_queues, pools_of(p), *p.replayed, by);
  }
}

void data_plane::add_notices(std::vector<std::string> const& more) {
  plan_.notices.insert(plan_.notices.end(), more.begin(), more.end());
}

pipeline_surroundings data_plane::surroundings_of(planned_pipeline const& p, gpu_facts const& gpu,
                                                  function_tables const& tables) {
  pipeline_surroundings around{.gpu = gpu,
                               .domain = p.gpu < 0 ? nullptr : domains_.at(p.gpu),
                               .rx = &port_of(p.rx_port),
                               .desk = desk(),
                               .twins = links_by_port_,
                               .ingress = position_of(p.rx_port),
                               .captures = captures_.get(),
                               .pool = &pools_.at(pools_.size() == 1 ? 0 : p.id.value()).get(),
                               .epochs = &epochs_,
                               .tables = tables};
  for (auto const& to : p.egresses) {
    around.tx.push_back(&port_of(to.port));
    around.egresses.push_back(position_of(to.port));
  }
  if (!p.hands_to.empty()) around.handed = &handed_[p.id.value()];
  for (auto const to : p.hands_to) around.to_gpus.push_back(&handed_[to]);
  return around;
}

std::uint16_t data_plane::position_of(port_id id) const {
  std::uint16_t n = 0;
  while (plan_.ports[n].facts.id != id) ++n;
  return n;
}

void data_plane::run(workforce::master& master, std::chrono::milliseconds grace) {
  // Memory is allocated and pinned before any persistent kernel runs: afterwards CUDA would wait for the kernel's end.
  if (!gpus_.empty()) registrations_ = register_packet_pools(gpus_.begin()->first);
  struct stop_at_end {
    data_plane& plane;
    ~stop_at_end() { plane.stop_executors(); }
  } const at_end{*this};
  for (auto const& [index, domain] : domains_) domain->begin();
  auto const on_gpus = gpu_works();
  for (auto* const one : on_gpus) one->start();
  if (!on_gpus.empty()) gpu_watch_.emplace(on_gpus);
  device_keeper keeper{*this, master};
  workforce_.run(keeper, grace);
}

std::vector<gpu_work*> data_plane::gpu_works() const {
  std::vector<gpu_work*> all;
  for (auto const& p : pipelines_) {
    if (auto* const one = p.runs().on_gpu()) all.push_back(one);
  }
  return all;
}

void data_plane::look_after_gpus(cycles now) const {
  for (auto const& [index, domain] : domains_) (void)domain->look(now);
}

std::optional<gpu_loss> data_plane::loss() const {
  std::optional<gpu_loss> first;
  for (auto const& [index, domain] : domains_) {
    auto const seen = domain->loss();
    if (seen.first_sign != 0 && (!first || seen.first_sign < first->first_sign)) first = seen;
  }
  return first;
}

void data_plane::stop_executors() {
  for (auto const& [index, domain] : domains_) domain->finish();
  runs_on_ = gpu_watch_ && gpu_watch_->stop() == end_state::runs_on;
  for (auto* const one : gpu_works()) {
    if (one->stop() == end_state::runs_on) runs_on_ = true;
  }
  if (!runs_on_) return;
  for (auto& p : pipelines_) p.leave_executor();
  for (auto& registration : registrations_) registration.abandon();
  for (auto& pool : pools_) pool.abandon();
  if (payload_pool_) payload_pool_->abandon();
}

std::uint64_t data_plane::failed_over() const {
  return static_cast<std::uint64_t>(
      std::ranges::count_if(gpu_works(), [](gpu_work const* one) { return one->has_failed(); }));
}

check_counts data_plane::checked() const {
  check_counts all;
  for (auto const* const one : gpu_works()) {
    auto const of_one = one->checked();
    all.packets += of_one.packets;
    all.wrong += of_one.wrong;
  }
  return all;
}

// A pipeline receives from one queue of one port, and its packets come from its pool.
rx_pools data_plane::pools_of(planned_port const& p) const {
  if (pools_.size() == 1) return {pools_.front(), payload_pool_ ? &*payload_pool_ : nullptr};
  std::vector<packet_pool const*> of_queues(p.config.rx_queues, &pools_.front());
  for (std::size_t n = 0; n < pools_.size(); ++n) {
    auto const& from = plan_.pipelines[n];
    if (from.rx_port == p.facts.id) of_queues[from.rx_queue.value()] = &pools_[n];
  }
  return rx_pools{std::move(of_queues)};
}

port const& data_plane::port_of(port_id id) const {
  // A plan names only ports that it lists.
  return *std::find_if(ports_.begin(), ports_.end(), [&](auto const& p) { return p.facts().id == id; });
}

telemetry::histogram_snapshot data_plane::latency() const {
  telemetry::histogram_snapshot all;
  for (auto const& p : pipelines_) all += p.counters().departures.latency.snapshot();
  return all;
}

data_plane_totals data_plane::totals() const {
  data_plane_totals sum;
  for (auto const& p : pipelines_) {
    auto const& departures = p.counters().departures;
    sum.tx_packets += departures.packets.read();
    sum.punted += departures.punted.read();
    sum.dropped_packets += departures.dropped_packets.read();
    sum.dropped_bytes +=
        departures.dropped_bytes.read() + departures.punted_bytes.read() + departures.popped_bytes.read();
    sum.rx_bytes += departures.pushed_bytes.read();
    auto const& arrivals = p.counters().arrivals;
    sum.punted += arrivals.steered.read();
    sum.dropped_packets += arrivals.kernel_full.read() + arrivals.isolated_full.read();
    sum.dropped_bytes += arrivals.steered_bytes.read() + arrivals.lost_bytes.read();
  }
  for (auto const& p : pipelines_) {
    auto const& counters = p.counters();
    sum.rx_packets += counters.arrivals.packets.read();
    sum.returned += counters.arrivals.returned.read();
    sum.rx_bytes += counters.arrivals.bytes.read() + counters.arrivals.returned_bytes.read();
    sum.bursts += counters.received.bursts.read();
    sum.ring_full += counters.received.ring_full.read() + counters.isolated.ring_full.read();
    auto const first = counters.arrivals.first_seen.read();
    if (first != 0 && (sum.first_seen == 0 || first < sum.first_seen)) sum.first_seen = first;
    sum.last_seen = std::max(sum.last_seen, counters.arrivals.last_seen.read());
  }
  for (auto const& [lcore, w] : workforce_.workers()) sum.big_loops += w->big().read().count;
  return sum;
}

}  // namespace packetwarp
