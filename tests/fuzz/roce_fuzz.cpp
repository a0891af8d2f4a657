// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include "rdma/queue_pair.h"
#include "rdma/roce/roce_engine.h"

// Frames of a stranger to an engine with two connections, one of which has writes under way: whatever comes, the engine
// writes nothing outside of the registered region, its counters agree, and its own frames are whole.
namespace {

using namespace packetwarp;
using namespace packetwarp::rdma;

constexpr std::size_t guard = 128, target_bytes = 1024;
constexpr std::uint32_t number = 0x11, peer = 0x22, first_psn = 0xff'fffe;

void require(bool holds) {
  if (!holds) std::abort();
}

class stranger {
 public:
  stranger() : memory_(2 * guard + target_bytes, std::byte{0x55}), source_(4096), pair_{{.size = 8, .number = number}} {
    remote_ = {reinterpret_cast<std::uint64_t>(memory_.data() + guard),
               regions_.add(memory_.data() + guard, target_bytes, access::remote_write)};
    memory_place const local{reinterpret_cast<std::uint64_t>(source_.data()),
                             regions_.add(source_.data(), source_.size(), access::local_read)};
    engine_.emplace(regions_.ref());
    engine_->add({.local_number = number,
                  .remote_number = peer,
                  .send_psn = first_psn,
                  .receive_psn = first_psn,
                  .path = path(),
                  .how = {.mtu = 256, .window = 8, .retries = 3, .timeout_ns = 1000}},
                 &pair_.parts());
    engine_->add({.local_number = number + 1,
                  .remote_number = peer,
                  .send_psn = 0,
                  .receive_psn = first_psn,
                  .path = path(),
                  .how = {.mtu = 256}},
                 nullptr);
    auto const slots = pair_.ref().reserve(single_thread{}, 8);
    for (std::uint32_t i = 0; i < 8; ++i) pair_.ref().post_write(slots, i, local, {0x1000, 1}, i * 200);
    pair_.ref().commit(single_thread{}, slots);
  }

  // A frame with fields of the input, near to right ones, and with a right ICRC.
  void send(std::span<std::byte const> words) {
    if (words.size() < 12) return;
    auto const byte = [&](std::size_t i) { return static_cast<unsigned>(words[i]); };
    constexpr roce::opcode codes[] = {roce::opcode::write_first, roce::opcode::write_middle, roce::opcode::write_last,
                                      roce::opcode::write_only, roce::opcode::acknowledge};
    roce::packet_fields const fields{.code = codes[byte(0) % 5],
                                     .queue_number = number + (byte(1) & 3U),
                                     .asks_acknowledgement = static_cast<std::uint8_t>(byte(2) & 1U),
                                     .psn = (first_psn + byte(3) - 8U) & roce::psn_mask,
                                     .address = remote_.address + byte(4) * 8U - 64U,
                                     .rkey = remote_.key + (byte(5) < 16 ? byte(5) : 0U),
                                     .length = byte(6) * 8U + byte(7),
                                     .syndrome = static_cast<std::uint8_t>(byte(8)),
                                     .message_number = byte(9)};
    auto const bytes = (byte(10) & 1U) != 0 ? 256 : byte(11);
    std::vector<std::byte> const payload(bytes, words[0]);
    std::vector<std::byte> frame(roce::frame_bytes(fields.code, bytes));
    auto const from = path();
    roce::write_frame(frame.data(),
                      {.source_mac = from.destination_mac,
                       .destination_mac = from.source_mac,
                       .source = from.destination,
                       .destination = from.source},
                      fields, payload.data(), bytes);
    take(frame);
  }
  void take(std::span<std::byte const> frame) {
    engine_->take(frame, now_ += 100);
    engine_->serve(now_);
    std::vector<std::byte> room(engine_->most_frame_bytes());
    for (int n = 0; n < 4; ++n) {
      auto const made = engine_->make_frame(room, now_);
      if (made == 0) break;
      require(roce::read_frame(room.data(), made).result == roce::frame_result::ok);
    }
  }
  void check() {
    // By memcmp: the fuzzer would follow a loop's every comparison.
    static std::vector<std::byte> const untouched(guard, std::byte{0x55}), zeros(source_.size());
    require(std::memcmp(memory_.data(), untouched.data(), guard) == 0);
    require(std::memcmp(memory_.data() + guard + target_bytes, untouched.data(), guard) == 0);
    require(std::memcmp(source_.data(), zeros.data(), zeros.size()) == 0);
    auto const all = engine_->counters();
    require(all.queues.completions <= 8 && all.sent.sent_again <= all.sent.packets);
    require(all.received.messages <= all.received.packets && all.received.bytes <= all.received.packets * 256);
  }

 private:
  [[nodiscard]] static roce::frame_path path() {
    return {.source_mac = wire::mac_address::from_number(2),
            .destination_mac = wire::mac_address::from_number(4),
            .source = {0x0a00'0001},
            .destination = {0x0a00'0002}};
  }

  std::vector<std::byte> memory_;
  std::vector<std::byte> source_;
  queue_pair pair_;
  region_table regions_;
  memory_place remote_{};
  std::optional<roce::roce_engine> engine_;
  std::uint64_t now_{1};
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  std::span<std::byte const> rest{reinterpret_cast<std::byte const*>(data), size};
  stranger other;
  // Records: a byte that says how many follow; odd ones are frames as they are.
  while (!rest.empty()) {
    auto const head = static_cast<std::size_t>(rest[0]);
    rest = rest.subspan(1);
    auto const bytes = std::min(rest.size(), (head & 1U) != 0 ? head : std::size_t{12});
    if ((head & 1U) != 0) {
      other.take(rest.first(bytes));
    } else {
      other.send(rest.first(bytes));
    }
    rest = rest.subspan(bytes);
  }
  other.check();
  return 0;
}
