#include "harness/model/fidelity/fidelity.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "golden/base/failures.h"
#include "golden/base/file.h"
#include "golden/base/strict_json.h"
#include "golden/exported/exported.h"
#include "golden/module/module_tree.h"
#include "golden/program/program.h"

namespace vintage::harness {
using namespace golden;
using namespace primitives;

namespace {

constexpr size_t kProgramsPerContext = 400;

// The folder of each case that JAX exported, and who that was.
struct Counterparts {
  std::map<std::string, std::string> folders;
  std::string producer;
};

Result<Counterparts> findCounterparts(const std::string& folder) {
  const std::string journal = folder + "/produced.jsonl";
  ASSIGN_OR_RETURN(const std::string text, readTextFile(journal));
  Counterparts found;
  for (size_t start = 0; start < text.size();) {
    const size_t end = std::min(text.find('\n', start), text.size());
    const auto line = nlohmann::json::parse(text.substr(start, end - start), nullptr, false);
    start = end + 1;
    if (!line.is_object() || line.value("status", "") != "exported") continue;
    found.folders[line.value("name", "")] = folder + "/" + line.value("folder", "");
  }
  if (found.folders.empty())
    return notFound(
        "{} lists nothing that was exported; write it with 'vintage_jax produce --counterparts-of "
        "CASES --out {}'",
        journal, folder);
  ASSIGN_OR_RETURN(const std::string meta,
                   readTextFile(found.folders.begin()->second + "/meta.json"));
  const auto parsed = nlohmann::json::parse(meta, nullptr, false);
  if (parsed.is_object()) found.producer = parsed.value("producer", "");
  return found;
}

Result<std::vector<std::string>> canonical(ProgramContext& context,
                                           std::span<const std::byte> module,
                                           const std::string& name) {
  ASSIGN_OR_RETURN(const Program program, context.readPortableArtifact(module, name));
  ASSIGN_OR_RETURN(const auto tree, within(name, program.tree()));
  return canonicalForm(tree);
}

Result<std::vector<std::string>> oursOf(ProgramContext& context, const Case& entry,
                                        const FidelityOptions& options) {
  ASSIGN_OR_RETURN(const Exported exported,
                   exportCase(context, entry, options.platform, {.profile = options.profile}));
  return canonical(context, exported.module, "<case " + entry.id + ">");
}

Result<std::vector<std::string>> theirsOf(ProgramContext& context, const std::string& folder) {
  const std::string path = folder + "/exported.bin";
  ASSIGN_OR_RETURN(const std::vector<std::byte> bytes, readFile(path));
  ASSIGN_OR_RETURN(const Exported exported, readExported(bytes, path));
  return canonical(context, exported.module, path);
}

}  // namespace

PrimitiveFidelity FidelityReport::total() const {
  PrimitiveFidelity sum;
  for (const auto& [primitive, each] : primitives) {
    sum.cases += each.cases;
    sum.comparable += each.comparable;
    sum.identical += each.identical;
  }
  return sum;
}

std::optional<std::pair<std::string, std::string>> firstDifference(
    std::span<const std::string> ours, std::span<const std::string> jax) {
  const auto [a, b] = std::ranges::mismatch(ours, jax);
  if (a == ours.end() && b == jax.end()) return {};
  return std::pair(a == ours.end() ? "" : *a, b == jax.end() ? "" : *b);
}

Result<FidelityReport> measureFidelity(const FidelityOptions& options) {
  ASSIGN_OR_RETURN(const Counterparts counterparts, findCounterparts(options.folder));
  FidelityReport report{
      counterparts.producer, std::string(options.profile->name), options.platform, {}};
  std::optional<ProgramContext> context;
  size_t programs = 0, done = 0;
  for (const Case& entry : catalogue()) {
    options.progress(++done, catalogue().size());
    if (entry.variant != "static" ||
        std::ranges::find(entry.platforms, options.platform) == entry.platforms.end())
      continue;
    if (!options.primitives.empty() &&
        std::ranges::find(options.primitives, entry.primitive) == options.primitives.end())
      continue;
    PrimitiveFidelity& primitive = report.primitives[entry.primitive];
    ++primitive.cases;
    const auto folder = counterparts.folders.find(entry.id + "/" + options.platform);
    if (folder == counterparts.folders.end()) continue;
    if (programs++ % kProgramsPerContext == 0) context.emplace();
    const auto ours = oursOf(*context, entry, options);
    ASSIGN_OR_RETURN(const auto theirs, theirsOf(*context, folder->second));
    ++primitive.comparable;
    // What the profile cannot write is a difference, too.
    if (!ours)
      primitive.differences.push_back({entry.id, ours.error().message, "it exports the case"});
    else if (const auto difference = firstDifference(*ours, theirs))
      primitive.differences.push_back({entry.id, difference->first, difference->second});
    else
      ++primitive.identical;
  }
  return report;
}

}  // namespace vintage::harness
