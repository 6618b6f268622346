// A model as files in a folder, as `vintage get` writes and `vintage put` takes them.
//
//   exported.bin, module.mlirbc or saved_model.bin    the artifact
//   module.mlir                                       its StableHLO text, for people; of an
//                                                     artifact beyond kHeldWhole without the
//                                                     elements of large constants
//   inputs.npz, outputs.npz                           the golden's arrays
//   second.npz                                        the arrays of its second opinion, if any
//   model.json                                        the archive's record, and how the outputs
//                                                     compare
//
// Reading and writing are inverse: the same record, bytes and golden.
#pragma once

#include <string>

#include "archive/store/archive.h"
#include "golden/base/result.h"

namespace vintage::harness {

// Returns the written paths. kConflict where the folder exists and is not empty.
Result<std::vector<std::string>> writeModelFolder(const archive::Archive& archive,
                                                  const archive::ArtifactRecord& record,
                                                  const std::string& folder);

Result<archive::Archive::Put> readModelFolder(const std::string& folder);

}  // namespace vintage::harness
