// A model as files in a folder: what `vintage get` writes and `vintage put` takes back.
//
//   exported.bin, module.mlirbc or saved_model.bin    the artifact
//   module.mlir                                       its StableHLO text, for people; of an
//                                                     artifact beyond kHeldWhole without the
//                                                     elements of large constants
//   inputs.npz, outputs.npz                           the golden's arrays
//   second.npz                                        those of its second opinion, where it has one
//   model.json                                        what the archive knows of it, and how the
//                                                     outputs compare
//
// Reading and writing are inverse: the same record, bytes and golden.
#pragma once

#include <string>

#include "archive/store/archive.h"
#include "golden/base/result.h"

namespace vintage::harness {

// kConflict where the folder is there and holds something. The paths that were written.
Result<std::vector<std::string>> writeModelFolder(const archive::Archive& archive,
                                                  const archive::ArtifactRecord& record,
                                                  const std::string& folder);

Result<archive::Archive::Put> readModelFolder(const std::string& folder);

}  // namespace vintage::harness
