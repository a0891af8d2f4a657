// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
//
// A TX job's work for the control plane, the kernel and other GPUs: punts, packets of theirs that leave first, and
// packets whose state another GPU has.
#include <algorithm>
#include <array>

#include "burst/packet_view.h"
#include "pipeline/frame_bytes.h"
#include "pipeline/transmit_job.h"
#include "routing/listener_query.h"

namespace packetwarp {
namespace {

[[nodiscard]] bool is_listener_query(rte_mbuf const* packet) {
  packet_view const view{rte_pktmbuf_mtod(packet, std::byte*), packet->data_len, packet->pkt_len};
  return routing::listener_query_at(view).has_value();
}

}  // namespace

void transmit_job::punt(punt_reason why, std::span<rte_mbuf*> packets, tick const& t) {
  if (control_.desk == nullptr) return drop(drop_reason::no_kernel_interface, packets);
  if (why == punt_reason::to_kernel) {
    if (control_.twin != nullptr) return hand_to_host(packets, t);
    // The control plane answers queries of groups, within the limit of neighbour discovery. Only a kernel answers all
    // others: without a kernel interface they must cost the master nothing.
    auto const end = std::partition(packets.begin(), packets.end(), is_listener_query);
    auto const queries = packets.first(static_cast<std::size_t>(end - packets.begin()));
    drop(drop_reason::no_kernel_interface, packets.subspan(queries.size()));
    if (!queries.empty()) put_on_desk(punt_reason::neighbour_discovery, queries, t);
    return;
  }
  put_on_desk(why, packets, t);
}

void transmit_job::put_on_desk(punt_reason why, std::span<rte_mbuf*> packets, tick const& t) {
  // Capture before punt(): packets that the desk takes belong to the master once it returns.
  if (auto* const capture = seen_.tap.active()) [[unlikely]]
    capture->take({capture_stage::punted, seen_.ingress, to_string(why)}, packets);
  auto const bytes = frame_bytes_of(packets);
  auto const result = control_.desk->punt(packets, {.why = why, .port = control_.ingress}, t.now);
  counters_.punted.add(result.taken);
  counters_.punted_bytes.add(bytes - frame_bytes_of(packets.subspan(result.taken)));
  if (result.taken != packets.size()) refuse_punts(class_of(why), packets.subspan(result.taken), result);
}

void transmit_job::hand_to_gpu(gpu_position to, std::span<rte_mbuf*> packets) {
  auto const n = static_cast<std::size_t>(to);
  auto const taken = n < control_.to_gpus.size() ? control_.to_gpus[n]->put(packets) : 0;
  counters_.handed_over.add(taken);
  drop(drop_reason::gpu_handover_full, packets.subspan(taken));
}

void transmit_job::refuse_punts(punt_class of, std::span<rte_mbuf*> packets, punt_result const& result) {
  auto const n = static_cast<std::size_t>(of);
  counters_.punt_full[n].add(result.full);
  counters_.punt_limited[n].add(result.limited);
  drop(drop_reason::punt_full, packets.first(result.full));
  drop(drop_reason::punt_limited, packets.subspan(result.full));
}

// Hands over packets for the kernel directly: the control plane handles none of these.
void transmit_job::hand_to_host(std::span<rte_mbuf*> packets, tick const& t) {
  auto const passing = control_.desk->let_pass(static_cast<std::uint32_t>(packets.size()),
                                               {.why = punt_reason::to_kernel, .port = control_.ingress}, t.now);
  if (auto const limited = static_cast<std::uint32_t>(packets.size()) - passing; limited != 0) {
    refuse_punts(punt_class::own_addresses, packets.subspan(passing), {.limited = limited});
    packets = packets.first(passing);
  }
  auto const bytes = frame_bytes_of(packets);
  if (auto* const capture = seen_.tap.active()) [[unlikely]]
    capture->take({capture_stage::kernel, seen_.ingress, {}}, packets);
  auto const taken = control_.twin->hand_over(packets);
  auto const rest = packets.subspan(taken);
  counters_.to_kernel.add(taken);
  counters_.punted.add(taken);
  counters_.punted_bytes.add(bytes - frame_bytes_of(rest));
  drop(drop_reason::kernel_full, rest);
}

// Sends few packets per call, so that received packets do not wait long. At a port with a backlog they leave before the
// waiting data packets. Packets beyond the few that may wait are dropped: their sender will send them again.
std::uint32_t transmit_job::send_for_control(tick const& t) {
  std::array<rte_mbuf*, 32> packets;
  auto const n = outbox_->take(packets);
  for (auto* packet : std::span{packets}.first(n)) {
    auto const tag = send_tag_of(*packet);
    auto& to = egresses_[tag.port];
    show_leaving(tag.port, {&packet, 1});
    bool const was_clear = to.is_clear();
    bool const may_leave = t.phase != run_phase::abandoning && to.takes(*packet);
    auto const became = may_leave ? send_first(to, packet, t) : egress::fate::refused;
    if (became == egress::fate::refused) rte_pktmbuf_free(packet);
    if (became != egress::fate::waits) count_control(tag, became == egress::fate::sent);
    if (was_clear && !to.is_clear()) waiting_.push_back(tag.port);
  }
  return n;
}

// Near the end of a run no packet may wait: no later poll is certain.
egress::fate transmit_job::send_first(egress& to, rte_mbuf* packet, tick const& t) {
  if (t.phase == run_phase::running) return to.send_first(packet, t.now);
  return to.send_at_once(packet) ? egress::fate::sent : egress::fate::refused;
}

// The sender of each packet is read before the port owns the packet.
void transmit_job::flush_first(std::uint16_t n, tick const& t) {
  auto& to = egresses_[n];
  std::array<send_tag, egress::first_room> tags;
  auto const waiting = to.first_in_line();
  std::transform(waiting.begin(), waiting.end(), tags.begin(), [](auto const* packet) { return send_tag_of(*packet); });
  auto const sent = to.flush_first(t.now);
  for (auto const& tag : std::span{tags}.first(sent)) count_control(tag, true);
  if (t.phase != run_phase::running) give_up_first(to);
}

void transmit_job::give_up_first(egress& to) {
  auto const all = to.take_first();
  for (auto const* packet : all) count_control(send_tag_of(*packet), false);
  if (!all.empty()) rte_pktmbuf_free_bulk(all.data(), static_cast<unsigned>(all.size()));
}

void transmit_job::count_control(send_tag const& tag, bool leaves) {
  if (tag.from == send_tag::sender::control_plane)
    return (leaves ? counters_.control_sent : counters_.control_lost).add(1);
  auto& departed = control_.twins[tag.port]->departures;
  (leaves ? departed.sent : departed.tx_full).add(1);
}

}  // namespace packetwarp
