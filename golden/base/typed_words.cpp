#include "golden/base/typed_words.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace vintage {

size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> before, last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = last;
    last = row;
  }
  return last[b.size()];
}

std::optional<std::string> nearestWord(std::string_view word, std::span<const std::string> words) {
  std::optional<std::string> nearest;
  size_t smallest = std::max<size_t>(1, word.size() / 3) + 1;
  for (const std::string& candidate : words) {
    const bool begins = word.size() >= 2 && candidate.starts_with(word);
    const size_t steps = begins ? 1 : editDistance(word, candidate);
    if (steps >= smallest) continue;
    smallest = steps;
    nearest = candidate;
  }
  return nearest;
}

std::string shellWord(std::string_view word) {
  constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./:=@%+,";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string_view::npos)
    return std::string(word);
  std::string quoted = "'";
  for (const char character : word) {
    if (character == '\'')
      quoted += "'\\''";
    else
      quoted += character;
  }
  return quoted + "'";
}

}  // namespace vintage
