#include "archive/service/target.h"

namespace vintage::archive::service {
namespace {

int digit(char character) {
  if (character >= '0' && character <= '9') return character - '0';
  if (character >= 'a' && character <= 'f') return character - 'a' + 10;
  if (character >= 'A' && character <= 'F') return character - 'A' + 10;
  return -1;
}

std::optional<std::string> decode(std::string_view text) {
  std::string decoded;
  decoded.reserve(text.size());
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '%') {
      decoded += text[at];
      continue;
    }
    if (at + 2 >= text.size()) return std::nullopt;
    const int high = digit(text[at + 1]), low = digit(text[at + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    decoded += static_cast<char>(high * 16 + low);
    at += 2;
  }
  return decoded;
}

// Calls `take` with each part between separators; false ends it.
template <typename Take>
bool split(std::string_view text, char separator, const Take& take) {
  while (true) {
    const size_t end = text.find(separator);
    if (!take(text.substr(0, end))) return false;
    if (end == std::string_view::npos) return true;
    text.remove_prefix(end + 1);
  }
}

}  // namespace

std::optional<Target> parseTarget(std::string_view text) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!text.starts_with(scheme)) continue;
    const size_t path = text.find('/', scheme.size());
    text = path == std::string_view::npos ? "/" : text.substr(path);
  }
  if (!text.starts_with('/')) return std::nullopt;
  const size_t mark = text.find('?');
  Target target;
  const bool pathRead = split(text.substr(1, mark == std::string_view::npos ? mark : mark - 1), '/',
                              [&](std::string_view part) {
                                auto segment = decode(part);
                                if (segment) target.segments.push_back(std::move(*segment));
                                return segment.has_value();
                              });
  if (!pathRead) return std::nullopt;
  if (mark == std::string_view::npos) return target;
  const bool queryRead = split(text.substr(mark + 1), '&', [&](std::string_view part) {
    if (part.empty()) return true;
    const size_t equals = part.find('=');
    auto name = decode(part.substr(0, equals));
    auto value = decode(equals == std::string_view::npos ? "" : part.substr(equals + 1));
    if (name && value) target.parameters.emplace_back(std::move(*name), std::move(*value));
    return name && value;
  });
  if (!queryRead) return std::nullopt;
  return target;
}

}  // namespace vintage::archive::service
