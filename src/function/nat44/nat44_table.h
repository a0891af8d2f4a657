// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "function/nat44/nat44_change.h"
#include "function/nat44/nat44_layout.h"
#include "function/nat44/session/journal_reader.h"
#include "function/nat44/session/port_forward.h"
#include "function/nat44/session/session_file.h"
#include "memory/table_memory.h"

namespace packetwarp {

// A session in a list.
struct nat44_session {
  nat::transport kind{};
  nat::endpoint inside;
  nat::endpoint outside;
  std::uint32_t idle{};  // seconds since the last packet; with a GPU, since it was made, unless read back
  std::uint8_t tcp{};    // nat::tcp_state
  nat::origin from{};
};

// An outside address of the pool, or of port forwards alone, and how many ports of it are in use.
struct nat44_outside_use {
  wire::ipv4_address address;
  bool is_configured{};                                // false: its last sessions have to end
  std::uint32_t gift{nat::gift_to_none};               // the sessions that get its ports, as nat::gift_to() says
  std::array<std::uint32_t, nat::transports> ports{};  // of first_port to last_port, by transport
};

// Counts of sessions' events since the table was made.
struct nat44_counts {
  std::uint64_t live{};       // now
  std::uint64_t made{};       // by packets
  std::uint64_t ended{};      // by time
  std::uint64_t unlogged{};   // made or ended while the journal was full
  std::uint64_t evicted{};    // of the ended: before their time, for a new one to have room
  std::uint64_t untracked{};  // TCP connections that found no room to be known: their sessions stay established
  std::uint64_t conflicts{};  // told by a GPU that has failed, but other sessions had their ports by then
};

// The owner of a NAT44's tables. The host's always exist. If executors are on a GPU, it has tables of its own, which
// are the true ones until gpu_failed(); its journal tells which sessions it makes and ends, and the host's tables
// follow, so that CPU executors go on with the same mappings.
//
// A single control thread calls it, while executors work. The thread calls tick() about once per second, and maintain()
// more often.
class nat44_table {
 public:
  // Hears of each session that was made or ended, as the journal is read.
  using observer = std::function<void(nat::journal_entry const&)>;

  // Throws usage_error for a config that makes no sense, failure if memory is short.
  explicit nat44_table(nat44_config config, table_place copy = {});

  [[nodiscard]] nat44_ref cpu() const;
  [[nodiscard]] nat44_ref gpu() const;
  [[nodiscard]] nat44_config const& config() const { return config_; }
  void observe_with(observer told) { told_ = std::move(told); }

  // Changes settings while packets go through the tables: see nat::plan_change(), which this calls. prepare() writes
  // the words that nothing leads to yet; publish() writes the rest, once every packet still in flight sees them.
  // Another change may be planned once no packet is in flight that may have met the old words. Aging ends the sessions
  // that have to end, and starts the port forwards that have to wait for them.
  [[nodiscard]] nat::change plan_change(nat44_config const& wanted) const;
  void prepare(nat::change const& made);
  void publish(nat::change made);

  // From now on a packet that needs a new session is dropped as `draining`; existing sessions and port forwards go on,
  // and changes of other settings too.
  void refuse_new_sessions();

  // The coarse clock, in seconds since the table was made; never goes back.
  void tick(std::uint32_t seconds);
  // The value of the tables' and entries' clock at 0 seconds: restored sessions may have been idle before.
  static constexpr std::uint32_t clock_start = 1U << 24;
  // Reads the journals, up to four times `records` entries; if CPU executors have the true tables, ages the next
  // `records` of them too. nat44_sweep ages a GPU's tables on the GPU. Continues a read_back() that was begun.
  void maintain(std::uint32_t records = 65536);

  // For a lost GPU to which no executor gives packets, before any CPU executor works: reads the rest of its journal,
  // past records that were never written. From here on CPU executors have the true tables. The GPU's sessions go on as
  // if just used, which maintain() writes into them, a slice per call; until then none ages. Call it once.
  void gpu_failed();
  // Makes the host's tables equal to the GPU's, by reading all of its sessions, a slice per maintain(); meanwhile the
  // GPU goes on. maintain() begins it by itself when the journal was full.
  void begin_read_back();
  [[nodiscard]] bool is_reading_back() const { return next_to_read_ != 0; }
  // The same at once, for a caller that has time.
  void read_back();
  // Repeats on the host's tables a change that an executor on the GPU has made to its own. maintain() does so for the
  // whole journal. An entry that tells of an end may come after the entry of the session that has taken its place.
  void follow(nat::journal_entry const& entry);
  // Leaves the GPU's memory to the process: a kernel that nothing can end may still use it.
  void abandon();

