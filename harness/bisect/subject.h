// Finds what a bisect executes.
#pragma once

#include <string>

#include "archive/store/archive.h"
#include "harness/bisect/probe.h"
#include "harness/bisect/room.h"

namespace vintage::harness::bisect {

struct SubjectChoice {
  std::string artifact;  // An id, a prefix, a name, or NAME@PRODUCER.
  std::string caseId;    // Or a case: its newest artifact for `platform`.
  std::string platform;  // Empty: the first that a build runs.
  std::string mode;      // Empty: graph where `build` has it, else its first.
  std::string build;     // One that is searched; else: the newest that runs the platform.
};

// kUsage where the artifact has no golden, or was not lowered for the platform.
Result<Subject> loadSubject(const Archive& archive, const SubjectChoice& choice);

}  // namespace vintage::harness::bisect
