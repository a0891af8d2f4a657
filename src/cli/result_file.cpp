// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/result_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/error.h"

namespace packetwarp {

result_file::result_file(std::string path) : path_{std::move(path)} {
  if (path_.empty() || path_ == "-") return;
  if (std::filesystem::is_directory(path_)) {
    throw failure(fmt::format("--json: {} cannot be written: it is a directory; give a file in it", path_));
  }
  partial_ = path_ + ".partial";
  file_.reset(std::fopen(partial_.c_str(), "w"));
  if (!file_) throw failure(fmt::format("--json: {} cannot be written: {}", path_, std::strerror(errno)));
}

result_file::~result_file() {
  if (file_) std::remove(partial_.c_str());
}

void result_file::write(std::string const& text) {
  if (path_.empty()) return;
  if (path_ == "-") {
    fmt::print("{}\n", text);
    return;
  }
  bool const written = std::fputs(text.c_str(), file_.get()) >= 0 && std::fputc('\n', file_.get()) != EOF &&
                       std::fflush(file_.get()) == 0 && std::rename(partial_.c_str(), path_.c_str()) == 0;
  if (!written) throw failure(fmt::format("--json: writing {} failed: {}", path_, std::strerror(errno)));
  file_.reset();
}

}  // namespace packetwarp
