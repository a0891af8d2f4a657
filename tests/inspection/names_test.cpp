// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "fixtures/packet_builder.h"
#include "inspection/lanes.h"

namespace packetwarp::test {
namespace {

// The names that packets ask for, in groups of lanes as on a GPU. The test makes each packet from a name, and so knows
// which rules match it.

constexpr char const* name_rules =
    "alert dns any any -> any any (dns.query; content:\"evil\"; nocase; sid:1;)\n"
    "alert dns any any -> any any (dns.query; dotprefix; content:\".example.net\"; endswith; sid:2;)\n"
    "alert dns any any -> any any (dns.query; content:!\"e\"; bsize:<9; sid:3;)\n"
    "alert tls any any -> any any (tls.sni; content:\"evil\"; nocase; sid:4;)\n"
    "alert tcp any any -> any any (tls.sni; dotprefix; content:\".example.net\"; endswith; sid:5;)\n"
    "drop udp any any -> any 53 (dns.query; bsize:11; content:\"example.net\"; sid:6;)\n"
    "alert udp any any -> any any (content:\"evil\"; sid:7;)\n";

[[nodiscard]] std::string lower(std::string text) {
  for (auto& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

[[nodiscard]] std::string number(std::size_t value) {
  return {static_cast<char>(value >> 8 & 0xff), static_cast<char>(value & 0xff)};
}

// A message of DNS (RFC 1035, 4.1) with one question.
[[nodiscard]] std::string question_for(std::string const& name) {
  std::string labels;
  for (std::size_t at = 0; at <= name.size();) {
    auto const end = std::min(name.find('.', at), name.size());
    labels += static_cast<char>(end - at) + name.substr(at, end - at);
    at = end + 1;
  }
  return std::string{"\x12\x34\x01\0\0\1\0\0\0\0\0\0", 12} + labels + std::string{"\0\0\1\0\1", 5};
}

[[nodiscard]] std::string record_of(std::string const& part) { return "\x16\3\1" + number(part.size()) + part; }

// A ClientHello (RFC 8446, 4.1.2) whose first extension has `padding` bytes. in_last: bytes of it in a second record.
[[nodiscard]] std::string hello_for(std::string const& name, std::size_t padding, std::size_t in_last) {
  auto const host = std::string(1, '\0') + number(name.size()) + name;
  auto const list = number(host.size()) + host;
  auto const extensions = std::string{"\0\x15", 2} + number(padding) + std::string(padding, '\0') +
                          std::string(2, '\0') + number(list.size()) + list;
  auto const hello =
      "\3\3" + std::string(32, 'r') + std::string{"\0\0\2\x13\1\1\0", 7} + number(extensions.size()) + extensions;
  auto const message = std::string{"\1\0", 2} + number(hello.size()) + hello;
  auto const rest = message.size() - in_last;
  return record_of(message.substr(0, rest)) + (in_last == 0 ? std::string{} : record_of(message.substr(rest)));
}

class asking_packets {
 public:
  explicit asking_packets(unsigned seed) : random_{seed} {}

  // Adds a packet, and the alerts that it has to bring.
  void add() {
    constexpr std::array<char const*, 8> names{
        "www.EVIL.org",   "example.net", "evil.example.net",          "x.org",
        "notexample.net", "abcd",        "longer.name.of.a.host.org", "exAmple.net"};
    std::string const name = names[pick(names.size())];
    auto const what = pick(6);
    if (what < 3) return add_question(name);
    if (what < 5) return add_hello(name);
    frames_.push_back(frame("no name, but evil", true, 1000));
    ++wanted_[7];
  }

  [[nodiscard]] std::vector<frame_bytes>& frames() { return frames_; }
  [[nodiscard]] alerts_by_sid const& wanted() const { return wanted_; }
  [[nodiscard]] unsigned cut() const { return cut_; }

 private:
  [[nodiscard]] unsigned pick(std::size_t most) { return static_cast<unsigned>(random_() % most); }
  [[nodiscard]] frame_bytes frame(std::string const& text, bool is_udp, std::uint16_t port) {
    bytes payload(text.size());
    for (std::size_t n = 0; n < text.size(); ++n) payload[n] = static_cast<std::byte>(text[n]);
    packet_builder made;
    made.eth().ipv4("10.0.0.1", "20.0.0.9");
    auto const from = static_cast<std::uint16_t>(4000 + pick(60'000));
    if (is_udp) return made.udp(from, port).payload(payload).build();
    return made.tcp(from, port, 0x18).payload(payload).build();
  }
  void want(bool is_wanted, std::uint32_t sid) {
    if (is_wanted) ++wanted_[sid];
  }
  [[nodiscard]] static bool is_in_domain(std::string const& name) {
    return ("." + name).size() >= 12 && ("." + name).substr(name.size() + 1 - 12) == ".example.net";
  }

  void add_question(std::string const& name) {
    auto message = question_for(name);
    auto const fault = pick(5);
    bool const has_name = fault > 2;
    if (fault == 0) message[2] = '\x81';           // an answer
    if (fault == 1) message.resize(13 + pick(2));  // cut within a label
    if (fault == 2) message[12] = '\xc0';          // a compressed label
    frames_.push_back(frame(message, true, 53));
    want(message.find("evil") != std::string::npos, 7);
    if (!has_name) return;
    want(lower(name).find("evil") != std::string::npos, 1);
    want(is_in_domain(name), 2);
    want(name.find('e') == std::string::npos && name.size() < 9, 3);
    want(name == "example.net", 6);
  }
  void add_hello(std::string const& name) {
    // Some lie beyond the room of a group, which are judged alone.
    auto message = hello_for(name, pick(3) == 0 ? 1500 : pick(300), pick(3) == 0 ? 1 + pick(60) : 0);
    bool const is_cut = pick(4) == 0;
    if (is_cut) message.resize(message.size() - 1 - pick(30));
    if (is_cut) ++cut_;
    frames_.push_back(frame(message, false, static_cast<std::uint16_t>(pick(2) == 0 ? 443 : 8443)));
    if (is_cut) return;
    want(lower(name).find("evil") != std::string::npos, 4);
    want(is_in_domain(name), 5);
  }

  std::mt19937 random_;
  std::vector<frame_bytes> frames_;
  alerts_by_sid wanted_;
  unsigned cut_{};
};

TEST(asked_names, are_read_by_each_number_of_lanes) {
  for (unsigned const lanes : {1U, 4U, 8U}) {
    asking_packets packets{lanes};
    for (unsigned n = 0; n < 400; ++n) packets.add();
    stage_bed bed{name_rules, judged_alone};
    auto const fates = lanes == 1 ? bed.judge(packets.frames(), 32) : judged_by_lanes(bed, packets.frames(), lanes);
    EXPECT_EQ(bed.alerts(), packets.wanted()) << lanes;
    EXPECT_EQ(packets.wanted().size(), 7U) << "each rule has matched";
    EXPECT_EQ(alerts_of_inspector(bed, packets.frames()), packets.wanted());
    EXPECT_EQ(std::count(fates.begin(), fates.end(), inspection_parts::fate::dropped), packets.wanted().at(6));
    EXPECT_EQ(bed.counts().unjudged_names, packets.cut()) << lanes;
    EXPECT_GT(packets.cut(), 10U);
  }
}

}  // namespace
}  // namespace packetwarp::test
