// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "function/detect/detect_table.h"

#include <cuda/atomic>
#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "base/error.h"
#include "function/network/wide_layout.h"

namespace packetwarp {
namespace {

// A GPU's memory cannot be allocated while kernels run on it, so there is room for other models from the start.
constexpr std::size_t least_network_room = std::size_t{1} << 20;
constexpr std::size_t network_alignment = 64;

template <class T>
[[nodiscard]] std::span<std::byte const> object_bytes(T const& one) {
  return std::as_bytes(std::span{&one, 1});
}

[[nodiscard]] std::size_t network_room_of(model::network_ref network) {
  return (network.header().bytes + network_alignment - 1) / network_alignment * network_alignment;
}

[[nodiscard]] std::size_t room_of_all(detect_input const& models) {
  std::size_t all = 0;
  for (auto const& one : models.models) all += network_room_of(one.network);
  return models.large.count == 0 ? all : all + network_room_of(models.large.model.network);
}

[[nodiscard]] std::uint32_t width_of_large(detect_input const& models) {
  if (models.large.count == 0) return 0;
  auto const network = models.large.model.network;
  return network.header().kind == model::network_kind::dense ? wide_width_of(network) : 0;
}

// in_place: of a thread that goes on counting.
void add_counts(feature::table_counts& in_place, feature::table_counts& to) {
  using word = cuda::atomic_ref<std::uint64_t, cuda::thread_scope_system>;
  to.inserted += word{in_place.inserted}.load(cuda::memory_order_relaxed);
  to.replaced += word{in_place.replaced}.load(cuda::memory_order_relaxed);
  to.untracked += word{in_place.untracked}.load(cuda::memory_order_relaxed);
}

}  // namespace

detect_table::detect_table(detect_input const& models, feature::state_sizes sizes, hash_key const& key,
                           std::size_t pipelines, table_place place)
    : place_{place},
      layout_{sizes},
      key_{key},
      large_width_{width_of_large(models)},
      root_{place, sizeof(detect_root)},
      counts_{place, pipelines * detect_counters * sizeof(detect_count)},
      state_{place, layout_.bytes()},
      own_{place.gpu == table_place::host ? new own_state[pipelines]{} : nullptr},
      second_looks_{place.gpu == table_place::host ? new second_look_room[pipelines]{} : nullptr},
      journal_{pipelines, place},
      known_counts_(pipelines * detect_counters) {
  auto const room = std::max(2 * room_of_all(models), least_network_room);
  for (auto& one : networks_) one = table_memory{place, room};
  prepare(models);
  publish();
}

// With a lost GPU there is nothing to write to.
void detect_table::prepare(detect_input const& models) {
  if (is_lost()) return;
  auto const next = current_ ^ 1;
  auto& memory = networks_[next];
  if (auto const needs = room_of_all(models); needs > memory.size()) {
    if (memory.is_on_gpu()) {
      throw failure(fmt::format("detect: these models take {} bytes, and the GPU has room for {}; start with them",
                                needs, memory.size()));
    }
    memory = table_memory{place_, 2 * needs};
  }
  detect_set set{};
  std::size_t at = 0;
  auto const place = [&](detect_model const& one) {
    memory.write(at, {one.network.at<std::byte>(0), one.network.header().bytes});
    auto const to = memory.data() + at;
    at += network_room_of(one.network);
    return detect_model{model::network_ref{to}, one.threshold};
  };
  for (auto const& one : models.models) set.models[set.count++] = place(one);
  set.large = models.large;
  if (set.large.count != 0) set.large.model = place(models.large.model);
  set.action = models.action;
  set.dscp = models.dscp;
  set.most_records = models.most_records;
  set.most_punts = models.most_punts;
  set.most_copies = models.most_copies;
  root_.write(offsetof(detect_root, sets) + next * sizeof(detect_set), object_bytes(set));
}

bool detect_table::is_lost() const { return place_.domain != nullptr && !place_.domain->is_working(); }

void detect_table::publish() {
  current_ ^= 1;
  constexpr auto at = offsetof(detect_root, current);
  if (root_.is_on_gpu()) {
    root_.write(at, object_bytes(current_));
  } else {
    auto& word = *reinterpret_cast<std::uint64_t*>(root_.data() + at);
    cuda::atomic_ref<std::uint64_t, cuda::thread_scope_system>{word}.store(current_, cuda::memory_order_release);
  }
}

feature::state_ref detect_table::state_of(std::size_t pipeline) const {
  if (own_ == nullptr) return layout_.ref(state_.data(), key_, nullptr);
  auto& own = own_[pipeline];
  auto state = layout_.ref(state_.data(), key_, &own.spread);
  state.kept = &own.kept;
  state.flows.counts = &own.flows;
  state.hosts.counts = &own.hosts;
  return state;
}

detect_ref detect_table::ref(std::size_t pipeline) const {
  return {.root = reinterpret_cast<detect_root const*>(root_.data()),
          .counts = reinterpret_cast<detect_count*>(counts_.data()) + pipeline * detect_counters,
          .state = state_of(pipeline),
          .journal = journal_.ref(pipeline),
          .second_look = second_looks_ == nullptr ? nullptr : &second_looks_[pipeline],
          .large_width = large_width_};
}

void detect_table::read_counts() const {
  if (counts_.is_on_gpu()) {
    (void)counts_.read(0, std::as_writable_bytes(std::span{known_counts_}));
    return;
  }
  auto* const words = reinterpret_cast<detect_count*>(counts_.data());
  for (std::size_t n = 0; n < known_counts_.size(); ++n) {
    using word = cuda::atomic_ref<std::uint64_t, cuda::thread_scope_system>;
    known_counts_[n] = {word{words[n].judged}.load(cuda::memory_order_relaxed),
                        word{words[n].anomalous}.load(cuda::memory_order_relaxed)};
  }
}

detect_count detect_table::counted(std::size_t counter) const {
  read_counts();
  detect_count all{};
  for (std::size_t n = counter; n < known_counts_.size(); n += detect_counters) {
    all.judged += known_counts_[n].judged;
    all.anomalous += known_counts_[n].anomalous;
  }
  return all;
}

detect_state_counts detect_table::state_counted() const {
  detect_state_counts all{};
  if (own_ == nullptr) {
    auto const state = layout_.ref(state_.data(), key_, nullptr);
    all = {counted_on_gpu(state.flows.counts), counted_on_gpu(state.hosts.counts)};
  } else {
    for (std::size_t n = 0; n < known_counts_.size() / detect_counters; ++n) {
      add_counts(own_[n].flows, all.flows);
      add_counts(own_[n].hosts, all.hosts);
    }
  }
  return all;
}

feature::table_counts detect_table::counted_on_gpu(feature::table_counts const* in_place) const {
  feature::table_counts seen{};
  auto const offset = static_cast<std::size_t>(reinterpret_cast<std::byte const*>(in_place) - state_.data());
  (void)state_.read(offset, std::as_writable_bytes(std::span{&seen, 1}));
  return seen;
}

std::size_t detect_table::bytes() const {
  return networks_[0].size() + networks_[1].size() + root_.size() + counts_.size() + state_.size() + journal_.bytes();
}

void detect_table::abandon() {
  for (auto* const one : {&networks_[0], &networks_[1], &root_, &counts_, &state_}) one->abandon();
  journal_.abandon();
}

}  // namespace packetwarp
