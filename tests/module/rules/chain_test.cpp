#include "function/chain.h"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <string>
#include <string_view>

#include "module/rules/rules_bed.h"

namespace packetwarp {
namespace {

// The last byte of a packet's source address, by which the stages below choose.
unsigned last_of(packet_view packet) { return static_cast<unsigned>(packet.data[29]); }

// The stage that routes: the byte decides. It puts a mark into the MAC address of each packet that it sees.
struct asked {
  struct ref {};
  static constexpr std::string_view name = "asked";
  static constexpr std::array<std::string_view, 2> drop_names{"first", "second"};
  static constexpr bool follows_from_header = false;

  static verdict process(packet_view packet, ref const&) {
    if (packet.contiguous < 34) return verdict::drop(function_drop(0));
    packet.data[0] = std::byte{0x42};
    switch (last_of(packet) % 6) {
      case 0:
        return verdict::forward(egress_index{10});
      case 1:
        return verdict::forward(egress_index{11});
      case 2:
        return verdict::forward(egress_index{12});
      case 3:
        return verdict::punt(punt_reason::neighbour_unknown);
      case 4:
        return verdict::drop(drop_reason::tx_full);
      default:
        return verdict::drop(function_drop(1));
    }
  }
  static verdict process(packet_view packet, ref const& tables, auto& hooks) {
    if (packet.contiguous < 34) return process(packet, tables);
    wire::ipv4_view<std::byte> const ip{packet.data + 14};
    route_state state{ip.destination()};
    if (auto const said = hooks.pre_route(packet, ip, state); said != next_hook()) return said;
    if (auto const said = hooks.routed(packet, ip, state); said != next_hook()) return said;
    auto const decided = process(packet, tables);
    if (decided.what() != verdict::action::forward) return decided;
    auto const said = hooks.post_route(packet, ip, state);
    return said == next_hook() ? decided : said;
  }
};

// A stage around it that refuses some packets, each at another hook, and has a short way for half of the others.
struct refusing {
  struct ref {
    unsigned offset;
  };
  struct passage {
    unsigned hooks{};
  };
  struct outlook {
    unsigned last;
  };
  static constexpr std::string_view name = "refusing";
  static constexpr std::array<std::string_view, 3> drop_names{"third", "fourth", "fifth"};

  static verdict pre_route(packet_view packet, wire::ipv4_view<std::byte>, route_state& state, passage& mine,
                           ref const& tables, auto const&) {
    ++mine.hooks;
    state.is_redirected = true;
    return (last_of(packet) + tables.offset) % 5 == 0 ? verdict::drop(function_drop(0)) : next_hook();
  }
  static verdict routed(packet_view packet, wire::ipv4_view<std::byte>, route_state& state, passage& mine, ref const&,
                        auto const&) {
    EXPECT_TRUE(++mine.hooks == 2 && state.is_redirected);
    return last_of(packet) % 7 == 0 ? verdict::drop(function_drop(1)) : next_hook();
  }
  static verdict post_route(packet_view packet, wire::ipv4_view<std::byte>, route_state&, passage& mine, ref const&,
                            auto const&) {
    EXPECT_EQ(++mine.hooks, 3u);
    return last_of(packet) % 4 == 0 ? verdict::drop(function_drop(2)) : next_hook();
  }

