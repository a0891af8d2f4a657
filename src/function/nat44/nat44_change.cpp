// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "function/nat44/nat44_change.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "wire/address_text.h"

namespace packetwarp::nat {
namespace {

[[nodiscard]] bool same(nat44_config::static_address const& a, nat44_config::static_address const& b) {
  return a.inside == b.inside && a.outside == b.outside;
}
[[nodiscard]] bool same(nat44_config::port_forward const& a, nat44_config::port_forward const& b) {
  return a.kind == b.kind && a.inside == b.inside && a.outside == b.outside;
}

[[nodiscard]] nat44_config changed(nat44_config now, nat44_config const& wanted) {
  now.pool = wanted.pool;
  now.pooling = wanted.pooling;
  now.filtering = wanted.filtering;
  now.timeouts = wanted.timeouts;
  now.per_host = wanted.per_host;
  now.per_prefix = wanted.per_prefix;
  now.port_forwards = wanted.port_forwards;
  now.static_addresses = wanted.static_addresses;
  now.unmatched = wanted.unmatched;
  check(now);
  return now;
}

void require_room(std::string_view what, std::size_t wanted, std::size_t room) {
  if (wanted <= room) return;
  throw usage_error(fmt::format(
      "nat44 {}: {} are more than the {} there is room for while it runs; start again with them", what, wanted, room));
}

// Keeps the places of wanted items that have one, then gives the other items places that were free before. give: takes
// a place's number and the item.
template <class Item, class Give>
void assign(std::string_view what, std::vector<std::optional<Item>>& places, std::vector<Item> const& wanted,
            Give&& give) {
  std::vector<bool> is_there(wanted.size());
  std::vector<std::uint32_t> free;
  for (std::uint32_t n = static_cast<std::uint32_t>(places.size()); n-- != 0;) {
    if (!places[n]) free.push_back(n);
  }
  for (auto& place : places) {
    if (!place) continue;
    auto const found = std::find_if(wanted.begin(), wanted.end(), [&](Item const& one) { return same(one, *place); });
    if (found == wanted.end()) {
      place.reset();
    } else {
      is_there[static_cast<std::size_t>(found - wanted.begin())] = true;
    }
  }
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (is_there[i]) continue;
    if (free.empty()) {
      throw usage_error(
          fmt::format("nat44 {}: the removed and the added ones exceed the room at once; take some away first", what));
    }
    places[free.back()] = wanted[i];
    give(free.back(), wanted[i]);
    free.pop_back();
  }
}

// The planning of one change.
class planner {
 public:
  planner(layout const& of, nat44_config const& now, assignment const& has, nat44_config const& wanted,
          std::function<bool(std::uint32_t)> const& is_vacant)
      : at_{of}, before_{has}, made_{changed(now, wanted), has, {}, {}}, is_vacant_{is_vacant} {}

  [[nodiscard]] change plan() {
    require_room("static addresses", made_.config.static_addresses.size(), made_.after.statics.size());
    require_room("port forwards", made_.config.port_forwards.size(), made_.after.forwards.size());
    place_outside();
    place_statics();
    write_maps();
    write_forwards();
    write_settings();
    return std::move(made_);
  }

 private:
  [[nodiscard]] std::uint32_t position_of(wire::ipv4_address address) {
    auto& all = made_.after.outside;
    auto found =
        std::find_if(all.begin(), all.end(), [&](auto const& one) { return one.was_used && one.address == address; });
    if (found == all.end()) found = std::find_if(all.begin(), all.end(), [](auto const& one) { return !one.was_used; });
    for (std::uint32_t n = 0; found == all.end() && n < all.size(); ++n) {
      // A position that was in use before this change is left alone: its sessions have hardly begun to end.
      if (!all[n].is_used && !before_.outside[n].is_used && is_vacant_(n))
        found = all.begin() + static_cast<std::ptrdiff_t>(n);
    }
    if (found == all.end()) {
      throw usage_error(
          fmt::format("nat44 pool: no room for {} beside {} outside addresses, of which some may have sessions that "
                      "end in a few seconds; try again then, or start again with it",
                      wire::to_text(address), all.size()));
    }
    found->address = address;
    found->was_used = found->is_used = true;
    return static_cast<std::uint32_t>(found - all.begin());
  }

