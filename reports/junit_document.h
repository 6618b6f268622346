// JUnit XML as continuous-integration services read it: suites of cases.
#pragma once

#include <string>
#include <vector>

#include "reports/room.h"

namespace vintage::reports {

struct JunitCase {
  std::string className, name;
  enum class Kind { kPass, kFailure, kError, kSkipped };
  Kind kind = Kind::kPass;
  std::string message, body;  // Of what is not a pass; a skipped case has no body.
  double seconds = 0;
};

struct JunitSuite {
  std::string name;
  std::vector<JunitCase> cases;
};

// Deterministic; counts are made here.
std::string junitDocument(const std::string& name, const std::vector<JunitSuite>& suites);

}  // namespace vintage::reports
