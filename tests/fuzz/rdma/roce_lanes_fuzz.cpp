// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "rdma/queue_pair.h"
#include "rdma/roce/frame.h"
#include "rdma/roce/inbox.h"
#include "rdma/roce/lane_request.h"
#include "rdma/roce/looped_requester.h"
#include "rdma/roce/responder.h"

// Frames of a stranger to the requester and the responder of a GPU's lanes, which run on this CPU: they read and write
// nothing outside of their rooms and the registered region, judge a frame as a CPU does, and make whole frames.
namespace {

using namespace packetwarp;
using namespace packetwarp::rdma;
using namespace packetwarp::rdma::roce;

constexpr std::uint32_t number = 0x11, peer = 0x22, first_psn = 0xff'fffe, mtu = 256;
constexpr std::size_t guard = 128, target_bytes = 1024;

void require(bool holds) {
  if (!holds) std::abort();
}

class lanes_of_two_ends {
 public:
  lanes_of_two_ends() : target_(2 * guard + target_bytes), source_(4096), pair_{{.size = 8, .number = number}} {
    exposed_ = {reinterpret_cast<std::uint64_t>(target_.data() + guard),
                regions_.add(target_.data() + guard, target_bytes, access::remote_write)};
    memory_place const local{reinterpret_cast<std::uint64_t>(source_.data()),
                             regions_.add(source_.data(), source_.size(), access::local_read)};
    auto const slots = pair_.ref().reserve(single_thread{}, 5);
    for (std::uint32_t i = 0; i < slots.count; ++i) pair_.ref().post_write(slots, i, local, {0x1000, 1}, i * 350);
    pair_.ref().commit(single_thread{}, slots);
  }

  // An input begins here. pieces: of frames in both directions.
  void begin(frame_pieces pieces) {
    std::memset(target_.data(), 0x55, target_.size());
    for (std::uint32_t i = 0; i < pair_.parts().size; ++i)
      pair_.parts().completions[i] = {.words = {}, .tail = std::uint64_t{completion_invalid} << 60};
    now_ = 1;
    requester_ = std::make_unique<test::looped_requester>(
        connection_settings{.local_number = number,
                            .remote_number = peer,
                            .send_psn = first_psn,
                            .path = {.source = {1}, .destination = {2}},
                            .how = {.mtu = mtu, .window = 8, .retries = 3, .timeout_ns = 1000}},
        pair_.parts(), regions_.ref(), tables_, 16, pieces);
    pieces_ = pieces;
    responder_ = responder{first_psn, mtu};
  }

  // A frame with fields of the input, near to right ones, and with a right ICRC.
  void send(std::span<std::byte const> words) {
    if (words.size() < 12) return;
    auto const byte = [&](std::size_t i) { return static_cast<std::uint32_t>(words[i]); };
    constexpr opcode codes[] = {opcode::write_first, opcode::write_middle, opcode::write_last, opcode::write_only,
                                opcode::acknowledge};
    packet_fields const fields{.code = codes[byte(0) % 5],
                               .queue_number = number,
                               .asks_acknowledgement = static_cast<std::uint8_t>(byte(2) & 1U),
                               .psn = (first_psn + byte(3) - 8U) & psn_mask,
                               .address = exposed_.address + byte(4) * 8U - 64U,
                               .rkey = exposed_.key + (byte(5) < 16 ? byte(5) : 0U),
                               .length = byte(6) * 8U + byte(7),
                               .syndrome = static_cast<std::uint8_t>(byte(8))};
    auto const bytes = (byte(10) & 1U) != 0 ? mtu : byte(11);
    std::array<std::byte, mtu> const payload{words[0]};
    std::vector<std::byte> frame(frame_bytes(fields.code, bytes));
    write_frame(frame.data(), {.source = {2}, .destination = {1}}, fields, payload.data(), bytes);
    if ((byte(1) & 7U) == 7) frame[42 + byte(9) % (frame.size() - 42)] ^= words[2];
    take(frame, byte(1) % 8);
  }
  // ahead: the frame's distance from a multiple of 8.
  void take(std::span<std::byte const> frame, std::size_t ahead) {
    auto const headers = read_headers(frame.data(), frame.size());
    if (headers.frame.result == frame_result::ok) {
      if (has_aeth(headers.frame.fields.code)) {
        if (read_frame(frame.data(), frame.size()).result == frame_result::ok)
          requester_->end.take(headers.frame.fields);
      } else if (headers.frame.payload_bytes <= mtu) {
        respond(frame.first(ethernet_bytes + headers.total), ahead);
      }
    }
    requester_->serve(now_ += 100, [](std::span<std::byte const> made) {
      require(read_frame(made.data(), made.size()).result == frame_result::ok);
    });
  }
  void check() const {
    std::vector<std::byte> const untouched(guard, std::byte{0x55});
    require(std::memcmp(target_.data(), untouched.data(), guard) == 0);
    require(std::memcmp(target_.data() + guard + target_bytes, untouched.data(), guard) == 0);
    require(std::all_of(source_.begin(), source_.end(), [](std::byte one) { return one == std::byte{0}; }));
    require(requester_->queue().completions <= 8 && requester_->sent().sent_again <= requester_->sent().packets);
  }

