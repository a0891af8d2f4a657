// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "fixtures/mbufs.h"
#include "fixtures/recording_nic.h"
#include "flow/parser.h"
#include "function/rules/rules.h"
#include "module/rules/rules_work.h"

namespace packetwarp {

inline std::string drop(unsigned priority, std::string const& pattern) {
  return "flow create 0 priority " + std::to_string(priority) + " ingress pattern eth / " + pattern +
         "end actions drop / end\n";
}

inline std::string drop_source(unsigned priority, unsigned last) {
  return drop(priority, "ipv4 src is 10.0." + std::to_string(last / 256) + "." + std::to_string(last % 256) + " / ");
}

// Rules of two ports that play NICs. Their calls are recorded as "old create 9": while the old rules are in force, with
// the rule's priority.
class rules_of_nics : public testing::Test {
 protected:
  // A port is closed at its end, so all tests share the same.
  struct started_ports {
    packet_pool pool{test::small_pool("rules_work_test")};
    std::deque<port> all;
  };
  static void SetUpTestSuite() {
    started_ = std::make_unique<started_ports>();
    for (auto const id : {port_id{0}, port_id{1}}) {
      started_->all.emplace_back(describe_port(id), port_config{}, started_->pool);
    }
  }
  static void TearDownTestSuite() { started_.reset(); }

  rules_of_nics() { nic() = {}; }
  ~rules_of_nics() override {
    nic().listener = nullptr;
    for (auto& one : started_->all) one.flows().clear();
    std::filesystem::remove(file_);
  }
  [[nodiscard]] static test::recording_nic& nic() { return test::recording_nic::instance(); }

  [[nodiscard]] static port_flows& flows() { return started_->all.front().flows(); }

  void start(rules_on on, std::string const& text) {
    std::ofstream{file_} << text;
    config_ = {.file = file_, .on = on};
    plane_.function = &facts_of<rules>;
    tables_.emplace(config_, "network.yaml", plane_);
    plan planned;
    for (auto const& one : started_->all) planned.ports.push_back({one.facts(), {}});
    tables_->prepare(planned);
    tables_->install(started_->all, {});
    nic().queries = 0;
    before_ = tables_->book().list(port_id{0});
    nic().listener = [this](std::string const& line) { note(line); };
  }

  // Step by step to the end.
  void change_to(std::string const& text) {
    rules_work work{*tables_,
                    [text](flow::rule_book const&) {
                      flow::rule_book book;
                      for (auto const& one : flow::parse_text(text, "new")) (void)book.apply(one.what, one.line);
                      return book;
                    },
                    "new"};
    finish([&] { return work.plan(); });
    work.prepare();
    finish([&] { return work.make_way(); });
    work.publish();
    finish([&] { return work.finish(); });
  }

  [[nodiscard]] std::vector<flow::rule_site> sites() const {
    std::vector<flow::rule_site> all;
    for (auto const& one : tables_->status()) all.push_back(one.site);
    return all;
  }

  std::vector<std::string> told_;
  std::size_t most_at_once_{};
  std::optional<rule_tables> tables_;

 private:
  template <class Step>
  void finish(Step step) {
    for (bool done = false; !done;) {
      auto const before = told_.size();
      done = step();
      most_at_once_ = std::max(most_at_once_, told_.size() - before);
      if (!done) std::this_thread::sleep_for(std::chrono::microseconds{100});
    }
  }
  void note(std::string const& line) {
    auto const priority = line.find("priority ") + 9;
    told_.push_back((tables_->book().list(port_id{0}) == before_ ? "old " : "new ") + line.substr(0, line.find(' ')) +
                    " " + line.substr(priority, line.find(' ', priority) - priority));
  }

  std::string file_ =
      (std::filesystem::temp_directory_path() / ("rules_work_test." + std::to_string(::getpid()) + ".txt")).string();
  inline static std::unique_ptr<started_ports> started_;
  rules_config config_;
  data_plane_config plane_;
  std::string before_;
};

}  // namespace packetwarp
