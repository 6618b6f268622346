// `service/` in an archive's folder: what the service keeps beside the archive,
// for its owner only: tokens' hashes and unfinished uploads.
#pragma once

#include <string>

#include "golden/result.h"

namespace vintage::service {

// Its path; made where it is not there.
Result<std::string> makeServiceFolder(const std::string& archiveFolder);

}  // namespace vintage::service