 private:
  // A piece in a place of its own size, `ahead` bytes after a multiple of 8.
  struct piece {
    piece(std::span<std::byte const> bytes, std::size_t ahead) : around(16 + bytes.size() + 8) {
      auto const begin = reinterpret_cast<std::uintptr_t>(around.data());
      auto* const to = around.data() + (8 - begin % 8) % 8 + ahead;
      std::copy(bytes.begin(), bytes.end(), to);
      at = reinterpret_cast<std::uint64_t>(to);
    }
    std::vector<std::byte> around;
    std::uint64_t at;
  };
  // As the kernel's block does. The frame is copied to places that may begin anywhere.
  void respond(std::span<std::byte const> frame, std::size_t ahead) {
    constexpr auto headers = transport_at + bth_bytes + reth_bytes;  // which a CPU reads in the first piece
    auto const bytes = pieces_ == frame_pieces::one ? frame.size() : std::min(frame.size(), headers + ahead);
    piece const first{frame.first(bytes), ahead}, rest{frame.subspan(bytes), ahead * 3 % 8};
    auto const room_bytes = frame_room_of(mtu) + lane_request::room_beyond;
    std::vector<unsigned long long> room((room_bytes + 7) / 8);
    lane_request const request{first.at, static_cast<std::uint32_t>(bytes),
                               static_cast<std::uint32_t>(frame.size() - bytes),
                               reinterpret_cast<std::byte*>(room.data())};
    for (std::uint32_t lane = 0; lane < lanes; ++lane) request.copy(lane);
    for (std::uint32_t lane = 0; lane < lanes; ++lane) request.copy_rest(lane, rest.at);
    std::uint32_t parts = 0;
    for (std::uint32_t lane = 0; lane < lanes; ++lane) parts ^= request.icrc_part(lane, *tables_, lane_power(lane));
    bool const is_right = request.is_right(parts);
    require(is_right == (read_frame(frame.data(), frame.size()).result == frame_result::ok));
    if (!is_right) return;
    auto const packet = parse_packet(request.frame() + transport_at, frame.size() - transport_at);
    auto const verdict = responder_.take(packet.fields, static_cast<std::uint32_t>(packet.payload), regions_.ref());
    if (verdict.bytes != 0) std::memcpy(verdict.to, request.frame() + transport_at + packet.payload_at, verdict.bytes);
    auto const told = unpacked_answer(verdict);
    require(verdict.answer == answer_kind::none || (told.psn == verdict.psn && told.syndrome == verdict.syndrome));
  }
  [[nodiscard]] static responder_verdict unpacked_answer(responder_verdict const& verdict) {
    return unpacked_verdict(packed_verdict(verdict));
  }

  std::shared_ptr<lane_tables const> tables_{test::make_tables()};
  std::vector<std::byte> target_;
  std::vector<std::byte> source_;
  queue_pair pair_;
  region_table regions_;
  memory_place exposed_{};
  std::unique_ptr<test::looped_requester> requester_;
  frame_pieces pieces_{};
  responder responder_;
  std::uint64_t now_{1};
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  constexpr int most_records = 32;
  std::span<std::byte const> rest{reinterpret_cast<std::byte const*>(data), size};
  static lanes_of_two_ends both;
  both.begin(size % 2 == 0 ? frame_pieces::one : frame_pieces::two);
  // Records: a byte that says how many follow; odd ones are frames as they are.
  for (int records = 0; !rest.empty() && records < most_records; ++records) {
    auto const head = static_cast<std::size_t>(rest[0]);
    rest = rest.subspan(1);
    auto const bytes = std::min(rest.size(), (head & 1U) != 0 ? head : std::size_t{12});
    if ((head & 1U) != 0) {
      both.take(rest.first(bytes), head / 2 % 8);
    } else {
      both.send(rest.first(bytes));
    }
    rest = rest.subspan(bytes);
  }
  both.check();
  return 0;
}
