// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "rdma/network/roce_endpoint.h"

#include <fmt/format.h>

#include <random>
#include <utility>

#include "base/error.h"
#include "base/log/log.h"

namespace packetwarp::rdma {
namespace {

// Numbers of earlier connections of this port are not used again soon.
constexpr std::uint32_t number_mask = 0x7f'ff00;

[[nodiscard]] memory_kind kind_of_source(endpoint_settings const& settings) {
  if (settings.payload == memory_kind::device) return memory_kind::device;
  return settings.posting == initiator::gpu ? memory_kind::pinned : memory_kind::host;
}
// Near to its requester, where its poster reaches it.
[[nodiscard]] memory_kind kind_of_queue(endpoint_settings const& settings) {
  if (settings.posting == initiator::gpu)
    return settings.payload == memory_kind::device ? memory_kind::device : memory_kind::pinned;
  return settings.payload == memory_kind::device ? memory_kind::pinned : memory_kind::host;
}
[[nodiscard]] memory_kind kind_of_target(endpoint_settings const& settings) {
  if (settings.target == memory_kind::device) return memory_kind::device;
  return settings.posting == initiator::gpu ? memory_kind::pinned : memory_kind::host;
}
// Frames of a port, beside those that a GPU's queues have.
[[nodiscard]] std::uint32_t packets_of(endpoint_settings const& settings) {
  constexpr std::uint32_t of_port = 4095;
  auto const blanks = settings.payload == memory_kind::device ? gpu_frames::blanks_per_queue : 0U;
  auto const requests = settings.target == memory_kind::device ? roce::inbox::most_frames : 0U;
  return of_port + settings.queues * (blanks + requests);
}
[[nodiscard]] std::uint32_t any_psn() { return std::random_device{}() & roce::psn_mask; }
[[nodiscard]] std::uint32_t any_number() { return (std::random_device{}() & number_mask) + 0x100; }

}  // namespace

roce_endpoint::roce_endpoint(endpoint_settings const& settings, port_id on, wire::ipv4_address address)
    : queue_endpoint{settings, kind_of_source(settings)},
      first_psn_{any_psn()},
      first_number_{any_number()},
      target_{kind_of_target(settings), settings.gpu, std::size_t{settings.queues} * settings.area},
      port_{{.port = on,
             .address = address,
             .mtu = settings.mtu,
             .packets = packets_of(settings),
             .gpu_of_frames = settings.frames == memory_kind::device ? settings.gpu : -1}} {
  expose({target_.data(), target_.size()});
  make_queues(first_number_, kind_of_queue(settings));
  engine_ = std::make_unique<roce::roce_engine>(regions_.ref());
}

roce_endpoint::~roce_endpoint() {
  try {
    roce_endpoint::stop();
  } catch (failure const&) {  // a kernel does not end; the line of an earlier error is told
    port_.abandon_frames();
  }
}

std::vector<queue_key> roce_endpoint::keys() const {
  std::vector<queue_key> made;
  for (std::uint32_t n = 0; n < settings_.queues; ++n) {
    made.push_back({.number = first_number_ + n,
                    .psn = (first_psn_ + n) & roce::psn_mask,
                    .rkey = exposed_.key,
                    .address = exposed_.address + std::uint64_t{n} * settings_.area,
                    .gid = gid_of(port_.address())});
  }
  return made;
}

void roce_endpoint::connect(std::span<queue_key const> peers, std::uint32_t mtu) {
  auto const address = ipv4_of(peers.front().gid);
  if (!address)
    throw failure(
        fmt::format("rdma: the peer's GID is {}, which is no IPv4 address's: give the peer -x with the index of its "
                    "IPv4 GID (RoCE v2)",
                    to_text(peers.front().gid)));
  auto const own = keys();
  roce::frame_path path{.source_mac = port_.mac(),
                        .destination_mac = port_.resolve(*address),
                        .source = port_.address(),
                        .destination = *address};
  roce::reliability how{
      .mtu = mtu, .retries = settings_.retries, .timeout_ns = std::uint64_t{4096} << settings_.timeout_code};
  for (std::size_t n = 0; n < peers.size(); ++n) {
    if (ipv4_of(peers[n].gid) != address)
      throw failure("rdma: the peer's queues have several addresses; packetwarp connects to one");
    path.port = static_cast<std::uint16_t>(0xc000 | ((own[n].number ^ peers[n].number) & 0x3fff));
    connections_.push_back({.local_number = own[n].number,
                            .remote_number = peers[n].number,
                            .send_psn = own[n].psn,
                            .receive_psn = peers[n].psn,
                            .path = path,
                            .how = how,
                            .responds = settings_.target == memory_kind::device ? roce::responder_place::elsewhere
                                                                                : roce::responder_place::here});
    remote_.push_back({peers[n].address, peers[n].rkey});
  }
  bool const has_requesters = settings_.payload == memory_kind::device;
  bool const has_responders = settings_.target == memory_kind::device;
  if (has_requesters || has_responders) pinned_frames_ = register_packet_pools(settings_.gpu);
  if (has_requesters) make_requesters();
  if (has_responders) make_responders();
  for (std::size_t n = 0; n < connections_.size(); ++n) engine_->add(connections_[n], source_of(n));
  // The kernels start after all memory is allocated: until they are stopped they hold up calls that wait for a GPU.
  if (requesters_) requesters_->start();
  if (responders_) responders_->start();
  watch_waits();
  port_.start(*engine_, {frames_ ? &*frames_ : nullptr, requests_ ? &*requests_ : nullptr});
}

roce::request_source roce_endpoint::source_of(std::size_t queue) {
  if (requesters_) return {.elsewhere = &requesters_->ends()[queue]};
  return {.queue = &queues_[queue].parts()};
}

void roce_endpoint::make_requesters() {
  std::vector<roce::queue_on_gpu> on_gpu;
  for (std::size_t n = 0; n < connections_.size(); ++n) on_gpu.push_back({connections_[n], queues_[n].parts()});
  requesters_ = std::make_unique<roce::gpu_requesters>(
      settings_.gpu, on_gpu, regions_.regions(),
      settings_.posting == initiator::gpu ? cuda::thread_scope_device : cuda::thread_scope_system);
  frames_.emplace(requesters_->ends(), roce::gpu_requesters::lead());
}

void roce_endpoint::make_responders() {
  auto const pieces = settings_.frames == memory_kind::device ? roce::frame_pieces::two : roce::frame_pieces::one;
  responders_ = std::make_unique<roce::gpu_responders>(settings_.gpu, connections_, regions_.regions(), pieces);
  requests_.emplace(responders_->ends(), connections_, pieces);
}

std::string roce_endpoint::trouble_of_kernels() const {
  auto found = requesters_ ? requesters_->trouble() : std::string{};
  if (found.empty() && responders_) found = responders_->trouble();
  if (!found.empty()) log().error("{}", found);  // now: a kernel that waits is told nothing
  return found;
}

void roce_endpoint::watch_waits() {
  watch_.emplace([this] { return trouble_of_kernels(); },
                 [this] {
                   // A kernel that waits is lost with the others, and nothing can be copied to it.
                   bool const is_lost = (requesters_ && !requesters_->trouble().empty()) ||
                                        (responders_ && !responders_->trouble().empty());
                   if (is_lost && settings_.posting == initiator::gpu) return;
                   end_waits();
                 });
}

void roce_endpoint::stop() {
  watch_.reset();
  port_.stop();
  // They write into blanks, and read frames.
  if (requesters_) requesters_->stop();
  if (responders_) responders_->stop();
  if (frames_) frames_->release();
  if (requests_) requests_->release();
}

std::vector<std::pair<std::string, std::uint64_t>> roce_endpoint::counters() const {
  auto all = engine_->counters();
  if (requesters_) {
    all.sent.add(requesters_->sent());
    all.queues.add(requesters_->queues());
  }
  if (responders_) {
    all.received.add(responders_->received());
    all.bad_icrc += responders_->bad_icrc();
  }
  return {{"packets_sent", all.sent.packets},
          {"packets_sent_again", all.sent.sent_again},
          {"timeouts", all.sent.timeouts},
          {"sequence_naks_received", all.sent.sequence_naks},
          {"rnr_naks_received", all.sent.rnr_naks},
          {"fatal_naks_received", all.sent.fatal_naks},
          {"acknowledgements_received", all.sent.acknowledgements},
          {"stale_answers", all.sent.stale_answers},
          {"answers_dropped", frames_ ? frames_->answers_dropped() : 0},
          {"requests_dropped", requests_ ? requests_->dropped() : 0},
          {"packets_executed", all.received.packets},
          {"messages_executed", all.received.messages},
          {"bytes_executed", all.received.bytes},
          {"duplicates", all.received.duplicates},
          {"out_of_sequence", all.received.out_of_sequence},
          {"invalid_requests", all.received.invalid_requests},
          {"remote_access_errors", all.received.access_errors},
          {"acknowledgements_sent", all.answers.acknowledgements},
          {"sequence_naks_sent", all.answers.sequence_naks},
          {"other_naks_sent", all.answers.other_naks},
          {"bad_icrc", all.bad_icrc},
          {"malformed", all.malformed},
          {"of_another_type", all.of_another_type},
          {"of_no_queue", all.of_no_queue},
          {"of_no_peer", all.of_no_peer},
          {"of_no_partition", all.of_no_partition},
          {"of_no_responder", all.of_no_responder},
          {"of_another_mac", port_.of_another_mac()},
          {"other_frames", all.other_frames},
          {"send_waits", port_.send_waits()},
          {"frames_given_up", port_.given_up()}};
}

}  // namespace packetwarp::rdma
