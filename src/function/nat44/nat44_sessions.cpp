// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "base/error.h"
#include "function/nat44/age.h"
#include "function/nat44/find_session.h"
#include "function/nat44/nat44_table.h"

// What a nat44_table does with sessions by hand: takes over those of another table or of a file, lists, saves.
namespace packetwarp {
namespace {

constexpr std::uint32_t chunk = 32768;  // records that are copied at a time

// A file of sessions: this, and then as many records, in the machine's order.
struct file_header {
  std::array<char, 8> magic;
  std::uint64_t sessions;
};
struct file_record {
  std::uint64_t inside;
  std::uint64_t outside;
  std::uint32_t idle;
  std::uint32_t tcp;
};
static_assert(sizeof(file_header) == 16 && sizeof(file_record) == 24);
constexpr std::array<char, 8> file_magic{'p', 'w', 'n', 'a', 't', '4', '4', '1'};

struct close_file {
  void operator()(std::FILE* file) const { (void)std::fclose(file); }
};
using file_handle = std::unique_ptr<std::FILE, close_file>;

[[nodiscard]] file_handle open(std::string const& path, char const* mode) {
  file_handle file{std::fopen(path.c_str(), mode)};
  if (!file) throw failure(fmt::format("nat44 sessions: {}: {}", path, std::strerror(errno)));
  return file;
}

[[nodiscard]] bool is_listed(nat::session const& held) {
  return nat::life{held.life}.is_live() && nat::transport_of(held.inside) < nat::transport::none;
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
  // A port forward's port may be one that no session gets.
  bool const is_pooled = tables.free_ports(kind, pool).take_exactly(outside.port);
  bool const has_port = is_pooled || (nat::life{wanted.life}.from() == nat::origin::configured && port == 0);
  if (!has_port) return false;
  bool const is_any = number == nat::free_set::none;
  bool const has_number = is_any || (number < layout_.session_records && numbers.take_exactly(number));
  if (is_any) number = numbers.take(1);
  auto const host = nat::count_session(*tables.rare, nat::endpoint_of(wanted.inside).address);
  auto made = wanted;
  made.place = nat::place_of(host.at, pool);
  if (has_number && number != nat::free_set::none) {
    nat::store_session(tables.sessions[number], made);
    auto const key = wanted.inside;
    auto const there = tables.index().find_or_insert(
        nat::mix(key),
        [&](std::uint32_t n) {
          auto const held = nat::load_session(tables.sessions[n]);
          return held.inside == key && nat::life{held.life}.is_live();
        },
        [number] { return number; });
    if (there == number) {
      nat::shared(port).store(number, cuda::memory_order_release);
      return true;
    }
    nat::shared(tables.sessions[number].life).store(0, cuda::memory_order_relaxed);
    numbers.give_back(number);
  }
  nat::forget_session(*tables.rare, host.at);
  if (is_pooled) tables.free_ports(kind, pool).give_back(outside.port);
  return false;
}

void nat44_table::forget(std::uint32_t number, std::uint64_t inside) {
  auto const tables = cpu();
  if (number == 0 || number >= layout_.session_records) return;
  auto const held = nat::load_session(tables.sessions[number]);
  if (held.inside != inside || !nat::life{held.life}.is_live()) return;
  tables.index().remove(nat::mix(inside), number);
  nat::release(tables, number, held);
}

void nat44_table::read_back() {
  if (!gpu_leads()) return;
  auto const tables = cpu();
  for (std::uint32_t n = 1; n < layout_.session_records; ++n) {
    auto const held = nat::load_session(tables.sessions[n]);
    if (nat::life{held.life}.from() == nat::origin::packet) forget(n, held.inside);
  }
  std::vector<nat::session> some(chunk);
  for (std::uint32_t first = 0; first < layout_.session_records; first += chunk) {
    auto const count = std::min(chunk, layout_.session_records - first);
    gpu_.read(layout_.sessions + first * sizeof(nat::session), std::as_writable_bytes(std::span{some}.first(count)));
    for (std::uint32_t i = 0; i < count; ++i) {
      bool const is_packets = nat::life{some[i].life}.from() == nat::origin::packet;
      if (first + i != 0 && is_packets && is_listed(some[i]) && !adopt(some[i], first + i)) ++counts_.conflicts;
    }
  }
}

void nat44_table::for_each(std::function<void(nat44_session const&)> const& visit) const {
  auto const tables = cpu();
  auto const now = tables.now();
  for (std::uint32_t n = 1; n < layout_.session_records; ++n) {
    auto const held = nat::load_session(tables.sessions[n]);
    if (!is_listed(held)) continue;
    nat::life const life{held.life};
    visit({nat::transport_of(held.inside), nat::endpoint_of(held.inside), nat::endpoint_of(held.outside),
           nat::seconds_since(life.used(), now), life.tcp(), life.from()});
  }
}

nat44_counts nat44_table::counts() const {
  auto all = counts_;
  all.live = 0;
  for_each([&](nat44_session const&) { ++all.live; });
  return all;
}

void nat44_table::save(std::string const& path) {
  read_back();
  auto const unfinished = path + ".new";
  auto file = open(unfinished, "wb");
  file_header header{file_magic, 0};
  bool is_written = std::fwrite(&header, sizeof header, 1, file.get()) == 1;
  for_each([&](nat44_session const& one) {
    if (one.from != nat::origin::packet) return;
    file_record const record{nat::key_of(one.kind, one.inside), nat::key_of(one.kind, one.outside), one.idle, one.tcp};
    is_written = is_written && std::fwrite(&record, sizeof record, 1, file.get()) == 1;
    ++header.sessions;
  });
  is_written = is_written && std::fseek(file.get(), 0, SEEK_SET) == 0 &&
               std::fwrite(&header, sizeof header, 1, file.get()) == 1 && std::fflush(file.get()) == 0;
  file.reset();
  // Whoever reads meanwhile finds the old file or the new one.
  if (!is_written || std::rename(unfinished.c_str(), path.c_str()) != 0) {
    throw failure(fmt::format("nat44 sessions: writing {}: {}", path, std::strerror(errno)));
  }
}

std::uint64_t nat44_table::restore(std::string const& path) {
  auto const file = open(path, "rb");
  file_header header{};
  if (std::fread(&header, sizeof header, 1, file.get()) != 1 || header.magic != file_magic) {
    throw failure(fmt::format("nat44 sessions: {} is no file of saved sessions", path));
  }
  std::uint64_t restored = 0;
  auto const now = cpu().now();
  for (std::uint64_t n = 0; n < header.sessions; ++n) {
    file_record record{};
    if (std::fread(&record, sizeof record, 1, file.get()) != 1) {
      throw failure(fmt::format("nat44 sessions: {} ends after {} of {} sessions", path, n, header.sessions));
    }
    auto const used = now > record.idle ? now - record.idle : 0;
    nat::session const wanted{
        record.inside, record.outside,
        nat::life{used, nat::phase::live, nat::origin::packet, static_cast<std::uint8_t>(record.tcp)}.raw(), 0};
    if (adopt(wanted, nat::free_set::none)) ++restored;
  }
  if (gpu_leads()) upload();
  return restored;
}

}  // namespace packetwarp
