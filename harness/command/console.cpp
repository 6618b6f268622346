#include "harness/command/console.h"

#include <cstdio>

#include <unistd.h>

#include "golden/base/visible_text.h"

namespace vintage::harness {
namespace {

constexpr std::chrono::milliseconds kRedraw{100};

void put(std::FILE* file, std::string_view text) { std::fwrite(text.data(), 1, text.size(), file); }

// Names, messages and programs are others' words: none of them may write over ours.
void say(std::FILE* file, std::string_view text) { put(file, visible(text)); }

}  // namespace

Console::Console() : watched_(::isatty(STDERR_FILENO) == 1) {}

Console::~Console() { wipe(); }

void Console::wipe() {
  if (drawn_) put(stderr, "\r\033[K");
  drawn_ = false;
}

void Console::print(std::string_view text) {
  wipe();
  say(stdout, text);
}

void Console::line(std::string_view text) {
  print(text);
  put(stdout, "\n");
}

void Console::printJson(const nlohmann::json& value) {
  line(value.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
}

void Console::answer(const nlohmann::json& value, std::string_view text) {
  if (json())
    printJson(value);
  else
    print(text);
}

void Console::error(const Error& error) {
  wipe();
  std::fflush(stdout);
  say(stderr, "vintage: " + error.message + "\n");
}

void Console::note(std::string_view text) {
  if (!watched_) return;
  wipe();
  say(stderr, fmt::format("{}\n", text));
}

void Console::progress(std::string_view what, size_t done, size_t total) {
  if (!watched_) return;
  const auto now = Clock::now();
  if (phase_ != what) {
    phase_ = what;
    phaseStart_ = now;
    lastDrawn_ = {};
  }
  if (now - lastDrawn_ < kRedraw && done != total) return;
  lastDrawn_ = now;
  const double seconds = std::chrono::duration<double>(now - phaseStart_).count();
  put(stderr, fmt::format("\r\033[K{}  {} of {}", visible(what), done, total));
  if (seconds > 0.5)
    put(stderr, fmt::format(", {:.0f} a second", static_cast<double>(done) / seconds));
  std::fflush(stderr);
  drawn_ = true;
}

void Console::step(std::string_view what, size_t done, size_t total) {
  if (total > 0)
    progress(what, done, total);
  else
    note(what);
}

nlohmann::json messagesJson(const std::vector<Error>& errors) {
  nlohmann::json list = nlohmann::json::array();
  for (const Error& error : errors) list.push_back(error.message);
  return list;
}

}  // namespace vintage::harness
