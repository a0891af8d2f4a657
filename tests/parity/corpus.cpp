// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "parity/corpus.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <utility>

#include "base/error.h"
#include "function/forward/mac_swap_oracle.h"
#include "traffic/capture/capture.h"

namespace packetwarp::test {
namespace {

constexpr unsigned shifts = 16;

using corpus = std::vector<corpus_packet>;

// In one mbuf where it fits, at a shift that follows from its place in the corpus.
void add(corpus& all, std::string what, bytes frame) {
  std::vector<std::uint32_t> segments;
  for (auto left = static_cast<std::uint32_t>(frame.size()); left > longest_segment; left -= longest_segment) {
    segments.push_back(longest_segment);
  }
  segments.push_back(static_cast<std::uint32_t>(frame.size() - segments.size() * longest_segment));
  auto const shift = static_cast<unsigned>(all.size() * 7 % shifts);
  all.push_back({std::move(what), std::move(frame), shift, std::move(segments)});
}

std::vector<std::pair<std::string, packet_builder>> formats() {
  auto const eth = [] { return packet_builder{}.eth("02:00:00:00:00:01", "02:00:00:00:00:02"); };
  auto const no_op = to_bytes({1, 1, 1, 0});
  return {
      {"arp", eth().arp_request("10.0.0.1", "10.0.0.2")},
      {"arp, padded", eth().arp_request("10.0.0.1", "10.0.0.2").pad_to(60)},
      {"ipv4 udp", eth().ipv4().udp(53, 5353).payload(18)},
      {"ipv4 udp without checksum", eth().ipv4().udp(1, 2).no_checksum().payload(3)},
      {"ipv4 udp, nothing to live", eth().ipv4().ttl(0).udp(1, 2).payload(18)},
      {"ipv4 options udp", eth().ipv4().options(no_op).udp(1, 2).payload(5)},
      {"ipv4 tcp", eth().ipv4().tcp(80, 40000).payload(7)},
      {"ipv4 tcp options", eth().ipv4().tcp(80, 40000, wire::tcp_flag::syn, no_op)},
      {"ipv4 icmp", eth().ipv4().icmp_echo(1, 2).payload(56)},
      {"ipv4 first fragment", eth().ipv4().fragment(0, 1).udp(1, 2).payload(24)},
      {"ipv4 later fragment", eth().ipv4().fragment(1480, 0).protocol(17).payload(33)},
      {"ipv4 unknown protocol", eth().ipv4().protocol(253).payload(9)},
      {"vlan ipv4 udp", eth().vlan(5, 3).ipv4().udp(1, 2).payload(18)},
      {"two tags ipv4 tcp", eth().service_vlan(100, 3).vlan(5).ipv4().tcp(1, 2).payload(1)},
      {"vlan arp", eth().vlan(1).arp_request("10.0.0.1", "10.0.0.2")},
      {"ipv6 udp", eth().ipv6().udp(1, 2).payload(18)},
      {"ipv6 tcp", eth().ipv6().tcp(1, 2).payload(2)},
      {"ipv6 icmp", eth().ipv6().icmp_echo(1, 2).payload(8)},
      {"ipv6 extensions udp", eth().ipv6().hop_by_hop().destination_options().routing().udp(1, 2).payload(4)},
      {"ipv6 fragment", eth().ipv6().fragment6(0, 1).udp(1, 2).payload(16)},
      {"ipv4 icmp to the router", eth().ipv4("10.0.0.1", "10.0.0.254").icmp_echo(1, 2).payload(20)},
      {"ipv4 tcp by a gateway", eth().ipv4("10.0.0.1", "20.1.2.200").tcp(1, 2).payload(5)},
      {"ipv4 udp by a long prefix", eth().ipv4("10.0.0.1", "20.1.2.4").udp(1, 2).payload(5)},
      {"ipv4 udp, too big", eth().ipv4("10.0.0.1", "20.9.9.9").udp(1, 2).payload(60)},
      {"ipv4 udp by a gateway", eth().ipv4("10.0.0.1", "20.1.2.201").udp(1000, 2000).payload(18)},
      {"ipv4 udp without checksum by a gateway",
       eth().ipv4("10.0.0.1", "20.1.2.201").udp(1001, 2000).no_checksum().payload(3)},
      {"ipv4 icmp by a gateway", eth().ipv4("10.0.0.1", "20.1.2.201").icmp_echo(300, 1).payload(20)},
      {"ipv4 udp to a port forward", eth().ipv4("10.0.0.1", "203.0.113.1").udp(1000, 8080).payload(18)},
      {"ipv6 icmp to the router", eth().ipv6("2001:db8::1", "2001:db8::fe").icmp_echo(1, 2).payload(8)},
      {"ipv6 tcp by a gateway", eth().ipv6("2001:db8::1", "2001:db8:ff::9").tcp(1, 2).payload(5)},
      {"ipv4 udp with a loose source route by a gateway",
       eth().ipv4("10.0.0.1", "20.1.2.201").options(to_bytes({1, 131, 7, 4, 192, 0, 2, 7})).udp(1, 2).payload(5)},
      {"ipv4 udp from a broadcast address by a gateway", eth().ipv4("10.0.0.255", "20.1.2.201").udp(1, 2).payload(18)},
      {"ipv4 udp from the router to a group", packet_builder{}
                                                  .eth("02:00:00:00:00:01", "01:00:5e:00:00:05")
                                                  .ipv4("10.0.0.254", "224.0.0.5")
                                                  .udp(1, 2)
                                                  .payload(18)},
      {"ipv6 udp from the router to a group", packet_builder{}
                                                  .eth("02:00:00:00:00:01", "33:33:00:00:00:05")
                                                  .ipv6("2001:db8::fe", "ff02::5")
                                                  .udp(1, 2)
                                                  .payload(5)},
      {"two tags ipv6 udp", eth().service_vlan(100).vlan(5).ipv6().udp(1, 2).payload(1)},
  };
}

// Whole, cut at every byte, and with each byte of its headers wrong in the worst way: lengths, versions, types.
void add_formats(corpus& all) {
  for (auto const& [name, builder] : formats()) {
    auto const whole = builder.build();
    add(all, name, whole);
    for (std::size_t length = 0; length < whole.size(); ++length) {
      add(all, fmt::format("{}, cut to {} bytes", name, length),
          {whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length)});
    }
    for (std::size_t at = 12; at < whole.size(); ++at) {
      for (auto const wrong : {0x00u, 0x0fu, 0xffu}) {
        auto damaged = whole;
        damaged[at] = static_cast<std::byte>(wrong);
        add(all, fmt::format("{}, byte {} is {:02x}", name, at, wrong), std::move(damaged));
      }
    }
  }
}

void add_lengths(corpus& all) {
  for (std::size_t length = 0; length <= longest_segment; ++length) {
    add(all, fmt::format("{} bytes", length), numbered_bytes(length, length));
  }
  constexpr std::size_t short_frame = 80;
  for (std::size_t length = 0; length <= short_frame; ++length) {
    for (unsigned shift = 0; shift < shifts; ++shift) {
      auto frame = numbered_bytes(length, length + shift);
      all.push_back({fmt::format("{} bytes, shifted by {}", length, shift),
                     std::move(frame),
                     shift,
                     {static_cast<std::uint32_t>(length)}});
    }
  }
}

void add_chains(corpus& all) {
  constexpr std::uint32_t whole = 1000;
  for (std::uint32_t first = 0; first <= 80; ++first) {
    add(all, fmt::format("{} bytes, {} of them in its first mbuf", whole, first), numbered_bytes(whole, first));
    all.back().segments = {first, whole - first};
  }
  for (std::size_t const length : {2049u, 4096u, 4097u, 9000u, 9018u, 9600u}) {
    add(all, fmt::format("{} bytes, chained", length), numbered_bytes(length, length));
  }
  // Headers that end in the middle of a chain, and mbufs that hold nothing.
  add(all, "16 mbufs of a byte", numbered_bytes(16, 1));
  all.back().segments.assign(16, 1);
  add(all, "64 bytes, mbufs of nothing around", numbered_bytes(64, 2));
  all.back().segments = {0, 64, 0};
}

void add_captures(corpus& all) {
  auto const folder = source_folder() / "tests" / "captures";
  std::size_t captures = 0;
  for (auto const& entry : std::filesystem::directory_iterator{folder}) {
    if (entry.path().extension() != ".pcap") continue;
    ++captures;
    auto const recorded = traffic::capture::read(entry.path());
    for (auto const& packet : recorded.packets()) {
      auto const frame = recorded.bytes(packet);
      add(all, fmt::format("{}, packet {}", entry.path().filename().string(), &packet - recorded.packets().data() + 1),
          {frame.begin(), frame.end()});
    }
  }
  if (captures == 0) throw failure(fmt::format("{}: no capture there", folder.string()));
}

// The inputs that fuzzing the parser found worth keeping.
void add_fuzz_corpus(corpus& all) {
  for (auto const& entry : std::filesystem::directory_iterator{source_folder() / "tests/fuzz/corpus/wire_fuzz"}) {
    std::ifstream file{entry.path(), std::ios::binary};
    std::string const content{std::istreambuf_iterator<char>{file}, {}};
    auto const* const begin = reinterpret_cast<std::byte const*>(content.data());
    add(all, fmt::format("fuzz corpus, {}", entry.path().filename().string()), {begin, begin + content.size()});
  }
}

corpus sample(corpus const& all, std::size_t most) {
  if (most == 0 || most >= all.size()) return all;
  corpus chosen;
  for (std::size_t n = 0; n < most; ++n) chosen.push_back(all[n * all.size() / most]);
  return chosen;
}

}  // namespace

std::filesystem::path source_folder() {
  auto const* const told = std::getenv("PACKETWARP_SOURCE_DIR");
  return told != nullptr ? told : PACKETWARP_SOURCE_DIR;
}

std::vector<corpus_packet> make_corpus(std::size_t most) {
  corpus all;
  add_formats(all);
  add_lengths(all);
  add_chains(all);
  add_captures(all);
  add_fuzz_corpus(all);
  auto mixed = all;
  std::shuffle(mixed.begin(), mixed.end(), std::mt19937{1});
  all.insert(all.end(), std::make_move_iterator(mixed.begin()), std::make_move_iterator(mixed.end()));
  return sample(all, most);
}

}  // namespace packetwarp::test
