#include "reports/failure_cause.h"

#include <algorithm>
#include <cctype>
#include <functional>
#include <map>

#include <fmt/format.h>

#include "golden/base/utf8.h"

namespace vintage::reports {
using namespace archive;

namespace {

std::string_view firstLineOf(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \n\r\t"), text.size()));
  const std::string_view line = text.substr(0, text.find('\n'));
  return line.substr(0, line.find_last_not_of(" \t\v\f\r") + 1);
}

bool isWord(char character) { return std::isalnum(static_cast<unsigned char>(character)) != 0; }

// "jit_f.12" and "jit_f.9" are one; so are 0x7f01 and 0x7f02.
std::string withoutNumbers(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size();) {
    if (std::isdigit(static_cast<unsigned char>(text[i])) == 0) {
      out += text[i++];
      continue;
    }
    // Digits inside a word ("float32", "lapack_spotrf2") distinguish causes.
    const bool inWord = i > 0 && (isWord(text[i - 1]) || text[i - 1] == '_');
    const size_t start = i;
    while (i < text.size() && isWord(text[i])) ++i;
    out += inWord ? text.substr(start, i - start) : std::string_view("#");
  }
  return out;
}

// Only if it is a whole word: a model may be called "a".
std::string withoutName(std::string_view text, std::string_view name) {
  std::string out;
  while (!text.empty()) {
    const size_t place = name.empty() ? std::string_view::npos : text.find(name);
    if (place == std::string_view::npos) break;
    const size_t end = place + name.size();
    const bool isPart =
        (place > 0 && isWord(text[place - 1])) || (end < text.size() && isWord(text[end]));
    out += text.substr(0, place);
    out += isPart ? name : std::string_view("…");
    text.remove_prefix(end);
  }
  return out += text;
}

}  // namespace

std::string shortDetail(std::string_view detail, size_t longest) {
  const std::string_view line = firstLineOf(detail);
  const std::string_view shown = wholeCharacters(line, longest);
  if (shown.size() == line.size() &&
      firstLineOf(detail.substr(line.data() + line.size() - detail.data())).empty())
    return std::string(line);
  return fmt::format("{} … (--format json has all {} characters)", shown, detail.size());
}

std::string causeOf(OutcomeKind outcome, Stage stage, std::string_view detail,
                    std::string_view name) {
  const std::string line = withoutName(firstLineOf(detail), name);
  std::string cause =
      fmt::format("{} {} {}", outcomeName(outcome), stageName(stage), withoutNumbers(line));
  if (outcome == OutcomeKind::kMismatch)
    cause += fmt::format(" of {}", name.substr(0, name.find_first_of("_[/ ")));
  return cause;
}

std::vector<Cause> causesOf(const std::vector<const Pair*>& failures) {
  std::vector<Cause> causes;
  std::map<std::string, size_t> places;
  for (const Pair* pair : failures) {
    const OutcomeRecord& one = pair->outcome;
    const std::string cause =
        isSuccess(one.outcome) ? "limitation " + one.limitation
                               : causeOf(one.outcome, one.stage, one.detail, pair->artifact->name);
    const auto [place, isNew] = places.emplace(
        fmt::format("{}\n{}\n{}\n{}", one.build, one.platform, one.mode, cause), causes.size());
    if (isNew) causes.emplace_back();
    causes[place->second].push_back(pair);
  }
  std::ranges::stable_sort(causes, std::greater{}, &Cause::size);
  return causes;
}

std::string othersOf(const Cause& cause) {
  constexpr size_t kNamed = 8;
  std::string text;
  for (size_t i = 1; i < std::min(cause.size(), kNamed + 1); ++i)
    text += fmt::format("{}{}", i > 1 ? ", " : "", cause[i]->artifact->name);
  if (cause.size() > kNamed + 1) text += fmt::format(", … and {} more", cause.size() - kNamed - 1);
  return text.empty() ? text : fmt::format("{} more of the same cause: {}", cause.size() - 1, text);
}

}  // namespace vintage::reports
