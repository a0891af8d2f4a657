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

// One session, for those who look at it.
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
  std::uint32_t gift{nat::gift_to_none};               // whose sessions get its ports, as nat::gift_to() says
  std::array<std::uint32_t, nat::transports> ports{};  // of first_port to last_port, by transport
};

// What has happened to sessions since the table was made.
struct nat44_counts {
  std::uint64_t live{};       // now
  std::uint64_t made{};       // by packets
  std::uint64_t ended{};      // by time
  std::uint64_t unlogged{};   // made or ended while the journal was full
  std::uint64_t evicted{};    // of those that ended: before their time, for a new one to have room
  std::uint64_t untracked{};  // TCP connections that found no room to be known: their sessions stay established
  std::uint64_t conflicts{};  // told by a GPU that has failed, but their ports had gone to others by then
};

// The owner of a NAT44's tables. The host's are always there. Where executors are on a GPU it has tables of its own,
// which are the true ones until gpu_failed(); what it makes and ends there is told by its journal, and the host's
// tables follow, so that CPU executors go on with the same mappings.
//
// One control thread calls it, while executors work. It is to call tick() once a second or so, and maintain() more
// often.
class nat44_table {
 public:
  // Told of each session that was made or ended, as the journal is read.
  using observer = std::function<void(nat::journal_entry const&)>;

  // Throws usage_error for a config that makes no sense, failure where there is no memory.
  explicit nat44_table(nat44_config config, table_place copy = {});

  [[nodiscard]] nat44_ref cpu() const;
  [[nodiscard]] nat44_ref gpu() const;
  [[nodiscard]] nat44_config const& config() const { return config_; }
  void observe_with(observer told) { told_ = std::move(told); }

  // Other settings, while packets go through the tables: see nat::plan_change(), which this calls. prepare() writes
  // what nothing leads to yet; publish() the rest, once no packet is left that may not see that. Another one may be
  // planned once no packet is left that may have met what was there before. Sessions that have to end do so with the
  // aging, and so do port forwards begin that have to wait for them.
  [[nodiscard]] nat::change plan_change(nat44_config const& wanted) const;
  void prepare(nat::change const& made);
  void publish(nat::change made);

  // The coarse clock, in seconds since the table was made; never goes back.
  void tick(std::uint32_t seconds);
  // What the clock of entries and tables shows at 0 seconds: sessions restored may have been idle before.
  static constexpr std::uint32_t clock_start = 1U << 24;
  // Reads of the journals, up to four times `records` entries; where CPU executors have the true tables, ages the next
  // `records` of them too. A GPU's are aged by a sweep of nat44_sweep there. Goes on with a read_back() that was begun.
  void maintain(std::uint32_t records = 65536);

  // The GPU is lost, no executor gives it packets, and none on a CPU works as yet: what its journal still holds is
  // read, past what was never written. From here on CPU executors have the true tables. Sessions that the GPU had go on
  // as if just used, which maintain() writes into them, so many a call; before it has, none ages. Once.
  void gpu_failed();
  // Makes the host's tables what the GPU's are, by reading all of its sessions, so many with each maintain(); meanwhile
  // the GPU goes on. maintain() begins it by itself when the journal was full.
  void begin_read_back();
  [[nodiscard]] bool is_reading_back() const { return next_to_read_ != 0; }
  // The same at once, where there is time for it.
  void read_back();
  // Does to the host's tables what an executor on the GPU tells of having done to its own. maintain() does so with the
  // whole journal. An entry that tells of an end may come behind that of the session that has taken its place.
  void follow(nat::journal_entry const& entry);
  // Leaves the GPU's memory to the process: a kernel that nobody can end may still use it.
  void abandon();

  void for_each(std::function<void(nat44_session const&)> const& visit) const;
  // The same of the records from begin to end - 1, of those that there are; each session is one of records() for life.
  void for_each(std::uint32_t begin, std::uint32_t end, std::function<void(nat44_session const&)> const& visit) const;
  [[nodiscard]] std::uint32_t records() const { return layout_.session_records; }
  // Of an outside address by its position; nothing of one that is not in use. With a GPU as the host has heard of it.
  [[nodiscard]] std::uint32_t outside_positions() const { return layout_.outside_count; }
  [[nodiscard]] std::optional<nat44_outside_use> outside_use(std::uint32_t position) const;
  // Visits every record.
  [[nodiscard]] nat44_counts counts() const;
  // The same but for `live`.
  [[nodiscard]] nat44_counts const& counts_but_live() const { return counts_; }
  // Bytes of memory in each place.
  [[nodiscard]] std::size_t size() const { return layout_.bytes; }

  // Sessions made by packets, to a file and from it. Before the first packet only: restore(). Returns how many were
  // restored; those whose outside address or port is no longer to be had are left out. Throws failure.
  void save(std::string const& path);
  // A part of what save() writes. With a GPU, what read_back() has found.
  void save_slice(nat::session_file_writer& into, std::uint32_t begin, std::uint32_t end) const;
  [[nodiscard]] std::uint64_t restore(std::string const& path);

 private:
  void fill_host();
  void fill_free_sets();
  // True: all port forwards are what they are to be, in the host's tables.
  bool settle_forwards(nat::occupant others);
  // To the host's tables, and a GPU's that are the true ones.
  void write_all(std::size_t offset, std::span<std::byte const> bytes);
  [[nodiscard]] bool is_vacant(std::uint32_t position) const;
  void upload();
  void tell(nat::journal_entry const& entry);
  void read_journal_of_gpu(std::uint32_t most);
  void read_journal_of_host(std::uint32_t most);
  void read_back_slice(std::uint32_t records);
  void read_back_one(std::uint32_t number, nat::session const& true_one);
  void refresh_slice(std::uint32_t records);
  void age_slice(std::uint32_t records);
  // Ends what the host has in the place of a session that it is told of, which is newer.
  void make_way(nat::session const& wanted, std::uint32_t number);
  void forget_if_packets_made(std::uint32_t number);
  // number: free_set::none for any. False: something it needs is taken.
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
  table_memory gpu_journal_;  // the host's, and pinned: a GPU that is lost leaves it
  memory_registration journal_pin_;
  nat::journal_reader host_reader_;
  nat::journal_reader gpu_reader_;
  leader leader_{leader::host};
  std::uint64_t lost_{};     // of the leader's journal, when last looked
  std::uint64_t evicted_{};  // the same
  std::uint64_t untracked_{};
  std::uint32_t next_to_age_{1};
  std::uint32_t next_to_refresh_{0};  // 0: all are
  std::uint32_t next_to_read_{0};     // 0: nothing is read back
  bool is_read_again_{false};         // once this reading is over: it has missed what a full journal did
  nat44_counts counts_;
  observer told_;
};

}  // namespace packetwarp
