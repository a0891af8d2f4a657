// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <sanitizer/asan_interface.h>

#include <algorithm>
#include <array>
#include <cstdio>
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
constexpr int most_records = 32;  // of an input: twice what fills the window, uses up the retries and goes round
constexpr std::uint32_t number = 0x11, peer = 0x22, first_psn = 0xff'fffe;

void require(bool holds) {
  if (!holds) std::abort();
}

class stranger {
 public:
  stranger() : memory_(2 * guard + target_bytes), source_(4096), pair_{{.size = 8, .number = number}} {
    remote_ = {reinterpret_cast<std::uint64_t>(memory_.data() + guard),
               regions_.add(memory_.data() + guard, target_bytes, access::remote_write)};
    memory_place const local{reinterpret_cast<std::uint64_t>(source_.data()),
                             regions_.add(source_.data(), source_.size(), access::local_read)};
    // 17 packets, and one without payload among them.
    auto const slots = pair_.ref().reserve(single_thread{}, 5);
    for (std::uint32_t i = 0; i < slots.count; ++i) pair_.ref().post_write(slots, i, local, {0x1000, 1}, i * 350);
    pair_.ref().commit(single_thread{}, slots);
    begin();
    room_.resize(engine_->most_frame_bytes());
    frame_.resize(engine_->most_frame_bytes());
  }

  // An input begins here: with an engine that knows of nothing, and the same writes in its queue. The memory stays, for
  // the sake of the rate.
  void begin() {
    std::memset(memory_.data(), 0x55, memory_.size());
    for (std::uint32_t i = 0; i < pair_.parts().size; ++i)
      pair_.parts().completions[i] = {.words = {}, .tail = std::uint64_t{completion_invalid} << 60};
    now_ = 1;
    engine_.emplace(regions_.ref());
    engine_->add({.local_number = number,
                  .remote_number = peer,
                  .send_psn = first_psn,
                  .receive_psn = first_psn,
                  .path = path(),
                  .how = {.mtu = 256, .window = 8, .retries = 3, .timeout_ns = 1000}},
                 {.queue = &pair_.parts()});
    engine_->add({.local_number = number + 1,
                  .remote_number = peer,
                  .send_psn = 0,
                  .receive_psn = first_psn,
                  .path = path(),
                  .how = {.mtu = 256}},
                 {});
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
    std::array<std::byte, 256> payload;
    payload.fill(words[0]);
    // A reader beyond the frame's end is found, as if the frame had memory of its own.
    auto const length = roce::frame_bytes(fields.code, bytes);
    ASAN_UNPOISON_MEMORY_REGION(frame_.data(), frame_.size());
    ASAN_POISON_MEMORY_REGION(frame_.data() + length, frame_.size() - length);
    auto const from = path();
    roce::write_frame(frame_.data(),
                      {.source_mac = from.destination_mac,
                       .destination_mac = from.source_mac,
                       .source = from.destination,
                       .destination = from.source},
                      fields, payload.data(), bytes);
    take({frame_.data(), length});
  }
  void take(std::span<std::byte const> frame) {
    ++frames_;
    engine_->take(frame, now_ += 100);
    engine_->serve(now_);
    // The bytes of the first frame, and that the others' payload is what may be sent.
    if (auto const made = engine_->make_frame(room_, now_); made != 0)
      require(roce::read_frame(room_.data(), made).result == roce::frame_result::ok);
    roce::frame_plan plan;
    for (int n = 0; n < 3 && engine_->next_frame(now_, plan); ++n) {
      require(plan.bytes <= 256);
      require(plan.bytes == 0 ||
              (plan.payload >= source_.data() && plan.payload + plan.bytes <= source_.data() + source_.size()));
    }
  }
  void check() {
    // By memcmp: the fuzzer would follow a loop's every comparison.
    require(std::memcmp(memory_.data(), untouched_.data(), guard) == 0);
    require(std::memcmp(memory_.data() + guard + target_bytes, untouched_.data(), guard) == 0);
    require(std::memcmp(source_.data(), zeros_.data(), zeros_.size()) == 0);
    auto const all = engine_->counters();
    require(all.queues.completions <= 8 && all.sent.sent_again <= all.sent.packets);
    require(all.received.messages <= all.received.packets && all.received.bytes <= all.received.packets * 256);
  }

  // A run of the fuzzer ends with the number of frames beside its own number of inputs.
  ~stranger() { std::fprintf(stderr, "roce_fuzz: %llu frames\n", frames_); }
  stranger(stranger const&) = delete;
  stranger& operator=(stranger const&) = delete;

 private:
  [[nodiscard]] static roce::frame_path path() {
    return {.source_mac = wire::mac_address::from_number(2),
            .destination_mac = wire::mac_address::from_number(4),
            .source = {0x0a00'0001},
            .destination = {0x0a00'0002}};
  }

  std::vector<std::byte> memory_;
  std::vector<std::byte> source_;
  std::vector<std::byte> untouched_ = std::vector<std::byte>(guard, std::byte{0x55});
  std::vector<std::byte> zeros_ = std::vector<std::byte>(4096);
  std::vector<std::byte> room_;   // of the engine's frames
  std::vector<std::byte> frame_;  // of the stranger
  queue_pair pair_;
  region_table regions_;
  memory_place remote_{};
  std::optional<roce::roce_engine> engine_;
  std::uint64_t now_{1};
  unsigned long long frames_{};
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  std::span<std::byte const> rest{reinterpret_cast<std::byte const*>(data), size};
  static stranger other;
  other.begin();
  // Records: a byte that says how many follow; odd ones are frames as they are.
  for (int records = 0; !rest.empty() && records < most_records; ++records) {
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
