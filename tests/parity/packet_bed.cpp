// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "parity/packet_bed.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "base/error.h"

namespace packetwarp::test {
namespace {

// The room after the longest segment at the largest shift.
constexpr std::uint32_t room_behind = 64 + 16;

[[nodiscard]] std::size_t count_segments(std::vector<corpus_packet> const& corpus) {
  return std::accumulate(corpus.begin(), corpus.end(), std::size_t{0},
                         [](std::size_t sum, auto const& packet) { return sum + packet.segments.size(); });
}

[[nodiscard]] packet_pool_config config_of(std::size_t packets) {
  return {.name = "packet_bed",
          .packets = static_cast<std::uint32_t>(packets),
          .data_room = longest_segment + room_behind,
          .cache = 0,
          .socket = -1};
}

[[nodiscard]] std::byte* buffer_of(rte_mbuf const& segment) { return static_cast<std::byte*>(segment.buf_addr); }

}  // namespace

packet_bed::packet_bed(std::vector<corpus_packet> corpus)
    : corpus_{std::move(corpus)}, pool_{config_of(count_segments(corpus_))} {
  segments_.resize(count_segments(corpus_));
  if (rte_pktmbuf_alloc_bulk(&pool_.get(), segments_.data(), static_cast<unsigned>(segments_.size())) != 0) {
    throw failure("the packet bed's pool is empty");
  }
  buffer_bytes_ = segments_[0]->buf_len;
  filled_.resize(segments_.size() * buffer_bytes_);
  for (std::size_t i = 0; i < filled_.size(); ++i) filled_[i] = static_cast<std::byte>(0xa0 + i * 31 + i / 4099);
  std::size_t next = 0;
  for (std::size_t n = 0; n < corpus_.size(); ++n) {
    heads_.push_back(next);
    next += corpus_[n].segments.size();
    lay_out(n);
  }
  for (auto const* segment : segments_) before_.push_back(*segment);
}

packet_bed::~packet_bed() {
  for (std::size_t n = 0; n < size(); ++n) rte_pktmbuf_free(packet(n));
}

void packet_bed::lay_out(std::size_t n) {
  auto const& given = corpus_[n];
  auto const* from = given.frame.data();
  for (std::size_t i = 0; i < given.segments.size(); ++i) {
    auto& segment = *segments_[heads_[n] + i];
    auto const length = static_cast<std::uint16_t>(given.segments[i]);
    segment.data_off = static_cast<std::uint16_t>(RTE_PKTMBUF_HEADROOM + given.shift);
    segment.data_len = length;
    std::copy_n(from, length, &filled_[(heads_[n] + i) * buffer_bytes_ + segment.data_off]);
    from += length;
    segment.next = i + 1 < given.segments.size() ? segments_[heads_[n] + i + 1] : nullptr;
  }
  packet(n)->nb_segs = static_cast<std::uint16_t>(given.segments.size());
  packet(n)->pkt_len = static_cast<std::uint32_t>(given.frame.size());
}

void packet_bed::expect(oracle_function oracle) {
  wanted_.resize(filled_.size());
  wanted_verdicts_.resize(size(), verdict::punt());
  expect(oracle, 0, size(), first_epoch);
}

void packet_bed::expect(oracle_function oracle, std::size_t begin, std::size_t end, epoch_number epoch) {
  for (auto n = begin; n < end; ++n) {
    auto const bytes_of = [&](std::size_t segment) {
      auto const& mbuf = *segments_[segment];
      return std::span{&wanted_[segment * buffer_bytes_ + mbuf.data_off], mbuf.data_len};
    };
    auto const first_byte = heads_[n] * buffer_bytes_;
    std::memcpy(&wanted_[first_byte], &filled_[first_byte], corpus_[n].segments.size() * buffer_bytes_);
    wanted_verdicts_[n] = oracle({.first = bytes_of(heads_[n]),
                                  .second = is_chained(n) ? bytes_of(heads_[n] + 1) : std::span<std::byte>{},
                                  .length = packet(n)->pkt_len,
                                  .epoch = epoch});
  }
}

void packet_bed::refill() {
  for (std::size_t s = 0; s < segments_.size(); ++s) {
    std::memcpy(buffer_of(*segments_[s]), image(filled_, s).data(), buffer_bytes_);
  }
}

std::string packet_bed::difference(std::size_t n, verdict given) const {
  auto const who = [&] {
    return fmt::format("packet {} ({}, {} bytes at shift {})", n, corpus_[n].what, corpus_[n].frame.size(),
                       corpus_[n].shift);
  };
  if (given != wanted_verdicts_[n]) {
    return fmt::format("{}: verdict {:04x}, wanted {:04x}", who(), given.raw(), wanted_verdicts_[n].raw());
  }
  for (auto s = heads_[n]; s < end_of(n); ++s) {
    if (std::memcmp(segments_[s], &before_[s], sizeof(rte_mbuf)) != 0) return who() + ": its mbuf was changed";
    auto const wanted = image(wanted_, s);
    std::span const got{buffer_of(*segments_[s]), buffer_bytes_};
    if (std::memcmp(got.data(), wanted.data(), buffer_bytes_) == 0) continue;
    auto const at = static_cast<std::size_t>(std::mismatch(got.begin(), got.end(), wanted.begin()).first - got.begin());
    return fmt::format("{}: mbuf {}, byte {:+} is {:02x}, wanted {:02x}", who(), s - heads_[n],
                       static_cast<std::ptrdiff_t>(at) - segments_[s]->data_off, std::to_integer<unsigned>(got[at]),
                       std::to_integer<unsigned>(wanted[at]));
  }
  return {};
}

}  // namespace packetwarp::test
