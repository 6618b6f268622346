// Properties of every program that could be read, from whichever form.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <optional>

#include "golden/program/program.h"

namespace vintage::tests::fuzz {

// Attributes are kept for as long as a context lives, so it is replaced.
constexpr int kProgramsPerContext = 200;

inline golden::ProgramContext& freshContext() {
  static std::optional<golden::ProgramContext> context;
  static int programs = 0;
  if (programs++ % kProgramsPerContext == 0) context.emplace();
  return *context;
}

[[noreturn]] inline void stop(const char* what, const std::string& detail) {
  std::fprintf(stderr, "%s: %s\n", what, detail.c_str());
  std::abort();
}

inline void checkProgram(golden::ProgramContext& context, const golden::Program& program) {
  (void)program.tree();  // A tree, or an error.
  (void)program.customCallTargets();
  if (program.print().empty()) stop("prints nothing", "");
  const auto minimum = program.minimumVersion();
  if (!minimum) return;
  const auto bytes = program.writePortableArtifact(minimum->version, {.locations = true});
  if (!bytes) stop("cannot be written at its minimum version", bytes.error().message);
  const auto again = context.readPortableArtifact(*bytes, "written");
  if (!again) stop("what was written cannot be read", again.error().message);
}

}  // namespace vintage::tests::fuzz