  void place_outside() {
    auto const list = outside_addresses_of(made_.config);
    require_room("outside addresses", list.all.size(), made_.after.outside.size());
    auto& all = made_.after.outside;
    for (auto& one : all) {
      one.is_used = one.is_used && std::find(list.all.begin(), list.all.end(), one.address) != list.all.end();
    }
    auto& givers = made_.after.givers;
    for (auto& one : all) one.gift = gift_to_none;
    givers.clear();
    for (std::size_t n = 0; n < list.all.size(); ++n) {
      auto const position = position_of(list.all[n]);
      if (n >= list.pool) continue;
      all[position].gift = gift_to(list.egresses[n]);
      givers.push_back(position);
    }
    // Before the count of addresses, and before one of their places leads to another address.
    for (std::uint32_t n = 0; n < all.size(); ++n) {
      auto const& was = before_.outside[n];
      if (!(was.address == all[n].address)) made_.first.add(at_.pool + n * sizeof was.address, all[n].address);
      if (was.gift != all[n].gift) made_.then.add(at_.gives + n * sizeof(std::uint32_t), all[n].gift);
    }
    for (std::uint32_t n = 0; n < givers.size(); ++n) {
      bool const is_there = n < before_.givers.size() && before_.givers[n] == givers[n];
      if (!is_there) made_.then.add(at_.givers + n * sizeof givers[n], givers[n]);
    }
  }

  void place_statics() {
    assign("static addresses", made_.after.statics, made_.config.static_addresses,
           [&](std::uint32_t n, auto const& one) {
             // A place that this change gives up is filled again only after packets have forgotten it.
             made_.first.add(at_.static_inside + n * sizeof one.inside, one.inside);
             made_.first.add(at_.static_outside + n * sizeof one.outside, one.outside);
           });
  }

  void write_maps() {
    auto& outside = made_.after.outside_map;
    auto& inside = made_.after.static_map;
    for (auto const& one : before_.outside) {
      if (one.is_used) stale_.push_back(one.address);
    }
    for (auto const& one : before_.statics) {
      if (!one) continue;
      stale_.push_back(one->outside);
      bool const stays = std::any_of(made_.config.static_addresses.begin(), made_.config.static_addresses.end(),
                                     [&](auto const& other) { return other.inside == one->inside; });
      if (!stays) inside.erase(one->inside);
    }
    bool has_room = true;
    std::vector<wire::ipv4_address> kept;
    for (std::uint32_t n = 0; n < made_.after.outside.size(); ++n) {
      auto const& one = made_.after.outside[n];
      if (one.is_used) has_room = outside.set(one.address, n + 1) && has_room, kept.push_back(one.address);
    }
    for (std::uint32_t n = 0; n < made_.after.statics.size(); ++n) {
      auto const& one = made_.after.statics[n];
      if (!one) continue;
      has_room = outside.set(one->outside, (n + 1) | address_map::is_static) && has_room;
      has_room = inside.set(one->inside, n + 1) && has_room;
      kept.push_back(one->outside);
    }
    for (auto const address : stale_) {
      if (std::find(kept.begin(), kept.end(), address) == kept.end()) outside.erase(address);
    }
    if (!has_room)
      throw usage_error("nat44 addresses: too many have come and gone while it ran; start again with them");
    for (auto const& edit : outside.take_edits())
      made_.then.add(at_.outside_map + edit.at * sizeof edit.word, edit.word);
    for (auto const& edit : inside.take_edits()) made_.then.add(at_.static_map + edit.at * sizeof edit.word, edit.word);
  }

  void write_forwards() {
    assign("port forwards", made_.after.forwards, made_.config.port_forwards, [](std::uint32_t, auto const&) {});
    for (std::uint32_t n = 0; n < before_.forwards.size(); ++n) {
      auto const& one = made_.after.forwards[n];
      auto const& was = before_.forwards[n];
      if (one.has_value() == was.has_value() && (!one || same(*one, *was))) continue;
      auto const order =
          one ? forward_order{key_of(one->kind, one->inside), key_of(one->kind, one->outside)} : forward_order{0, 0};
      made_.then.add(at_.forwards + n * sizeof order, order);
    }
  }

  void write_settings() {
    auto const& config = made_.config;
    auto const at = at_.settings;
    made_.then.add(at + offsetof(settings, timeouts), config.timeouts);
    made_.then.add(at + offsetof(settings, limits), share_limits_of(config));
    made_.then.add(at + offsetof(settings, pooling), config.pooling);
    made_.then.add(at + offsetof(settings, pool_size), static_cast<std::uint32_t>(made_.after.givers.size()));
    made_.then.add(at_.clock + offsetof(clock, modes), word_of(modes_in(config)));
  }

  layout const& at_;
  assignment const& before_;
  change made_;
  std::function<bool(std::uint32_t)> const& is_vacant_;
  std::vector<wire::ipv4_address> stale_;  // in the map before this change
};

}  // namespace

assignment::assignment(layout const& of, nat44_config const& config)
    : outside(of.outside_count),
      statics(config.static_room),
      forwards(config.forward_room),
      outside_map{of.outside_map_words},
      static_map{of.static_map_words} {}

change plan_change(layout const& of, nat44_config const& now, assignment const& has, nat44_config const& wanted,
                   std::function<bool(std::uint32_t)> const& is_vacant) {
  return planner{of, now, has, wanted, is_vacant}.plan();
}

}  // namespace packetwarp::nat
