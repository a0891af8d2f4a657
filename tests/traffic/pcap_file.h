// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <string>

#include "base/error.h"
#include "fixtures/packet_builder.h"
#include "traffic/capture/capture.h"

namespace packetwarp::test {

// A pcap file, made the plain way. Numbers are little-endian, as the magic says.
class pcap_file {
 public:
  explicit pcap_file(unsigned magic = 0xa1b2c3d4, unsigned link_type = 1) {
    for (unsigned const value : {magic, 0x00040002U, 0U, 0U, 65535U, link_type}) put(value);
  }
  pcap_file& packet(std::size_t length, unsigned seconds = 1, unsigned fraction = 2, std::size_t left_out = 0) {
    for (std::size_t const value : {std::size_t{seconds}, std::size_t{fraction}, length, length + left_out}) {
      put(static_cast<unsigned>(value));
    }
    for (std::size_t i = 0; i < length; ++i) data_.push_back(static_cast<std::byte>(i + length));
    return *this;
  }
  pcap_file& packet(bytes const& frame) {
    for (std::size_t const value : {std::size_t{1}, std::size_t{2}, frame.size(), frame.size()}) {
      put(static_cast<unsigned>(value));
    }
    data_.insert(data_.end(), frame.begin(), frame.end());
    return *this;
  }
  // A record's header alone, which tells this many recorded bytes.
  pcap_file& header(unsigned length) {
    for (unsigned const value : {1U, 2U, length, length}) put(value);
    return *this;
  }
  pcap_file& cut(std::size_t count) {
    data_.resize(data_.size() - count);
    return *this;
  }
  traffic::capture read(traffic::capture::limits most = {}) {
    return traffic::capture::read(open(), "test.pcap", most);
  }
  std::FILE* open() { return ::fmemopen(data_.data(), data_.size(), "rb"); }
  std::string failure_text(traffic::capture::limits most = {}) {
    try {
      (void)read(most);
    } catch (failure const& failed) {
      return failed.what();
    }
    return {};
  }

 private:
  void put(unsigned value) {
    for (unsigned shift = 0; shift < 32; shift += 8) data_.push_back(static_cast<std::byte>(value >> shift & 0xff));
  }
  bytes data_;
};

}  // namespace packetwarp::test
