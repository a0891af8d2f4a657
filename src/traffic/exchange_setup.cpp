// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>

#include "base/error.h"
#include "base/log/log.h"
#include "base/process/stop.h"
#include "base/sleep.h"
#include "traffic/exchange.h"
#include "traffic/question/answer_judge.h"

namespace packetwarp::traffic {
namespace {

constexpr std::uint32_t usual_data_room = 2048;
constexpr std::uint16_t mtu_excess = 14;   // the Ethernet header, which an MTU does not count
constexpr std::size_t most_streams = 256;  // told apart by one byte of the signature
constexpr std::chrono::seconds link_patience{5};

}  // namespace

exchange::exchange(exchange_config config, std::vector<direction> const& directions, std::size_t lcores)
    : config_{std::move(config)} {
  if (directions.empty()) throw usage_error("no port sends");
  if (config_.recorded) replay_ = std::make_unique<replay>(config_.recorded, config_.pace);
  if (!config_.programs.empty()) take_programs(directions);
  largest_length_ = largest_length();
  for (auto const& one : directions) {
    if ((replay_ || config_.asked) && one.queues != 1)
      throw usage_error("a capture is replayed on one queue of a port, to keep its order");
  }
  start_ports(directions, lcores);
  for (auto const& one : directions) add_way(one);
}

std::uint16_t exchange::largest_length() const {
  if (config_.asked) return config_.asked->largest();
  if (replay_) return replay_->largest_length();
  if (config_.programs.empty()) return stream{config_.what}.largest_length();
  std::size_t most = 0;
  for (auto const& one : config_.programs) {
    for (auto const& sent : one->streams) most = std::max(most, sent.packet.size());
  }
  return static_cast<std::uint16_t>(most);
}

packet_pool_config exchange::pool_for(std::vector<direction> const& directions, std::size_t lcores) const {
  std::uint64_t packets = config_.extra_packets;
  for (auto const& one : directions) {
    // The descriptors of a queue on either side, a burst that waits and a burst that is being verified.
    packets += std::uint64_t{one.queues} * (2U * config_.descriptors + 2U * std::max(config_.burst, 64U));
  }
  packets += std::uint64_t{lcores} * config_.pool_cache * 3 / 2;
  auto const total = std::bit_ceil(std::max<std::uint64_t>(packets, 2048) + 1) - 1;
  return {.name = "packetwarp_traffic",
          .packets = static_cast<std::uint32_t>(total),
          .data_room = std::max<std::uint32_t>(usual_data_room, largest_length_),
          .cache = config_.pool_cache,
          .socket = -1,
          .gpu = config_.gpu};
}

void exchange::require_room(port_facts const& of) const {
  auto const most = of.max_mtu + unsigned{mtu_excess};
  if (largest_length_ <= most) return;
  bool const is_stream = !replay_ && !config_.asked && config_.programs.empty();
  throw usage_error(fmt::format(
      "port {} ({}): frames of {} bytes are to be sent, with their check sequence; the largest of this port are {}: {}",
      of.id.value(), of.name, largest_length_ + frame_size::check_sequence, most + frame_size::check_sequence,
      is_stream ? "give a smaller --size" : "leave out longer packets"));
}

void exchange::start_ports(std::vector<direction> const& directions, std::size_t lcores) {
  std::map<port_id, port_config> wanted;
  for (auto const& one : directions) {
    wanted[one.from].tx_queues = std::max(wanted[one.from].tx_queues, one.queues);
    if (one.to) wanted[*one.to].rx_queues = std::max(wanted[*one.to].rx_queues, one.queues);
  }
  pool_.emplace(pool_for(directions, lcores));
  for (auto& [id, config] : wanted) {
    auto const facts = describe_port(id);
    config.rx_descriptors = config.tx_descriptors = config_.descriptors;
    config.sends_of = sent_pools::one;
    if (largest_length_ > facts.default_mtu + mtu_excess) {
      require_room(facts);
      config.mtu = static_cast<std::uint16_t>(largest_length_ - mtu_excess);
    }
    if (facts.traits().pairs == queue_pairs::required) {
      config.tx_queues = std::max(config.tx_queues, config.rx_queues);
    }
    ports_.emplace_back(facts, config, *pool_);
  }
  signs_.emplace(ports_);
  await_links();
}

void exchange::look_for_removals() {
  for (std::size_t n = 0; n < ports_.size(); ++n) {
    if (!ports_[n].is_removed() && signs_->is_asked_back(n)) ports_[n].ask_back();
  }
}

// Packets sent before a link is up are lost, and a percentage needs its speed.
void exchange::await_links() const {
  auto const until = std::chrono::steady_clock::now() + link_patience;
  auto const is_up = [](port const& one) { return one.is_link_up(); };
  while (!std::all_of(ports_.begin(), ports_.end(), is_up)) {
    if (std::chrono::steady_clock::now() >= until || stop_requested() != stop_request::none) break;
    sleep_for(std::chrono::milliseconds{20});
  }
  for (auto const& one : ports_) {
    if (!one.is_link_up()) log().warn("port {} ({}): link down", one.facts().id.value(), one.facts().name);
  }
}

port const& exchange::port_of(port_id id) const {
  return *std::find_if(ports_.begin(), ports_.end(), [&](port const& one) { return one.facts().id == id; });
}

void exchange::add_way(direction const& plan) {
  way& made = ways_.emplace_back();
  made.plan = plan;
  if (config_.asked) made.asked = std::make_unique<question_source>(config_.asked);
  for (std::uint16_t q = 0; q < plan.queues; ++q) {
    add_generator(made, q);
    made.generators.back()->await(line_);
  }
  if (!plan.to) return;
  for (std::uint16_t q = 0; q < plan.queues; ++q) add_receiver(made, q);
}

void exchange::add_generator(way& to, std::uint16_t queue) {
  if (streams_ == most_streams) throw usage_error(fmt::format("more than {} queues that send", most_streams));
  auto const& from = port_of(to.plan.from);
  auto name = fmt::format("generate {}.{}", to.plan.from.value(), queue);
  sending_limits const limits{.packets = packets_of_queue(to.plan, queue),
                              .duration = to_cycles(config_.duration),
                              .burst = config_.burst,
                              .full = config_.full};
  auto const tx = from.tx(queue_id{queue});
  if (!config_.programs.empty()) {
    to.generators.push_back(make_program_job(to, std::move(name), limits));
    return;
  }
  auto const pace = pace_of_queue(to.plan);
  if (to.asked) {
    to.generators.push_back(
        std::make_unique<generator_job<question_source>>(std::move(name), *to.asked, tx, *pool_, limits, pace));
    return;
  }
  if (replay_) {
    to.generators.push_back(
        std::make_unique<generator_job<replay>>(std::move(name), *replay_, tx, *pool_, limits, pace));
    return;
  }
  auto what = config_.what;
  what.number = static_cast<std::uint8_t>(streams_++);
  auto const& sent = *to.streams.emplace_back(std::make_unique<stream>(std::move(what)));
  to.generators.push_back(std::make_unique<generator_job<stream>>(std::move(name), sent, tx, *pool_, limits, pace));
}

void exchange::add_receiver(way& to, std::uint16_t queue) {
  auto name = fmt::format("verify {}.{}", to.plan.to->value(), queue);
  auto const rx = port_of(*to.plan.to).rx(queue_id{queue});
  if (to.asked) {
    to.receivers.push_back(std::make_unique<verifier_job<answer_judge>>(std::move(name), rx, *to.asked));
  } else if (replay_) {
    to.receivers.push_back(
        std::make_unique<verifier_job<replay_judge>>(std::move(name), rx, *config_.recorded, config_.expected));
  } else if (!config_.programs.empty()) {
    to.receivers.push_back(std::make_unique<verifier_job<stl::inspecting_judge>>(std::move(name), rx, inspection_));
  } else if (config_.what.signatures == signing::off) {
    to.receivers.push_back(std::make_unique<verifier_job<counting_judge>>(std::move(name), rx));
  } else {
    // A port may deal packets to its queues in any way, so each queue knows all of the direction's streams.
    std::vector<stream const*> sent;
    for (auto const& one : to.streams) sent.push_back(one.get());
    to.receivers.push_back(
        std::make_unique<verifier_job<signed_judge>>(std::move(name), rx, sent, config_.expected, config_.depth));
  }
  to.receivers.back()->report_to(line_);
  if (config_.expected == transform::payload_swapped) to.receivers.back()->expect_swapped_payload();
  if (config_.gpu >= 0) to.receivers.back()->look_into(config_.gpu, pool_->config().data_room);
}

std::optional<std::uint64_t> exchange::packets_of_queue(direction const& plan, std::uint16_t queue) const {
  if (config_.packets == 0) return std::nullopt;
  return config_.packets / plan.queues + (queue < config_.packets % plan.queues ? 1 : 0);
}

pacer exchange::pace_of_queue(direction const& plan) const {
  auto const& from = port_of(plan.from);
  auto const mbps = from.link_mbps();
  if (config_.how_fast.in == rate::unit::line_percent && mbps == 0) {
    throw usage_error(fmt::format("--rate {}%: port {} ({}) does not tell its link speed; give pps, bps or bpsl1",
                                  config_.how_fast.value, plan.from.value(), from.facts().name));
  }
  auto share = config_.how_fast;
  share.value /= plan.queues;
  pacer made{share, mbps * 1e6, cycles_per_second()};
  // Packets that a stall of the generator held up must not come as a flood that no wire could carry.
  if (config_.full == when_full::drop) made.limit_catch_up(most_flood, largest_length_);
  return made;
}

}  // namespace packetwarp::traffic
