// Pages for people, served beside the API. What they show is somebody else's: this room knows
// files and names of pages of data.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "archive/store/archive.h"
#include "golden/base/result.h"

namespace vintage::archive {

struct SiteText {
  std::string_view mediaType, text, tag;  // `tag`: a strong ETag, without quotes.
};

// Any thread.
class Site {
 public:
  virtual ~Site() = default;
  // "index.html", "dashboard.js"; none where there is no such file. They are for everybody: they
  // hold nothing of an archive.
  virtual std::optional<SiteText> file(std::string_view name) const = 0;
  virtual std::string_view contentSecurityPolicy() const = 0;
  // One page of data as JSON. kUsage where a parameter is wrong, kNotFound where there is no such
  // page or nothing of what it names.
  virtual Result<std::string> data(
      Archive& archive, std::string_view page,
      const std::map<std::string, std::string, std::less<>>& parameters) const = 0;
};

// All that some page takes.
inline constexpr std::string_view kSiteParameters[] = {
    "build", "primitive", "producer", "artifact", "golden", "platform", "mode", "run", "after"};

}  // namespace vintage::archive
