// Another archive, wherever it is, that can supply damaged content.
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
  // Passes each of `wanted` to `take`, or to `lost` if the donor lacks it or has it
  // damaged, in any order. Ends with their first error; any other error means that
  // the donor cannot answer any more.
  virtual Status read(std::span<const ContentId> wanted, const Take& take, const Lost& lost) = 0;
};

}  // namespace vintage::archive::integrity
