// Where a verb writes: results on standard output, progress and errors on
// standard error; progress only where a person watches. Every text is made visible
// (golden/base/visible_text.h).
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "golden/base/result.h"
#include "harness/runtimes/builds/python_programs.h"

namespace vintage::harness {

enum class OutputFormat { kText, kJson };

class Console {
 public:
  Console();
  ~Console();

  OutputFormat format = OutputFormat::kText;
  bool json() const { return format == OutputFormat::kJson; }
  // Whether a person sees progress: what only serves it need not be worked out otherwise.
  bool watched() const { return watched_; }

  void print(std::string_view text);  // Adds nothing.
  void line(std::string_view text);
  template <typename First, typename... Rest>
  void line(fmt::format_string<First, Rest...> format, First&& first, Rest&&... rest) {
    line(fmt::format(format, std::forward<First>(first), std::forward<Rest>(rest)...));
  }
  void printJson(const nlohmann::json& value);
  // One of the two, as --format says.
  void answer(const nlohmann::json& value, std::string_view text);
  template <typename First, typename... Rest>
  void answerLine(const nlohmann::json& value, fmt::format_string<First, Rest...> format,
                  First&& first, Rest&&... rest) {
    answer(value,
           fmt::format(format, std::forward<First>(first), std::forward<Rest>(rest)...) + "\n");
  }
  // One of many: an element of `list` for JSON, else a line.
  template <typename First, typename... Rest>
  void row(nlohmann::json& list, nlohmann::json value, fmt::format_string<First, Rest...> format,
           First&& first, Rest&&... rest) {
    if (json())
      list.push_back(std::move(value));
    else
      line(format, std::forward<First>(first), std::forward<Rest>(rest)...);
  }
  // The same with lines that are whole.
  void row(nlohmann::json& list, nlohmann::json value, std::string_view text) {
    if (json())
      list.push_back(std::move(value));
    else
      print(text);
  }
  void error(const Error& error);
  // A line for a person at a terminal; dropped elsewhere.
  void note(std::string_view text);
  // "replay  120 of 7431, 512 a second". Drawn over itself a few times a second, and wiped by the
  // next output.
  void progress(std::string_view what, size_t done, size_t total);
  // The same, for work that has steps without a number: their total is 0.
  void step(std::string_view what, size_t done, size_t total);

 private:
  using Clock = std::chrono::steady_clock;
  void wipe();

  bool watched_;
  bool drawn_ = false;
  std::string phase_;
  Clock::time_point phaseStart_, lastDrawn_;
};

nlohmann::json messagesJson(const std::vector<Error>& errors);

// Shows the notes and progress of Python programs. `console` must outlive it.
inline PythonProgress progressOn(Console& console) {
  return {std::bind_front(&Console::note, &console), std::bind_front(&Console::progress, &console)};
}

}  // namespace vintage::harness
