#include "archive/store/format_marker.h"

#include <charconv>

#include <fmt/format.h>

namespace vintage::archive::store {
namespace {

constexpr std::string_view kFirstWords = "vintage archive, format ";
constexpr uint64_t kLongestMarker = 4096;

}  // namespace

Result<int> readMarker(FileSystem& files, const std::string& folder) {
  ASSIGN_OR_RETURN(const auto status, files.status(folder));
  if (!status)
    return failure(Error::Kind::kNotFound,
                   fmt::format("{}: there is no such folder; name an existing archive", folder));
  if (!status->isFolder)
    return failure(Error::Kind::kBadInput,
                   fmt::format("{}: is a file; an archive is a folder", folder));
  const std::string path = fmt::format("{}/{}", folder, kMarkerName);
  const auto bytes = files.read(path, kLongestMarker);
  if (!bytes && bytes.error().kind == Error::Kind::kNotFound)
    return failure(Error::Kind::kBadInput,
                   fmt::format("{}: is not an archive: it has no file {}; name an archive, or an "
                               "empty folder to create one",
                               folder, kMarkerName));
  if (!bytes) return tl::unexpected(bytes.error());
  const std::string_view text(reinterpret_cast<const char*>(bytes->data()), bytes->size());
  const std::string_view line = text.substr(0, text.find('\n'));
  int version = 0;
  if (line.starts_with(kFirstWords)) {
    const std::string_view digits = line.substr(kFirstWords.size());
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), version);
    if (error == std::errc() && end == digits.data() + digits.size() && version >= 1) return version;
  }
  return failure(Error::Kind::kBadInput,
                 fmt::format("{}: the first line is not '{}N' with a number N: the marker is "
                             "damaged or another program's; the index beside it says the format "
                             "(PRAGMA user_version)",
                             path, kFirstWords));
}

Status writeMarker(FileSystem& files, const std::string& folder, int version,
                   const std::string& unique) {
  const std::string text = fmt::format("{}{}\n", kFirstWords, version);
  return writeDurably(files, fmt::format("{}/{}.{}.tmp", folder, kMarkerName, unique),
                      fmt::format("{}/{}", folder, kMarkerName),
                      std::as_bytes(std::span(text.data(), text.size())));
}

}  // namespace vintage::archive::store