  void for_each(std::function<void(nat44_session const&)> const& visit) const;
  // The same for the existing records from begin to end - 1; each session keeps one of records() for life.
  void for_each(std::uint32_t begin, std::uint32_t end, std::function<void(nat44_session const&)> const& visit) const;
  [[nodiscard]] std::uint32_t records() const { return layout_.session_records; }
  // Indexed by position: the use of an outside address, empty if it is not in use. With a GPU, as far as the host has
  // heard.
  [[nodiscard]] std::uint32_t outside_positions() const { return layout_.outside_count; }
  [[nodiscard]] std::optional<nat44_outside_use> outside_use(std::uint32_t position) const;
  // Visits every record.
  [[nodiscard]] nat44_counts counts() const;
  // The same without `live`.
  [[nodiscard]] nat44_counts const& counts_but_live() const { return counts_; }
  // Bytes of memory in each place.
  [[nodiscard]] std::size_t size() const { return layout_.bytes; }

  // Writes sessions made by packets to a file and reads them from it. restore() only before the first packet; it
  // returns the number of restored sessions and leaves out sessions whose outside address or port is no longer
  // available, of which it tells. Throws failure, before it tells of any.
  void save(std::string const& path);
  // A part of the sessions that save() writes. With a GPU, as read_back() has found them.
  void save_slice(nat::session_file_writer& into, std::uint32_t begin, std::uint32_t end) const;
  using left_out = std::function<void(nat::saved_session const&)>;
  [[nodiscard]] std::uint64_t restore(std::string const& path, left_out const& told = {});

 private:
  void fill_host();
  void fill_free_sets();
  // True: all port forwards are as they should be, in the host's tables.
  bool settle_forwards(nat::occupant others);
  // Writes to the host's tables, and to a GPU's if these are the true ones.
  void write_all(std::size_t offset, std::span<std::byte const> bytes);
  [[nodiscard]] bool is_vacant(std::uint32_t position) const;
  void upload();
  void write_modes();
  void tell(nat::journal_entry const& entry);
  void read_journal_of_gpu(std::uint32_t most);
  void read_journal_of_host(std::uint32_t most);
  void read_back_slice(std::uint32_t records);
  void read_back_one(std::uint32_t number, nat::session const& true_one);
  void refresh_slice(std::uint32_t records);
  void age_slice(std::uint32_t records);
  // Ends the host's session in the place of a newer one that it is told of.
  void make_way(nat::session const& wanted, std::uint32_t number);
  void forget_if_packets_made(std::uint32_t number);
  // number: free_set::none for any. False: something that the session needs is taken.
  [[nodiscard]] bool adopt(nat::session const& wanted, std::uint32_t number);
  void forget(std::uint32_t number, std::uint64_t inside);
  [[nodiscard]] bool gpu_leads() const { return leader_ == leader::gpu; }
  template <class T>
  void put(std::size_t offset, T const& value);
  [[nodiscard]] nat::journal_cursors cursors_of_host() const;
  void count_changes(nat::journal_cursors const& seen);

  enum class leader : std::uint8_t { host, gpu };

  nat44_config config_;
  nat::layout layout_;
  nat::assignment assignment_;
  table_memory host_;
  table_memory host_journal_;
  table_memory gpu_;
  table_memory gpu_journal_;  // the host's, and pinned: it survives a lost GPU
  memory_registration journal_pin_;
  nat::journal_reader host_reader_;
  nat::journal_reader gpu_reader_;
  leader leader_{leader::host};
  std::uint64_t lost_{};     // of the leader's journal, as of the last read
  std::uint64_t evicted_{};  // the same
  std::uint64_t untracked_{};
  std::uint32_t next_to_age_{1};
  std::uint32_t next_to_refresh_{0};  // 0: all sessions are refreshed
  std::uint32_t next_to_read_{0};     // 0: no read-back is under way
  bool is_read_again_{false};         // when this reading is over: it has missed entries of a full journal
  nat44_counts counts_;
  observer told_;
};

}  // namespace packetwarp
