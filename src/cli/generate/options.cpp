// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/generate/options.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>

#include "base/error.h"
#include "base/units.h"
#include "cli/generate/through.h"
#include "cli/option_values.h"

namespace packetwarp {
namespace {

// The options as typed; std::nullopt is "not given".
struct typed_options {
  std::optional<std::string> stream, size, pattern, seed, replay, loops, rate, count, duration, burst, expect, check;
  std::optional<std::string> tx_ports, rx_ports, port_map, queues, through, linger, stats_period, descriptors, full;
  typed_stl_options stl;
  question_request asked;
  bool is_unsigned{}, keeps_rate{};
  std::string json;
};

constexpr std::string_view recorded_times = "recorded";  // as a value of --rate

void declare(CLI::App& app, typed_options& typed) {
  app.add_option("--stream", typed.stream);
  app.add_option("--size", typed.size);
  app.add_option("--pattern", typed.pattern);
  app.add_option("--seed", typed.seed);
  app.add_flag("--unsigned", typed.is_unsigned);
  app.add_option("--replay", typed.replay);
  app.add_option("--loop", typed.loops);
  app.add_option("--rate", typed.rate);
  app.add_flag("--strict-rate", typed.keeps_rate);
  app.add_option("--count", typed.count);
  app.add_option("--duration", typed.duration);
  app.add_option("-b,--burst", typed.burst);
  app.add_option("--when-full", typed.full);
  app.add_option("--expect", typed.expect);
  app.add_option("--check", typed.check);
  app.add_option("--tx-ports", typed.tx_ports);
  app.add_option("--rx-ports", typed.rx_ports);
  app.add_option("--portmap", typed.port_map);
  app.add_option("-q,--queues", typed.queues);
  app.add_option("--descriptors", typed.descriptors);
  app.add_option("--through", typed.through);
  app.add_option("--linger", typed.linger);
  app.add_option("--stats-period", typed.stats_period);
  app.add_option("--json", typed.json);
  declare(app, typed.stl);
  declare(app, typed.asked);
}

std::vector<std::string> split(std::string_view text, char at) {
  std::vector<std::string> parts;
  while (true) {
    auto const end = std::min(text.find(at), text.size());
    parts.emplace_back(text.substr(0, end));
    if (end == text.size()) return parts;
    text.remove_prefix(end + 1);
  }
}

bool names_word(std::string const& list, std::string_view word) {
  auto const words = split(list, ',');
  return std::find(words.begin(), words.end(), word) != words.end();
}

// Words in any order, on two questions: the change to packets, and the port at which they come back.
void take_expectation(std::optional<std::string> const& text, generate_options& options) {
  if (!text) return;
  std::string change, port;  // the words that have answered them
  auto const answer = [](std::string& question, std::string const& word) {
    if (!question.empty()) {
      throw usage_error(
          fmt::format("--expect: '{}' and '{}' answer the same question; give one of both", question, word));
    }
    question = word;
  };
  for (auto const& word : split(*text, ',')) {
    if (word == "as-sent") {
      answer(change, word);
      options.exchange.expected = traffic::transform::same;
    } else if (word == "mac-swapped") {
      answer(change, word);
      options.exchange.expected = traffic::transform::mac_swapped;
    } else if (word == "peer") {
      answer(port, word);
      options.returns = return_port::peer;
    } else if (word == "same-port") {
      answer(port, word);
      options.returns = return_port::same;
    } else {
      throw usage_error(fmt::format(
          "--expect: '{}' is not one of as-sent, mac-swapped, peer, same-port; join two with a comma", word));
    }
  }
}

// Refuses options of which one would be without effect.
void require_sense(typed_options const& typed, generate_options const& options) {
  if (typed.is_unsigned && typed.check) {
    throw usage_error(
        "--check: with --unsigned packets have no signature and are only counted when they come back; leave out one of "
        "both");
  }
  if ((typed.is_unsigned || options.stl) && options.exchange.expected == traffic::transform::mac_swapped) {
    throw usage_error(
        fmt::format("--expect mac-swapped: {} packets carry no signature, and their addresses are not compared; leave "
                    "mac-swapped out",
                    options.stl ? "a profile's" : "with --unsigned"));
  }
  if (typed.port_map && typed.expect && options.returns == return_port::same) {
    throw usage_error(
        "--portmap: with --expect same-port packets come back on the port that sends them, and no port has a peer; "
        "leave out one of both");
  }
  if (typed.port_map && typed.expect && names_word(*typed.expect, "peer")) {
    throw usage_error(
        "--portmap: it says which ports are peers, so packets come back on the peer anyway; leave 'peer' out of "
        "--expect");
  }
}

void require_rate_to_keep(typed_options const& typed, generate_options const& options) {
  if (options.keeping != rate_keeping::strict) return;
  if (typed.rate == recorded_times) {
    throw usage_error("--strict-rate: --rate recorded asks for times and no rate; leave out one of both");
  }
  auto const& exchange = options.exchange;
  bool const has_rate = options.stl ? !exchange.faster.to || exchange.faster.to->in != rate::unit::unlimited
                                    : exchange.how_fast.in != rate::unit::unlimited;
  if (has_rate) return;
  throw usage_error(options.stl ? "--strict-rate: -m max asks for no rate; give -m a factor or a rate, as 10mpps"
                                : "--strict-rate: no rate is asked for; give --rate, as 10mpps");
}

void take_check(std::optional<std::string> const& text, traffic::exchange_config& exchange) {
  if (!text) return;
  if (*text == "every-byte") {
    exchange.depth = traffic::content_check::every_byte;
  } else if (*text == "signature") {
    exchange.depth = traffic::content_check::signature;
  } else {
    throw usage_error(fmt::format("--check: '{}' is not one of every-byte, signature", *text));
  }
}

void take_full(std::optional<std::string> const& text, traffic::exchange_config& exchange) {
  if (!text) return;
  if (*text != "wait" && *text != "drop") {
    throw usage_error(fmt::format("--when-full: '{}' is not one of wait, drop", *text));
  }
  exchange.full = *text == "drop" ? traffic::when_full::drop : traffic::when_full::wait;
}

void take_stl(typed_options const& typed, generate_options& options) {
  for (auto const& [given, name] :
       {std::pair{typed.stream.has_value(), "--stream"}, std::pair{typed.size.has_value(), "--size"},
        std::pair{typed.pattern.has_value(), "--pattern"}, std::pair{typed.seed.has_value(), "--seed"},
        std::pair{typed.is_unsigned, "--unsigned"}, std::pair{typed.replay.has_value(), "--replay"},
        std::pair{typed.loops.has_value(), "--loop"}, std::pair{typed.check.has_value(), "--check"},
        std::pair{typed.rate.has_value(), "--rate"}, std::pair{typed.queues.has_value(), "-q"},
        std::pair{typed.tx_ports.has_value(), "--tx-ports"}}) {
    if (given) throw usage_error(fmt::format("{}: {}", name, stl_settles_it(name)));
  }
  if (typed.through && typed.stl.ports) {
    throw usage_error("-p: --through makes its own ports; the first profile is sent on one, the second on the other");
  }
  options.stl = parse_stl_request(typed.stl);
  options.exchange.faster = options.stl->faster;
  if (!typed.through) options.tx_ports = options.stl->ports;
}

void take_questions(typed_options const& typed, generate_options& options) {
  for (auto const& [given, name] :
       {std::pair{typed.stream.has_value(), "--stream"}, std::pair{typed.size.has_value(), "--size"},
        std::pair{typed.pattern.has_value(), "--pattern"}, std::pair{typed.seed.has_value(), "--seed"},
        std::pair{typed.is_unsigned, "--unsigned"}, std::pair{typed.replay.has_value(), "--replay"},
        std::pair{typed.stl.files.has_value(), "--stl"}, std::pair{typed.check.has_value(), "--check"},
        std::pair{typed.expect.has_value(), "--expect"}, std::pair{typed.through.has_value(), "--through"},
        std::pair{typed.port_map.has_value(), "--portmap"}, std::pair{typed.queues.has_value(), "-q"}}) {
    if (given) throw usage_error(fmt::format("{}: {}", name, questions_settle_it));
  }
  refuse_without_stl(typed.stl);
  options.asked = typed.asked;
  if (typed.rate && typed.rate != recorded_times) options.asked.pace = traffic::capture_pace::by_rate;
  options.returns = return_port::same;
  options.rounds_are_given = typed.loops.has_value();
  take_count(typed.loops, "--loop", 0, no_most, options.rounds);
}

void take_traffic(typed_options const& typed, generate_options& options) {
  auto& what = options.exchange.what;
  if (typed.asked.is_asked()) {
    take_questions(typed, options);
    return;
  }
  refuse_without_stl(typed.stl);
  if (typed.stl.files) {
    take_stl(typed, options);
    return;
  }
  if (typed.replay) {
    if (typed.stream || typed.size || typed.pattern || typed.seed || typed.is_unsigned) {
      throw usage_error(
          "--replay: the file's packets are sent as they are; leave out --stream, --size, --pattern, "
          "--seed and --unsigned");
    }
    if (typed.check) throw usage_error("--check: replayed packets carry no signature and are compared as a whole");
    options.replay = *typed.replay;
    options.rounds_are_given = typed.loops.has_value();
    take_count(typed.loops, "--loop", 0, no_most, options.rounds);
    return;
  }
  if (typed.loops)
    throw usage_error(
        "--loop: says how often a file is replayed; give one with --replay FILE, --benign, --attack or --labelled");
  what.description = traffic::parse_template(typed.stream.value_or("udp"), "--stream");
  what.flows = traffic::parse_pattern(typed.pattern.value_or(""), "--pattern");
  // Without --size the smallest frames that hold headers and signature.
  what.signatures = typed.is_unsigned ? traffic::signing::off : traffic::signing::on;
  auto const payload = typed.is_unsigned ? std::size_t{0} : traffic::signature_length;
  what.sizes = typed.size ? traffic::size_mix::parse(*typed.size, "--size")
                          : traffic::size_mix{{{traffic::smallest_frame(what.description, payload), 1}}};
  take_count(typed.seed, "--seed", 0, no_most, what.seed);
  traffic::stream{what};  // refuses a config that is not consistent
}

void take_rate(typed_options const& typed, generate_options& options) {
  if (typed.rate != recorded_times) {
    if (typed.rate) options.exchange.how_fast = parse_rate(*typed.rate, "--rate");
    return;
  }
  if (options.replay.empty() && !options.asked.is_asked()) {
    throw usage_error(
        "--rate recorded: only packets of captures have recorded times; give --replay FILE, or a rate, as 10mpps");
  }
  options.exchange.pace = traffic::capture_pace::recorded;
}

void take_through(typed_options const& typed, generate_options& options) {
  if (!typed.through) return;
  for (auto const& [given, name] :
       {std::pair{typed.tx_ports.has_value(), "--tx-ports"}, std::pair{typed.rx_ports.has_value(), "--rx-ports"},
        std::pair{typed.port_map.has_value(), "--portmap"}, std::pair{typed.queues.has_value(), "-q"},
        std::pair{typed.expect.has_value(), "--expect"}}) {
    if (given)
      throw usage_error(fmt::format("{}: --through makes its own ports and knows what comes back on them", name));
  }
  options.through = parse_through(*typed.through);
  options.through_text = *typed.through;
}

}  // namespace

generate_options parse_generate_options(invocation const& call) {
  typed_options typed;
  CLI::App app;
  declare(app, typed);
  parse_options(app, call);
  generate_options options;
  auto& exchange = options.exchange;
  take_traffic(typed, options);
  take_rate(typed, options);
  if (typed.keeps_rate) options.keeping = rate_keeping::strict;
  require_rate_to_keep(typed, options);
  take_count(typed.count, "--count", 1, no_most, exchange.packets);
  take_duration(typed.duration, "--duration", exchange.duration);
  take_count(typed.burst, "-b", 1, 4096, exchange.burst);
  take_count(typed.descriptors, "--descriptors", 1, 32768, exchange.descriptors);
  take_full(typed.full, exchange);
  take_expectation(typed.expect, options);
  take_check(typed.check, exchange);
  if (typed.tx_ports) options.tx_ports = parse_ports(*typed.tx_ports, "--tx-ports");
  if (typed.rx_ports) options.rx_ports = parse_ports(*typed.rx_ports, "--rx-ports");
  if (typed.port_map) options.port_map = parse_port_map(*typed.port_map);
  take_count(typed.queues, "-q", 1, 256, options.queues);
  require_sense(typed, options);
  take_through(typed, options);
  take_duration(typed.linger, "--linger", options.timing.linger);
  if (::isatty(STDERR_FILENO) != 0) options.timing.stats_period = std::chrono::seconds{1};
  take_duration(typed.stats_period, "--stats-period", options.timing.stats_period);
  options.json = typed.json;
  return options;
}

}  // namespace packetwarp
