#include "harness/conform/round_trip.h"

#include <algorithm>

#include <fmt/format.h>

namespace vintage::harness::conform {
namespace {

// The line of `text` that holds `offset`, cut where it is long.
std::string lineAt(const std::string& text, size_t offset) {
  offset = std::min(offset, text.size());
  const size_t start = offset == 0 ? 0 : text.rfind('\n', offset - 1) + 1;
  return text.substr(start, std::min(text.find('\n', offset), text.size()) - start).substr(0, 200);
}

Status checkBy(ProgramContext& context, const Program& program, const std::string& before,
               StablehloVersion version, const std::string& name) {
  ASSIGN_OR_RETURN(auto bytes, program.writePortableArtifact(version, {.locations = true}));
  ASSIGN_OR_RETURN(auto again, context.readPortableArtifact(bytes, name));
  const std::string after = again.print();
  if (before == after) return {};
  const size_t shorter = std::min(before.size(), after.size());
  const auto place = std::mismatch(before.begin(), before.begin() + shorter, after.begin());
  const auto offset = static_cast<size_t>(place.first - before.begin());
  return failure(Error::Kind::kMismatch,
                 fmt::format("{}: by way of {} the text changes at '{}' to '{}'", name,
                             formatStablehloVersion(version), lineAt(before, offset),
                             lineAt(after, offset)));
}

}  // namespace

Status checkRoundTrip(ProgramContext& context, const Program& program, const std::string& name) {
  ASSIGN_OR_RETURN(auto minimum, program.minimumVersion());
  const std::string before = program.print();
  Status status = checkBy(context, program, before, minimum.version, name);
  if (!status || minimum.version == kCurrentStablehloVersion) return status;
  return checkBy(context, program, before, kCurrentStablehloVersion, name);
}

}  // namespace vintage::harness::conform
