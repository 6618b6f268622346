// Who is asked for content that has to be healed: another archive, wherever it is.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "archive/integrity/room.h"
#include "archive/store/records.h"
#include "golden/base/result.h"

namespace vintage::archive::integrity {

class ContentDonor {
 public:
  virtual ~ContentDonor() = default;
  virtual const std::string& name() const = 0;  // As a person would type it.

  using Take = std::function<Status(const ContentId&, std::vector<std::byte>)>;
  using Lost = std::function<Status(const ContentId&, const Error&)>;
  // Each of `wanted` goes to `take`, or to `lost` where it is missing or damaged
  // there; in any order. An error of theirs ends it; any other says that the
  // donor cannot be asked any more, whatever is left.
  virtual Status read(std::span<const ContentId> wanted, const Take& take, const Lost& lost) = 0;
};

}  // namespace vintage::archive::integrity
