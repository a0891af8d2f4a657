// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/result_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "base/error.h"
#include "base/log/log.h"
#include "base/process/pipe_wait.h"
#include "base/process/standard_error.h"

namespace packetwarp {

result_file::result_file(std::string path, std::string_view option) : path_{std::move(path)}, option_{option} {
  if (path_.empty() || path_ == "-") return;
  namespace fs = std::filesystem;
  std::error_code ignored;  // the error of opening the file is clearer
  auto const there = fs::status(path_, ignored);
  if (fs::is_directory(there)) {
    throw failure(fmt::format("{}: {} cannot be written: it is a directory; give a file in it", option_, path_));
  }
  bool const is_special = fs::is_other(there);  // a device, a pipe or a socket
  if (!is_special) partial_ = partial_name(path_);
  pipe_wait const beside{path_};
  file_.reset(std::fopen(is_special ? path_.c_str() : partial_.c_str(), "w"));
  if (!file_) throw failure(fmt::format("{}: {} cannot be written: {}", option_, path_, std::strerror(errno)));
}

result_file::~result_file() {
  if (file_ && !partial_.empty()) std::remove(partial_.c_str());
}

void result_file::write(std::string const& text) {
  append(text);
  append("\n");
  complete();
}

void result_file::append(std::string_view text) {
  if (path_.empty()) return;
  if (std::fwrite(text.data(), 1, text.size(), is_standard_output() ? stdout : file_.get()) != text.size()) fail();
}

void result_file::complete() {
  if (path_.empty()) return;
  bool const is_written = std::fflush(is_standard_output() ? stdout : file_.get()) == 0 &&
                          (partial_.empty() || std::rename(partial_.c_str(), path_.c_str()) == 0);
  if (!is_written) fail();
  file_.reset();
}

void result_file::fail() const {
  throw failure(fmt::format("{}: writing {} failed: {}", option_, is_standard_output() ? "standard output" : path_,
                            std::strerror(errno)));
}

int write_results(result_file& file, std::string const& json, std::string_view text) {
  int status = exit_success;
  try {
    file.write(json);
  } catch (failure const& wrong) {
    log().error("{}", wrong.what());
    status = exit_failure;
  }
  if (!file.is_standard_output()) print_result(text);
  return status;
}

}  // namespace packetwarp
