// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/host_device.h"
#include "function/nat44/fault.h"
#include "function/nat44/nat44_ref.h"

// The use of shared resources by an inside host and its prefix: sessions, ports of an outside address, remote
// endpoints. Each is counted in a word that a hash of host or prefix points to, among 32 in four lines of memory. A
// word has 38 bits of the hash above and a count below; a count of 0 makes the word free. If others have all 32,
// nothing is counted: words are several times as many as hosts.
namespace packetwarp::nat {

inline constexpr std::uint32_t words_in_line = 8;
inline constexpr std::uint32_t lines_of_share = 4;

// The kinds of counts. A record keeps a slot for each: a byte, 0 if it is not counted, else one more than the word's
// number among the 32.
enum class share : std::uint8_t { host, prefix, ports, host_remotes, prefix_remotes };
[[nodiscard]] HOST_DEVICE constexpr std::uint32_t in_slot(share of, std::uint32_t slot) {
  return slot << 8 * (static_cast<unsigned>(of) % 3);
}
[[nodiscard]] HOST_DEVICE constexpr std::uint32_t slot_of(share of, std::uint32_t slots) {
  return slots >> 8 * (static_cast<unsigned>(of) % 3) & 0xff;
}

class share_counter {
 public:
  // more: the ports that share::ports means.
  HOST_DEVICE share_counter(nat44_ref const& tables, share of, wire::ipv4_address host, std::uint32_t more = 0)
      : words_{tables.rare->shares}, line_mask_{tables.rare->share_lines - 1}, of_{of} {
    bool const is_host = of == share::host || of == share::host_remotes;
    auto const address = is_host ? host.number : host.number & tables.rare->share_mask;
    hash_ = tables.hash(std::uint64_t{address} << 32 | more << 4 | (static_cast<unsigned>(of) + 1U));
  }

  // Counts one more, up to the limit; 0 is no limit, and nothing is counted. False: the limit is reached. Adds the slot
  // that give_back() needs to slots.
  [[nodiscard]] HOST_DEVICE bool take(std::uint32_t limit, std::uint32_t& slots) const {
    constexpr unsigned max_attempts = 64;
    if (limit == 0) return true;
    for (unsigned attempt = 0; attempt < max_attempts; ++attempt) {
      auto const found = find();
      if (found.slot == 0) return true;
      auto const outcome = found.is_own ? add(found.slot, limit) : begin(found);
      if (outcome == added::full) return false;
      if (outcome == added::lost) continue;
      slots |= in_slot(of_, found.slot);
      return true;
    }
    return true;  // too many other threads at once: it stays uncounted
  }
  HOST_DEVICE void give_back(std::uint32_t slots) const {
    if (auto const slot = slot_of(of_, slots); slot != 0) word(slot).fetch_sub(1, cuda::memory_order_relaxed);
  }

  static constexpr std::uint64_t count_bits = (std::uint64_t{1} << 26) - 1;

 private:
  struct place {
    std::uint32_t slot;  // 0: none
    std::uint64_t seen;
    bool is_own;
  };
  enum class added : std::uint8_t { counted, full, lost };

  [[nodiscard]] HOST_DEVICE shared_word<std::uint64_t> word(std::uint32_t slot) const {
    auto const n = slot - 1;
    auto const line = (static_cast<std::uint32_t>(hash_) + n / words_in_line) & line_mask_;
    return shared(words_[line * words_in_line + n % words_in_line]);
  }
  [[nodiscard]] HOST_DEVICE bool is_own(std::uint64_t seen) const { return ((seen ^ hash_) & ~count_bits) == 0; }

  // Its own word, or else the first free one. No word of its own comes after a word that was never used.
  [[nodiscard]] HOST_DEVICE place find() const {
    place free{};
    for (std::uint32_t slot = 1; slot <= words_in_line * lines_of_share; ++slot) {
      auto const seen = word(slot).load(cuda::memory_order_relaxed);
      bool const is_free = (seen & count_bits) == 0;
      if (!is_free && is_own(seen)) return {slot, seen, true};
      if (is_free && free.slot == 0) free = {slot, seen, false};
      if (seen == 0) break;
    }
    return free;
  }
  // The sum is added before it is tested, so that thousands of threads of a GPU that meet in one word each need one
  // access. Between the two steps the word may seem fuller than it is, and another thread may be refused for that.
  [[nodiscard]] HOST_DEVICE added add(std::uint32_t slot, std::uint32_t limit) const {
    auto const there = word(slot);
    if ((there.load(cuda::memory_order_relaxed) & count_bits) >= limit) return added::full;
    auto const before = there.fetch_add(1, cuda::memory_order_relaxed);
    if (is_own(before) && (before & count_bits) < limit) return added::counted;
    there.fetch_sub(1, cuda::memory_order_relaxed);
    return is_own(before) ? added::full : added::lost;
  }
  [[nodiscard]] HOST_DEVICE added begin(place const& free) const {
    auto seen = free.seen;
    bool const is_mine =
        word(free.slot).compare_exchange_strong(seen, (hash_ & ~count_bits) | 1, cuda::memory_order_relaxed);
    return is_mine ? added::counted : added::lost;
  }

