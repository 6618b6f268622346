#include "golden/base/package_version.h"

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <limits>
#include <tuple>

#include "golden/base/failures.h"

namespace vintage {
namespace {

bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isLetter(char c) { return c >= 'a' && c <= 'z'; }
bool isSeparator(char c) { return c == '.' || c == '-' || c == '_'; }

std::string trimmedLowerCase(std::string_view text) {
  constexpr std::string_view kSpace = " \t\n\r\f\v";
  const size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return "";
  std::string out(text.substr(first, text.find_last_not_of(kSpace) - first + 1));
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

// Takes parts from the front of a version's text.
class Reader {
 public:
  explicit Reader(std::string_view rest) : rest_(rest) {}

  bool done() const { return rest_.empty(); }

  bool take(std::string_view prefix) {
    if (!rest_.starts_with(prefix)) return false;
    rest_.remove_prefix(prefix.size());
    return true;
  }

  std::optional<int64_t> number() {
    if (rest_.empty() || !isDigit(rest_[0])) return std::nullopt;
    int64_t value = 0;
    const auto [end, problem] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (problem != std::errc()) return std::nullopt;
    rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
    return value;
  }

  // A number behind one of `separators`.
  std::optional<int64_t> numberBehind(std::string_view separators) {
    if (rest_.size() < 2 || separators.find(rest_[0]) == std::string_view::npos ||
        !isDigit(rest_[1]))
      return std::nullopt;
    rest_.remove_prefix(1);
    return number();
  }

  // "rc1", ".post-1", "_dev": one of `names` and its number, 0 where it has none.
  std::optional<int64_t> labelled(std::initializer_list<std::string_view> names) {
    const std::string_view before = rest_;
    if (!rest_.empty() && isSeparator(rest_[0])) rest_.remove_prefix(1);
    for (const std::string_view name : names) {
      if (!take(name)) continue;
      if (const auto value = numberBehind(".-_")) return value;
      return number().value_or(0);
    }
    rest_ = before;
    return std::nullopt;
  }

  // "cuda12.1"; empty if there is no local version.
  std::vector<std::variant<std::string, int64_t>> local() {
    std::vector<std::variant<std::string, int64_t>> out;
    do {
      const auto end =
          std::ranges::find_if_not(rest_, [](char c) { return isDigit(c) || isLetter(c); });
      const std::string_view part = rest_.substr(0, static_cast<size_t>(end - rest_.begin()));
      if (part.empty()) return {};
      if (std::ranges::all_of(part, isDigit)) {
        const auto value = number();
        if (!value) return {};
        out.emplace_back(*value);
      } else {
        out.emplace_back(std::string(part));
        rest_.remove_prefix(part.size());
      }
      if (rest_.empty() || !isSeparator(rest_[0])) return out;
      rest_.remove_prefix(1);
    } while (true);
  }

 private:
  std::string_view rest_;
};

std::optional<PackageVersion> read(std::string_view text) {
  Reader reader(text);
  PackageVersion version;
  reader.take("v");
  auto number = reader.number();
  if (number && reader.take("!")) {
    version.epoch = *number;
    number = reader.number();
  }
  if (!number) return std::nullopt;
  for (; number; number = reader.numberBehind(".")) version.release.push_back(*number);

  using Phase = PackageVersion::Phase;
  if (const auto alpha = reader.labelled({"alpha", "a"}))
    version.pre = {Phase::kAlpha, *alpha};
  else if (const auto beta = reader.labelled({"beta", "b"}))
    version.pre = {Phase::kBeta, *beta};
  else if (const auto candidate = reader.labelled({"rc", "c", "preview", "pre"}))
    version.pre = {Phase::kCandidate, *candidate};
  version.post = reader.numberBehind("-");
  if (!version.post) version.post = reader.labelled({"post", "rev", "r"});
  version.dev = reader.labelled({"dev"});
  if (reader.take("+")) {
    version.local = reader.local();
    if (version.local.empty()) return std::nullopt;
  }
  return reader.done() ? std::optional(std::move(version)) : std::nullopt;
}

}  // namespace

std::strong_ordering PackageVersion::operator<=>(const PackageVersion& other) const {
  const auto numbers = [](const PackageVersion& version) {
    std::vector<int64_t> out = version.release;
    while (!out.empty() && out.back() == 0) out.pop_back();
    return out;
  };
  // 1.0.dev1 comes before 1.0a1, and 1.0 after 1.0rc1.
  const auto phase = [](const PackageVersion& version) {
    if (version.pre) return std::pair(static_cast<int>(version.pre->first), version.pre->second);
    return std::pair(version.dev && !version.post ? -1 : std::numeric_limits<int>::max(),
                     int64_t{0});
  };
  const auto dev = [](const PackageVersion& version) {
    return version.dev.value_or(std::numeric_limits<int64_t>::max());
  };
  const auto key = [&](const PackageVersion& version) {
    return std::tuple(version.epoch, numbers(version), phase(version), version.post, dev(version),
                      version.local);
  };
  return key(*this) <=> key(other);
}

Result<std::vector<int64_t>> versionNumbers(std::string_view text) {
  std::vector<int64_t> numbers;
  Reader reader(text);
  for (auto number = reader.number(); number; number = reader.numberBehind("."))
    numbers.push_back(*number);
  if (numbers.empty()) return usageError("'{}' does not begin with a number, as 0.4.38 does", text);
  return numbers;
}

Result<PackageVersion> parsePackageVersion(std::string_view text) {
  auto version = read(trimmedLowerCase(text));
  if (!version)
    return usageError(
        "'{}' is not a version of a Python package. Write it as 0.4.38, 0.4.7rc1 or "
        "0.5.0.dev20250101.",
        text);
  return std::move(*version);
}

}  // namespace vintage
