// How two artifacts differ: their facts, targets and operations, the first line of their texts, and
// the arrays of their goldens.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "archive/store/archive.h"
#include "golden/base/result.h"
#include "harness/model/difference/array_difference.h"

namespace vintage::harness {

struct ComparedArtifact {
  std::string name;  // As it was asked for.
  archive::ArtifactRecord record;
  std::vector<std::byte> bytes;
  std::optional<golden::Golden> golden;
};

// A file, a folder that 'vintage get' wrote, or in the archive an id or a name.
Result<ComparedArtifact> readCompared(const std::string& what, const archive::Archive* archive);

struct ArtifactDifference {
  bool sameBytes = false;
  struct Fact {
    std::string what, first, second;
  };
  std::vector<Fact> facts;  // Versions, platforms, types, …: those that differ.
  std::vector<std::string> targetsOnlyInFirst, targetsOnlyInSecond;
  struct Count {
    std::string operation;
    int64_t first = 0, second = 0;
  };
  std::vector<Count> operations;  // Those whose numbers differ.
  // The first line of the texts that differs; 0: none.
  int line = 0;
  std::string firstLine, secondLine;
  std::vector<ArrayDifference> arrays;
  bool same() const;
};

// kBadInput where one of them cannot be read as a program.
Result<ArtifactDifference> compareArtifacts(const ComparedArtifact& first,
                                            const ComparedArtifact& second);

// A fact of an artifact (Inspection::details) as one line: lists joined, arrays as f32[3,4].
std::string textOf(const nlohmann::json& fact);
std::string textOf(const ArtifactDifference& difference);
nlohmann::json toJson(const ArtifactDifference& difference);

}  // namespace vintage::harness
