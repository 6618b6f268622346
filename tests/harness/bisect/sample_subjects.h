// Programs as text, to be taken apart.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "golden/program/program.h"
#include "harness/bisect/probe.h"
#include "tests/golden/tensor/sample_tensors.h"

namespace vintage::tests {

inline harness::Subject subjectOf(const std::string& text, std::vector<golden::Tensor> inputs) {
  golden::ProgramContext context;
  auto program = context.parseText(text, "test.mlir");
  EXPECT_TRUE(program) << program.error().message;
  harness::Subject subject;
  if (!program) return subject;
  subject.record.name = "test";
  subject.record.format = archive::ArtifactRecord::Format::kPortableArtifact;
  subject.record.platforms = {"cpu"};
  subject.platform = "cpu";
  subject.mode = "graph";
  subject.artifact = *program->writePortableArtifact(kCurrentStablehloVersion);
  subject.golden.inputs = std::move(inputs);
  subject.golden.comparators = {golden::Comparator{}};
  return subject;
}

inline const std::vector<std::string> kSound = {VINTAGE_BINARY "/bin/vintage-worker"};

}  // namespace vintage::tests
