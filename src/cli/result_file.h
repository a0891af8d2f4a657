// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

namespace packetwarp {

// The destination of --json, or of another option's result: a file, or standard output for "-". It is opened before the
// run, so that a path that cannot be written is an error before any packet has moved; the file appears under its name
// only when it is complete. A device or a pipe is written directly.
class result_file {
 public:
  // Empty path: nothing is written. option: the option with the path. Throws failure.
  explicit result_file(std::string path, std::string_view option = "--json");
  result_file(result_file const&) = delete;
  result_file& operator=(result_file const&) = delete;
  ~result_file();
  // The name that a file has until it is complete.
  [[nodiscard]] static std::string partial_name(std::string const& path) { return path + ".partial"; }
  // Then no other text may go to standard output.
  [[nodiscard]] bool is_standard_output() const { return path_ == "-"; }
  // Adds a line end, and completes the file. Throws failure.
  void write(std::string const& text);
  // The same in parts. Each throws failure.
  void append(std::string_view text);
  void complete();

 private:
  [[noreturn]] void fail() const;

  struct close_file {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::string path_;
  std::string option_;
  std::string partial_;  // the file's name until it is complete; empty if it is no file
  std::unique_ptr<std::FILE, close_file> file_;
};

// Writes the two results of a run: JSON to the file, and the text to standard output unless the JSON goes there. If the
// file fails, the text is still printed, and the error is logged. Returns the exit status. Throws failure if standard
// output does not take the text.
[[nodiscard]] int write_results(result_file& file, std::string const& json, std::string_view text);

}  // namespace packetwarp
