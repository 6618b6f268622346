// StableHLO programs: from text, portable bytes or a tree, to text, bytes or a tree.
//
// This header does not include MLIR; golden/program/program_module.h opens a
// Program for the few files that do.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "golden/base/result.h"
#include "golden/base/stablehlo_version.h"
#include "golden/module/module_tree.h"

namespace vintage::golden {

class Program;

// Holds the loaded dialects. Making one costs milliseconds, so a thread keeps
// one and reads many programs with it. One thread at a time. It must outlive
// its Programs. Attributes are uniqued for as long as it lives: a long-lived
// user replaces it every few thousand programs.
class ProgramContext {
 public:
  ProgramContext();
  ~ProgramContext();
  ProgramContext(ProgramContext&&) noexcept;
  ProgramContext& operator=(ProgramContext&&) noexcept;

  // `name` stands in messages: a path, or "<case add_f32>". Verifies.
  Result<Program> parseText(std::string_view text, std::string_view name);
  // Several modules divided by `// -----` lines.
  Result<std::vector<Program>> parseSplitText(std::string_view text, std::string_view name);
  // The tree that a lowering built, without locations. Verifies.
  Result<Program> build(const ModuleTree& tree, std::string_view name);
  // A portable artifact of any released version, upgraded to StableHLO. One of a later minor
  // version than the current one is read if all its contents are known, and otherwise kUnsupported.
  // The message distinguishes damaged bytes, a version from the future, and foreign files (text, a
  // TensorFlow SavedModel).
  Result<Program> readPortableArtifact(std::span<const std::byte> bytes, std::string_view name);
  // The same for a caller that does not need `bytes` again: they hold the large constants, which
  // are then in memory once, so they must outlive the Program until tree() moves the constants out.
  // Such a program can be printed and made a tree, and not written.
  Result<Program> readInPlace(std::span<std::byte> bytes, std::string_view name);
  // Text or a portable artifact, whichever `bytes` hold.
  Result<Program> read(std::span<const std::byte> bytes, std::string_view name);

  struct Implementation;
  Implementation& implementation() { return *implementation_; }

 private:
  std::unique_ptr<Implementation> implementation_;
};

class Program {
 public:
  struct Implementation;
  explicit Program(std::unique_ptr<Implementation> implementation);
  ~Program();
  Program(Program&&) noexcept;
  Program& operator=(Program&&) noexcept;

  struct PrintOptions {
    bool locations = false;
    bool generic = false;
    // Dense constants with more elements than this are elided; none are by default.
    std::optional<int64_t> largestConstant;
  };
  std::string print(const PrintOptions& options) const;
  std::string print() const { return print(PrintOptions{}); }

  // Deterministic: the same module and target give the same bytes. Locations
  // are dropped unless asked for. Where the program cannot be expressed at
  // `target`, the error names the operation, the feature and the lowest
  // version that has it.
  struct WriteOptions {
    bool locations = false;
  };
  Result<std::vector<std::byte>> writePortableArtifact(StablehloVersion target,
                                                       const WriteOptions& options) const;
  Result<std::vector<std::byte>> writePortableArtifact(StablehloVersion target) const {
    return writePortableArtifact(target, WriteOptions{});
  }

  // The lowest version that can carry the program, and what forces it.
  struct MinimumVersion {
    StablehloVersion version;
    std::string reason;  // "stablehlo.dot_general with an algorithm"; empty at the oldest.
  };
  Result<MinimumVersion> minimumVersion() const;

  // The version that the bytes were written in; none when read from text.
  std::optional<StablehloVersion> artifactVersion() const;

  Result<ModuleTree> tree() const;
  // Sorted, without doubles; custom_call targets of all functions.
  std::vector<std::string> customCallTargets() const;

  const Implementation& implementation() const { return *implementation_; }
  Implementation& implementation() { return *implementation_; }

 private:
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace vintage::golden
