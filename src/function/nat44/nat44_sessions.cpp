// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "function/nat44/nat44_table.h"
#include "function/nat44/session/age.h"
#include "function/nat44/session/find_session.h"
#include "function/nat44/session/tcp_mapping.h"

// The operations of a nat44_table on single sessions: it takes over another table's or a file's sessions, lists and
// saves them.
namespace packetwarp {
namespace {

[[nodiscard]] bool is_listed(nat::session const& held) {
  return nat::life{held.life}.is_live() && nat::transport_of(held.inside) < nat::transport::none;
}

// Whether a word of a file is a key that packets could have made.
[[nodiscard]] bool is_key(std::uint64_t word) {
  return nat::transport_of(word) < nat::transport::none &&
         word == nat::key_of(nat::transport_of(word), nat::endpoint_of(word));
}

}  // namespace

bool nat44_table::adopt(nat::session const& wanted, std::uint32_t number) {
  auto const tables = cpu();
  auto const kind = nat::transport_of(wanted.inside);
  auto const outside = nat::endpoint_of(wanted.outside);
  auto const at = tables.outside_addresses.find(outside.address);
  bool const fits = nat::transport_of(wanted.outside) == kind && kind < nat::transport::none && at != 0 &&
                    (at & nat::address_map::is_static) == 0;
  if (!fits) return false;
  auto const pool = at - 1;
  auto& port = tables.outside[tables.position_of(kind, pool, outside.port)];
  auto const numbers = tables.free_sessions();
  if (tables.rare->gives[pool] == nat::gift_to_none || !tables.free_ports(kind, pool).take_exactly(outside.port))
    return false;
  bool const is_any = number == nat::free_set::none;
  bool const has_number = is_any || (number < layout_.session_records && numbers.take_exactly(number));
  if (is_any) number = numbers.take(1);
  auto const host = nat::endpoint_of(wanted.inside).address;
  std::uint32_t slots = 0;
  (void)nat::count_session(tables, host, slots, nat::reached::counts);
  (void)nat::count_port(tables, kind, host, pool, slots, nat::reached::counts);
  auto made = wanted;
  made.place = nat::place_of(slots, pool);
  if (has_number && number != nat::free_set::none) {
    nat::store_session(tables.sessions[number], made);
    auto const key = wanted.inside;
    auto const there = tables.index().find_or_insert(
        tables.hash(key),
        [&](std::uint32_t n) {
          auto const held = nat::load_session(tables.sessions[n]);
          return held.inside == key && nat::life{held.life}.is_live();
        },
        [number] { return number; });
    if (there == number) {
      nat::shared(port).store(number, cuda::memory_order_release);
      return true;
    }
    nat::take_back(tables.sessions[number]);
    numbers.give_back(number);
  }
  nat::forget_session(tables, kind, host, pool, slots);
  tables.free_ports(kind, pool).give_back(outside.port);
  return false;
}

void nat44_table::forget(std::uint32_t number, std::uint64_t inside) {
  auto const tables = cpu();
  if (number == 0 || number >= layout_.session_records) return;
  auto const held = nat::load_provable(tables.sessions[number]);
  if (held.inside != inside || !nat::life{held.life}.is_live()) return;
  tables.index().remove(tables.hash(inside), number);
  nat::release(tables, number, held);
}

void nat44_table::for_each(std::uint32_t begin, std::uint32_t end,
                           std::function<void(nat44_session const&)> const& visit) const {
  auto const tables = cpu();
  auto const now = tables.now();
  for (std::uint32_t n = std::max(begin, 1U); n < std::min(end, layout_.session_records); ++n) {
    auto const held = nat::load_session(tables.sessions[n]);
    if (!is_listed(held)) continue;
    nat::life const life{held.life};
    visit({nat::transport_of(held.inside), nat::endpoint_of(held.inside), nat::endpoint_of(held.outside),
           nat::seconds_since(life.used(), now), life.tcp(), life.from()});
  }
}

void nat44_table::for_each(std::function<void(nat44_session const&)> const& visit) const {
  for_each(0, layout_.session_records, visit);
}

nat44_counts nat44_table::counts() const {
  auto all = counts_;
  all.live = 0;
  for_each([&](nat44_session const&) { ++all.live; });
  return all;
}

void nat44_table::save_slice(nat::session_file_writer& into, std::uint32_t begin, std::uint32_t end) const {
  for_each(begin, end, [&](nat44_session const& one) {
    if (one.from != nat::origin::packet) return;
    into.add({nat::key_of(one.kind, one.inside), nat::key_of(one.kind, one.outside), one.idle, one.tcp});
  });
}

void nat44_table::save(std::string const& path) {
  read_back();
  nat::session_file_writer file{path};
  save_slice(file, 0, layout_.session_records);
  file.finish();
}

std::uint64_t nat44_table::restore(std::string const& path, left_out const& told) {
  std::uint64_t restored = 0;
  auto const now = cpu().now();
  nat::read_session_file(path, [&](nat::saved_session const& one) {
    auto const used = now > one.idle ? now - one.idle : 0;
    auto const saved = static_cast<std::uint8_t>(one.tcp);
    auto const state = nat::transport_of(one.inside) == nat::transport::tcp ? nat::restored_state(saved) : saved;
    nat::session const wanted{one.inside, one.outside,
                              nat::life{used, nat::phase::live, nat::origin::packet, state}.raw(), 0};
    bool const is_own = is_key(one.inside) && config_.part.has(nat::endpoint_of(one.inside).port);
    if (!is_own || !is_key(one.outside)) return;
    if (adopt(wanted, nat::free_set::none)) {
      ++restored;
    } else if (told) {
      told(one);
    }
  });
  if (gpu_leads()) upload();
  return restored;
}

}  // namespace packetwarp
