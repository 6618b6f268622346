// `service/` in an archive's folder: what the service keeps beside the archive,
// for its owner only: tokens' hashes and unfinished uploads.
#pragma once

#include <string>

#include "archive/service/room.h"
#include "golden/base/result.h"

namespace vintage::archive::service {

// Its path; made where it is not there.
Result<std::string> makeServiceFolder(const std::string& archiveFolder);

}  // namespace vintage::archive::service
