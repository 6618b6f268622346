#include "harness/runtimes/builds/product.h"

#include <algorithm>
#include <string_view>

namespace vintage::harness {
namespace {

// "rc1", "dev20260101", and other digits behind a few letters belong to the version.
bool isPrerelease(std::string_view suffix) {
  constexpr std::string_view kMarks[] = {"rc", "a", "b", "alpha", "beta", "dev", "post"};
  const size_t digits = suffix.find_first_of("0123456789");
  return std::ranges::count(kMarks, suffix.substr(0, digits)) > 0 &&
         (digits == suffix.npos || suffix.find_first_not_of("0123456789", digits) == suffix.npos);
}

// "jaxlib-0.5.3+cuda12-cudnn89-fresh" -> "jaxlib-0.5.3-fresh": what stands behind the version's
// plus, up to the last part that has a digit, says how one version was built.
std::string withoutLocalVersion(std::string word) {
  const size_t plus = word.find('+');
  if (plus == word.npos) return word;
  size_t end = word.size();
  for (size_t dash = word.rfind('-'); dash != word.npos && dash > plus;
       dash = word.rfind('-', dash - 1)) {
    if (word.find_first_of("0123456789", dash) < end) break;
    end = dash;
  }
  return word.erase(plus, end - plus);
}

}  // namespace

std::string productOf(const std::string& buildName) {
  const std::string_view digits = "0123456789";
  const std::string word = withoutLocalVersion(buildName.substr(0, buildName.find_first_of(" \t")));
  const size_t version = word.find_first_of(digits);
  if (version == word.npos && word.size() < buildName.size()) return word;
  std::string product = word.substr(0, version);
  while (!product.empty() && std::string_view("-_.v@").find(product.back()) != std::string::npos)
    product.pop_back();
  if (product.empty()) return buildName;
  if (version == word.npos) return product;
  // The words behind the version: what a plugin compiles for, and how.
  size_t kept = word.size();
  while (true) {
    const size_t dash = word.rfind('-', kept - 1);
    if (dash == word.npos || dash <= version || dash + 1 == kept) break;
    const auto suffix = std::string_view(word).substr(dash + 1, kept - dash - 1);
    if (digits.find(suffix.front()) != digits.npos || isPrerelease(suffix)) break;
    kept = dash;
  }
  return product + word.substr(kept);
}

}  // namespace vintage::harness