  std::uint64_t* words_;
  std::uint64_t hash_;
  std::uint32_t line_mask_;
  share of_;
};

// The effect of a limit that is reached: a packet's session is refused; one that existed before is counted.
enum class reached : std::uint8_t { refuses, counts };
[[nodiscard]] HOST_DEVICE constexpr std::uint32_t limit_if(reached what, std::uint32_t limit) {
  return what == reached::counts && limit != 0 ? static_cast<std::uint32_t>(share_counter::count_bits) : limit;
}

// Counts one more session of the host. Adds the slots that count it to slots; a refused session is not counted.
[[nodiscard]] HOST_DEVICE inline fault count_session(nat44_ref const& tables, wire::ipv4_address host,
                                                     std::uint32_t& slots, reached what = reached::refuses) {
  auto const& limits = tables.rare->limits;
  share_counter const of_host{tables, share::host, host};
  if (!of_host.take(limit_if(what, load_settled(limits.host)), slots)) return fault::host_limit;
  share_counter const of_prefix{tables, share::prefix, host};
  if (of_prefix.take(limit_if(what, load_settled(limits.prefix)), slots)) return fault::none;
  of_host.give_back(slots);
  slots = 0;
  return fault::prefix_limit;
}

// The counter of the ports of one transport that a prefix has of an outside address.
[[nodiscard]] HOST_DEVICE inline share_counter ports_of_prefix(nat44_ref const& tables, transport kind,
                                                               wire::ipv4_address host, std::uint32_t pool) {
  return {tables, share::ports, host, pool << 2 | static_cast<std::uint32_t>(kind)};
}
[[nodiscard]] HOST_DEVICE inline bool count_port(nat44_ref const& tables, transport kind, wire::ipv4_address host,
                                                 std::uint32_t pool, std::uint32_t& slots,
                                                 reached what = reached::refuses) {
  return ports_of_prefix(tables, kind, host, pool).take(limit_if(what, load_settled(tables.rare->limits.ports)), slots);
}
HOST_DEVICE inline void forget_port(nat44_ref const& tables, transport kind, wire::ipv4_address host,
                                    std::uint32_t pool, std::uint32_t& slots) {
  ports_of_prefix(tables, kind, host, pool).give_back(slots);
  slots &= ~in_slot(share::ports, 0xff);
}

// Uncounts a session that has ended; its port too, if that is still in slots.
HOST_DEVICE inline void forget_session(nat44_ref const& tables, transport kind, wire::ipv4_address host,
                                       std::uint32_t pool, std::uint32_t slots) {
  if (slots == 0) return;
  forget_port(tables, kind, host, pool, slots);
  share_counter{tables, share::host, host}.give_back(slots);
  share_counter{tables, share::prefix, host}.give_back(slots);
}

// Counts one more remote endpoint.
[[nodiscard]] HOST_DEVICE inline bool count_remote(nat44_ref const& tables, wire::ipv4_address host,
                                                   std::uint32_t& slots) {
  auto const& limits = tables.rare->limits;
  share_counter const of_host{tables, share::host_remotes, host};
  if (!of_host.take(load_settled(limits.host_remotes), slots)) return false;
  share_counter const of_prefix{tables, share::prefix_remotes, host};
  if (of_prefix.take(load_settled(limits.prefix_remotes), slots)) return true;
  of_host.give_back(slots);
  return false;
}
HOST_DEVICE inline void forget_remote(nat44_ref const& tables, wire::ipv4_address host, std::uint32_t slots) {
  share_counter{tables, share::host_remotes, host}.give_back(slots);
  share_counter{tables, share::prefix_remotes, host}.give_back(slots);
}

}  // namespace packetwarp::nat
