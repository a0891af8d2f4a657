// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "function/inspection/inspection_table.h"

#include <cuda/atomic>
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <span>
#include <utility>

#include "base/error.h"

namespace packetwarp {
namespace {

using table_word = cuda::atomic_ref<std::uint64_t, cuda::thread_scope_system>;
using inspection_parts::line_words;

template <class T>
[[nodiscard]] std::span<std::byte const> bytes_of_object(T const& one) {
  return std::as_bytes(std::span{&one, 1});
}

[[nodiscard]] std::uint32_t places_for(std::uint32_t records) { return std::bit_ceil(std::max(records, line_words)); }

[[nodiscard]] std::uint32_t bit_words_of(inspect::ruleset const& rules) {
  return (rules.ref().header().flowbits + 63) / 64;
}

// Rules for which is_one(rule).
template <class IsOne>
[[nodiscard]] std::uint32_t count_of(inspect::ruleset const& rules, IsOne&& is_one) {
  auto const all = rules.ref();
  std::uint32_t count = 0;
  for (std::uint32_t n = 0; n < all.header().rules.count; ++n) count += is_one(all.rule(n)) ? 1U : 0U;
  return count;
}

[[nodiscard]] bool looks_at_name(inspect::compiled_rule const& one) {
  return one.name_checks.count + one.dotted_checks.count != 0;
}

// Rules that look at heads of HTTP, and that a packet alone may match.
[[nodiscard]] std::uint32_t head_rules_of(inspect::ruleset const& rules) {
  auto const all = rules.ref();
  auto const* const numbers = all.at<std::uint32_t>(all.header().alone_numbers);
  std::uint32_t count = 0;
  for (std::uint32_t n = 0; n < all.header().rules.count; ++n) {
    auto const& one = all.rule(n);
    bool const looks_at_http =
        one.http_buffers != 0 || static_cast<inspect::rule_protocol>(one.protocol) == inspect::rule_protocol::http;
    if (looks_at_http && numbers[n] != inspect::not_alone) ++count;
  }
  return count;
}

// A CPU's pipeline has one group of packets in hand at a time.
[[nodiscard]] std::uint32_t head_rooms_for(inspection_sizes const& sizes, std::size_t pipelines, table_place place) {
  constexpr std::size_t most = 1U << 15;  // inspection_room::heads
  bool const is_on_gpu = place.gpu != table_place::host;
  if (!is_on_gpu && sizes.streams.streams != 0) return 0;
  auto const wanted = is_on_gpu ? std::size_t{sizes.heads} : 2 * pipelines * joint_packets;
  return static_cast<std::uint32_t>(std::min(std::bit_ceil(wanted), most));
}

// A GPU has as many warps, and more; on a CPU a group with several lanes is one of tests.
[[nodiscard]] std::uint32_t joined_rooms_for(inspection_sizes const& sizes, std::size_t pipelines, table_place place) {
  if (place.gpu != table_place::host) return std::bit_ceil(sizes.joined);
  return sizes.streams.streams != 0 ? 0 : static_cast<std::uint32_t>(std::bit_ceil(pipelines));
}

[[nodiscard]] stream_memory::sizes carried_sizes(inspection_sizes const& sizes, std::size_t connections) {
  return {.records = connections == 0 ? 0 : places_for(static_cast<std::uint32_t>(connections)),
          .flows = places_for(sizes.flows),
          .texts = std::min(std::bit_ceil(sizes.texts), stream_memory::most_texts)};
}

[[nodiscard]] stream_memory::sizes carried_at(inspection_sizes const& sizes, table_place place) {
  if (place.gpu != table_place::host) return carried_sizes(sizes, sizes.streams.streams);
  return carried_sizes(sizes, sizes.streams.streams == 0 ? sizes.carried : 0);
}

template <class T>
void read_words(table_memory const& from, std::vector<T>& into) {
  if (into.empty()) return;
  auto const bytes = std::as_writable_bytes(std::span{into});
  if (from.is_on_gpu()) {
    (void)from.read(0, bytes);
    return;
  }
  auto* const words = reinterpret_cast<std::uint64_t*>(from.data());
  auto* const to = reinterpret_cast<std::uint64_t*>(bytes.data());
  for (std::size_t n = 0; n < bytes.size() / sizeof(std::uint64_t); ++n) {
    to[n] = table_word{words[n]}.load(cuda::memory_order_relaxed);
  }
}

}  // namespace

std::size_t inspection_bytes(inspection_input const& rules, inspection_sizes sizes) {
  auto const flows = std::size_t{places_for(sizes.flows)};
  auto const words = std::max<std::size_t>(2 * bit_words_of(rules.rules), 1);
  auto const of_set = 2 * rules.rules.bytes() + 2 * rules.count * sizeof(inspection_rule_count) + flows * words * 8;
  return sizeof(inspection_root) + flows * 8 + std::size_t{places_for(sizes.rates)} * 8 + 2 * of_set;
}

std::size_t carried_bytes(inspection_sizes const& sizes) {
  return stream_memory::bytes_for(carried_sizes(sizes, sizes.streams.streams));
}

regex_engines make_regex_engines(inspect::ruleset const& rules, std::size_t pipelines) {
  regex_engines made;
  for (std::size_t n = 0; n < pipelines; ++n) {
    made.push_back(std::make_unique<inspect::regex_library>(rules.regexes()));
  }
  return made;
}

inspection_table::inspection_table(inspection_input const& rules, regex_engines engines, inspection_sizes sizes,
                                   hash_key const& key, std::size_t pipelines, table_place place)
    : place_{place},
      flows_{places_for(sizes.flows)},
      key_{key},
      root_{place, sizeof(inspection_root)},
      counts_{place, std::max<std::size_t>(pipelines, 1) * sizeof(inspection_counts)},
      flow_words_{place, flows_ * sizeof(std::uint64_t)},
      carried_{place, carried_at(sizes, place)},
      rate_words_{place, places_for(sizes.rates) * sizeof(std::uint64_t)},
      rates_{places_for(sizes.rates)},
      journal_{pipelines, place},
      host_(pipelines),
      known_counts_(pipelines) {
  if (engines.empty()) late_.emplace(pipelines, place);
  if (auto const rooms = head_rooms_for(sizes, pipelines, place); rooms != 0) {
    head_rooms_ = table_memory{place, rooms * sizeof(inspection_parts::head_room)};
  }
  if (auto const rooms = joined_rooms_for(sizes, pipelines, place); rooms != 0) {
    joined_rooms_ = table_memory{place, rooms * sizeof(inspection_parts::joined_room)};
  }
  // A GPU's memory cannot be allocated while kernels run on it, so there is room for other rules from the start.
  for (auto& one : sets_) {
    one.rules = table_memory{place, 2 * rules.rules.bytes()};
    one.counts = table_memory{place, 2 * std::max<std::size_t>(rules.count, 1) * sizeof(inspection_rule_count)};
    auto const words = std::max<std::size_t>(2 * bit_words_of(rules.rules), 1);
    one.bits = table_memory{place, flows_ * words * sizeof(std::uint64_t)};
  }
  if (!root_.is_on_gpu() && sizes.streams.streams != 0) {
    streams_ = std::make_unique<stream_store>(flows_, sizes.streams);
    for (auto& one : host_) {
      judges_.push_back(std::make_unique<host_inspection>(*streams_, sizes.fragments, sizes.checksums));
      one.streams = judges_.back().get();
    }
  }
  if (late_ && sizes.packet_bytes != 0) slots_.emplace(pipelines, sizes.packet_bytes, place);
  if (!late_ && sizes.packet_bytes != 0) {
    for (auto& one : host_) {
      packets_.push_back(std::make_unique<packet_ring>(sizes.packet_bytes));
      one.packets = packets_.back().get();
    }
  }
  prepare(rules, std::move(engines));
  publish();
}

std::array<inspection_table::need, 3> inspection_table::needs_of(inspection_input const& rules) const {
  return {need{rules.rules.bytes(), "compiled rules"}, need{rules.count * sizeof(inspection_rule_count), "counts"},
          need{std::size_t{flows_} * bit_words_of(rules.rules) * sizeof(std::uint64_t), "flowbits"}};
}

void inspection_table::check_room(inspection_input const& rules) const {
  if (is_lost()) return;
  auto const needs = needs_of(rules);
  auto const memories = std::as_const(sets_[current_ ^ 1]).memories();
  for (std::size_t n = 0; n < memories.size(); ++n) {
    auto const& [bytes, what] = needs[n];
    auto const& memory = *memories[n];
    if (!memory.is_on_gpu() || bytes <= memory.size()) continue;
    throw failure(
        fmt::format("inspect: the {} of these files take {} bytes, and the GPU has room for {}; start with "
                    "them",
                    what, bytes, memory.size()));
  }
}

void inspection_table::make_room(set_memory& memory, inspection_input const& rules) const {
  check_room(rules);
  auto const needs = needs_of(rules);
  auto const memories = memory.memories();
  for (std::size_t n = 0; n < memories.size(); ++n) {
    if (needs[n].bytes > memories[n]->size()) *memories[n] = table_memory{place_, 2 * needs[n].bytes};
  }
}

void inspection_table::clear(table_memory& memory) const {
  constexpr std::size_t at_once = std::size_t{1} << 20;
  if (!memory.is_on_gpu()) {
    std::fill_n(memory.data(), memory.size(), std::byte{});
    return;
  }
  std::vector<std::byte> const zeroes(std::min(at_once, memory.size()));
  for (std::size_t at = 0; at < memory.size(); at += at_once) {
    memory.write(at, std::span{zeroes}.first(std::min(at_once, memory.size() - at)));
  }
}

// With a lost GPU there is nothing to write to. Records that its kernel still writes name rules that are here no more.
void inspection_table::prepare(inspection_input const& rules, regex_engines engines) {
  auto const next = current_ ^ 1;
  if (is_lost()) {
    known_rules_[next].assign(rules.count, {});
    journal_.close();
    if (late_) late_->close();
    return;
  }
  auto& memory = sets_[next];
  make_room(memory, rules);
  memory.rules.write(0, {rules.rules.ref().base, rules.rules.bytes()});
  clear(memory.counts);
  clear(memory.bits);
  memory.count = rules.count;
  known_rules_[next].assign(rules.count, {});
  engines_[next] = std::move(engines);
  for (std::size_t n = 0; n < engines_[next].size(); ++n) host_[n].regexes[next] = engines_[next][n].get();
  if (!root_.is_on_gpu() && streams_ == nullptr) {
    texts_[next].clear();
    for (auto& one : host_) {
      texts_[next].push_back(std::make_unique<host_texts>(inspect::ruleset_ref{memory.rules.data()}));
      one.texts[next] = texts_[next].back().get();
    }
  }
  for (std::size_t n = 0; n < judges_.size(); ++n) judges_[n]->prepare(next, {memory.rules.data()}, *engines_[next][n]);
  inspection_set const set{.rules = {memory.rules.data()},
                           .counts = reinterpret_cast<inspection_rule_count*>(memory.counts.data()),
                           .bits = reinterpret_cast<std::uint64_t*>(memory.bits.data()),
                           .bit_words = bit_words_of(rules.rules),
                           .verdicts = rules.verdicts,
                           .name_rules = count_of(rules.rules, looks_at_name),
                           .stream_rules = count_of(rules.rules, inspection_parts::follows_from_stream),
                           .generation = ++generation_,
                           .head_rules = head_rules_of(rules.rules),
                           .flow_rules = count_of(rules.rules, inspection_parts::decides_on_flows)};
  root_.write(offsetof(inspection_root, sets) + next * sizeof(inspection_set), bytes_of_object(set));
}

bool inspection_table::is_lost() const { return place_.domain != nullptr && !place_.domain->is_working(); }

void inspection_table::publish() {
  current_ ^= 1;
  constexpr auto at = offsetof(inspection_root, current);
  if (root_.is_on_gpu()) {
    root_.write(at, bytes_of_object(current_));
  } else {
    table_word{*reinterpret_cast<std::uint64_t*>(root_.data() + at)}.store(current_, cuda::memory_order_release);
  }
}

void inspection_table::set_clock(std::uint64_t now) {
  constexpr auto at = offsetof(inspection_root, clock);
  if (root_.is_on_gpu()) {
    if (!is_lost()) root_.write(at, bytes_of_object(now));
  } else {
    table_word{*reinterpret_cast<std::uint64_t*>(root_.data() + at)}.store(now, cuda::memory_order_relaxed);
  }
}

inspection_ref inspection_table::ref(std::size_t pipeline) const {
  return {.root = reinterpret_cast<inspection_root const*>(root_.data()),
          .counts = reinterpret_cast<inspection_counts*>(counts_.data()) + pipeline,
          .flows = {reinterpret_cast<std::uint64_t*>(flow_words_.data()), flows_ / line_words - 1},
          .rates = {reinterpret_cast<std::uint64_t*>(rate_words_.data()), rates_ / line_words - 1},
          .journal = journal_.ref(pipeline),
          .packets = slots_ ? slots_->ref(pipeline) : inspection_parts::packet_slots_ref{},
          .late = late_ ? late_->ref(pipeline) : inspection_parts::late_ref{},
          .heads = {reinterpret_cast<inspection_parts::head_room*>(head_rooms_.data()),
                    static_cast<std::uint32_t>(head_rooms_.size() / sizeof(inspection_parts::head_room))},
          .streams = carried_.table(),
          .texts = carried_.texts(),
          .joined = {reinterpret_cast<inspection_parts::joined_room*>(joined_rooms_.data()),
                     static_cast<std::uint32_t>(joined_rooms_.size() / sizeof(inspection_parts::joined_room))},
          .key = key_,
          .host = root_.is_on_gpu() ? nullptr : &host_[pipeline]};
}

bool inspection_table::take_packet(std::size_t pipeline, inspection_parts::alert const& seen,
                                   std::vector<std::byte>& into) {
  if (slots_) return slots_->take(pipeline, seen.packet, into);
  auto* const packets = host_[pipeline].packets;
  return packets != nullptr && packets->take(journal_.visited_ticket(pipeline), into);
}

std::vector<inspection_rule_count> const& inspection_table::counted(std::size_t set) const {
  read_words(sets_[set].counts, known_rules_[set]);
  return known_rules_[set];
}

inspection_counts inspection_table::counted() const {
  read_words(counts_, known_counts_);
  inspection_counts all{};
  for (auto const& one : known_counts_) {
    auto const* const from = reinterpret_cast<std::uint64_t const*>(&one);
    auto* const to = reinterpret_cast<std::uint64_t*>(&all);
    for (std::size_t n = 0; n < sizeof one / sizeof *to; ++n) to[n] += from[n];
  }
  return all;
}

std::size_t inspection_table::bytes() const {
  auto all = root_.size() + counts_.size() + flow_words_.size() + rate_words_.size() + head_rooms_.size() +
             joined_rooms_.size() + journal_.bytes();
  all += carried_.bytes();
  for (auto const& one : sets_) all += one.rules.size() + one.counts.size() + one.bits.size();
  if (streams_) all += std::size_t{flows_} * sizeof(inspect::stream_seed);
  for (auto const& one : packets_) all += one->bytes();
  if (slots_) all += slots_->bytes();
  if (late_) all += late_->bytes();
  return all;
}

void inspection_table::abandon() {
  for (auto& one : sets_) {
    for (auto* const memory : {&one.rules, &one.counts, &one.bits}) memory->abandon();
  }
  for (auto* const one : {&root_, &counts_, &flow_words_, &rate_words_, &head_rooms_, &joined_rooms_}) one->abandon();
  carried_.abandon();
  journal_.abandon();
  if (slots_) slots_->abandon();
  if (late_) late_->abandon();
}

}  // namespace packetwarp