  static outlook look_ahead(packet_view packet, ref const&, auto const&) {
    return {packet.contiguous < 34 ? 0 : last_of(packet)};
  }
  static void look_further(ref const&, auto const&, outlook& seen) { seen.last += 1000; }
  // For odd bytes that no hook refuses and that leave.
  static verdict go_short_way(packet_view packet, ref const& tables, auto const& routes, outlook const& seen) {
    EXPECT_EQ(seen.last, look_ahead(packet, tables, routes).last + 1000);
    auto const last = seen.last - 1000;
    bool const is_short = last % 6 == 1 && (last + tables.offset) % 5 != 0 && last % 7 != 0;
    if (!is_short) return next_hook();
    packet.data[0] = std::byte{0x42};
    return verdict::forward(egress_index{11});
  }
};

using all_stages = chain<rules, refusing, asked>;
static_assert(packet_function<all_stages> && looks_ahead<all_stages> && holds_tables<all_stages>);
static_assert(all_stages::name == "rules, refusing" && chain<rules, asked>::name == "rules, asked");
static_assert(all_stages::drop_names.size() == 2 + 6 + 3 && all_stages::drop_names[1] == "second" &&
              all_stages::drop_names[3] == "rule_drop" && all_stages::drop_names[10] == "fifth");
static_assert(!looks_ahead<chain<rules, asked>>);

constexpr unsigned offset = 2;
// Port 0 leaves by egress 10 and port 1 by 11, as in rules_bed; 12 is a port without egress rules.
all_stages::ref tables_of(test::rules_bed const& bed) { return {{bed.tables_of(0)}, {{offset}}, {}}; }

// The n-th drop name of the chain's.
verdict dropped(unsigned n) { return verdict::drop(function_drop(static_cast<std::uint16_t>(n))); }
verdict as_chains(verdict of_rules) {
  bool const is_own = of_rules.what() == verdict::action::drop && of_rules.why() >= drop_reason::first_of_function;
  if (!is_own) return of_rules;
  auto const own = static_cast<unsigned>(of_rules.why()) - static_cast<unsigned>(drop_reason::first_of_function);
  return verdict::drop(function_drop(static_cast<std::uint16_t>(own + 2)), of_rules.move());
}

// The same in another form: without screens, and with each hook looked up at each packet.
verdict meet_routing(packet_view packet) {
  if (packet.contiguous < 34) return dropped(0);
  if ((last_of(packet) + offset) % 5 == 0) return dropped(8);
  if (last_of(packet) % 7 == 0) return dropped(9);
  auto const decided = asked::process(packet, {});
  bool const is_refused = decided.what() == verdict::action::forward && last_of(packet) % 4 == 0;
  return is_refused ? dropped(10) : decided;
}
verdict meet_all(packet_view packet, rules_ref const& tables) {
  auto const& set = tables.root->in_force();
  bool goes_on = false;
  auto const said = rules::process_or(packet, tables, set, [&](rules_packet const&) {
    goes_on = true;
    return verdict::punt();
  });
  if (!goes_on) return as_chains(said);
  auto const routed = meet_routing(packet);
  if (routed == verdict::forward(egress_index{10})) return as_chains(rules::leave_by(packet, tables, set, 0, routed));
  if (routed == verdict::forward(egress_index{11})) return as_chains(rules::leave_by(packet, tables, set, 1, routed));
  return routed;
}

using test::bytes;

packet_view view_of(bytes& frame) {
  auto const size = static_cast<std::uint32_t>(frame.size());
  return {frame.data() + test::rules_bed::headroom, size - test::rules_bed::headroom, size - test::rules_bed::headroom};
}

// After headroom.
bytes random_frame(std::mt19937& random) {
  auto const pick = [&](unsigned below) { return static_cast<unsigned>(random() % below); };
  test::packet_builder made;
  made.eth();
  if (pick(10) == 0) made.vlan(1 + pick(2));
  if (pick(10) == 0) {
    made.ipv6().udp(1, 1 + pick(4));
  } else {
    made.ipv4("10.0.0." + std::to_string(pick(12)), "10.0.1." + std::to_string(pick(4)));
    pick(2) == 0 ? made.udp(1, 1 + pick(4)) : made.tcp(1, 1 + pick(4));
  }
  auto frame = made.payload(pick(20)).build();
  if (pick(10) == 0) frame.resize(10 + pick(40));
  frame.insert(frame.begin(), test::rules_bed::headroom, std::byte{0});
  return frame;
}

constexpr std::string_view ingress_rules =
    "flow create 0 ingress pattern eth / ipv4 dst is 10.0.1.1 / end actions drop / end\n"
    "flow create 0 ingress pattern eth / ipv4 / udp dst is 2 / end actions count / end\n"
    "flow create 0 ingress pattern eth / ipv4 / tcp dst is 3 / end actions queue index 1 / end\n";
constexpr std::string_view egress_rules =
    "flow create 1 egress pattern eth / ipv4 dst is 10.0.1.2 / end actions drop / end\n"
    "flow create 1 egress pattern eth / ipv4 / end actions dec_ttl / of_push_vlan ethertype 0x8100 / end\n";

TEST(chain, is_the_same_with_tables_held_and_packets_looked_at_ahead) {
  std::string const both = std::string{ingress_rules} + std::string{egress_rules};
  for (auto const& text : {std::string{}, std::string{ingress_rules}, std::string{egress_rules}, both}) {
    test::rules_bed const bed{text};
    auto const tables = tables_of(bed);
    auto const held = all_stages::hold(tables);
    std::mt19937 random{1};
    unsigned screened = 0;
    for (int n = 0; n < 5000; ++n) {
      auto const frame = random_frame(random);
      auto wanted = frame, now = frame, in_burst = frame, ahead = frame;
      auto const said = meet_all(view_of(wanted), tables.of<rules>());
      ASSERT_EQ(all_stages::process(view_of(now), tables).raw(), said.raw()) << n << " of " << text;
      ASSERT_EQ(all_stages::process(view_of(in_burst), held).raw(), said.raw()) << n << " of " << text;
      auto seen = all_stages::look_ahead(view_of(ahead), held);
      screened += seen.of<rules>() ? 1U : 0U;
      all_stages::look_further(seen, held);
      ASSERT_EQ(all_stages::process(view_of(ahead), held, seen).raw(), said.raw()) << n << " of " << text;
      ASSERT_TRUE(now == wanted && in_burst == wanted && ahead == wanted) << n << " of " << text;
    }
    EXPECT_GT(screened, 1000u);
  }
}

TEST(chain, goes_by_the_rules_that_were_in_force_when_its_burst_began) {
  test::rules_bed bed{""};
  auto const tables = tables_of(bed);
  auto const first = all_stages::hold(tables);
  bed.replace(
      "flow create 0 ingress pattern eth / ipv4 / end actions drop / end\n"
      "flow create 1 egress pattern eth / end actions drop / end\n");
  auto const second = all_stages::hold(tables);
  auto const process = [&](all_stages::held const& held, std::string_view source) {
    auto frame = test::packet_builder{}.eth().ipv4(source, "10.0.1.9").udp(1, 1).build();
    frame.insert(frame.begin(), test::rules_bed::headroom, std::byte{0});
    return all_stages::process(view_of(frame), held);
  };
  EXPECT_EQ(process(first, "10.0.0.6"), verdict::forward(egress_index{10}));
  EXPECT_EQ(process(first, "10.0.0.1"), verdict::forward(egress_index{11}));
  EXPECT_EQ(process(second, "10.0.0.6"), dropped(2 + rules::rule_drop));
  bed.replace("flow create 1 egress pattern eth / end actions drop / end\n");
  auto const third = all_stages::hold(tables);
  EXPECT_EQ(process(third, "10.0.0.6"), verdict::forward(egress_index{10}));
  EXPECT_EQ(process(third, "10.0.0.1"), dropped(2 + rules::rule_drop));
  EXPECT_EQ(process(third, "10.0.0.2"), verdict::forward(egress_index{12}));
}

}  // namespace
}  // namespace packetwarp
