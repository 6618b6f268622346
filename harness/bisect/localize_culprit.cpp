#include "harness/bisect/localize_culprit.h"

#include <fmt/format.h>

#include "harness/bisect/localize/localize.h"
#include "harness/bisect/localize/reduced_files.h"

namespace vintage::harness::bisect {
namespace {

using nlohmann::json;

// Larger ones lie only where they were made.
constexpr size_t kLargestKeptProgram = size_t{4} << 20;

std::string whereReducedLies(const std::filesystem::path& folder) {
  return fmt::format("\nthe reduced module: {} (vintage import takes the folder)", folder.string());
}

CulpritOperation recalled(const json& found, const std::filesystem::path& folder) {
  CulpritOperation operation;
  operation.remembered = true;
  operation.text = found.value("text", "");
  operation.details = found.value("details", json());
  const json files = found.value("files", json::object());
  const bool isThere = std::filesystem::exists(folder);
  if (!isThere && files.empty()) {
    operation.text += "\nthe reduced module lies where it was made; --fresh makes it anew";
    return operation;
  }
  if (!isThere)
    if (Status status = writeReducedFiles(files, folder); !status) {
      operation.text += "\ncannot write the reduced module: " + status.error().message;
      return operation;
    }
  operation.text += whereReducedLies(folder);
  return operation;
}

}  // namespace

CulpritOperation localizeCulprit(const Subject& subject, const LocalizedConsumer& failing,
                                 const LocalizedConsumer& reference, const WorkerLimits& limits,
                                 Journal& journal, const std::filesystem::path& folder) {
  const auto inVain = [](const Error& error) {
    return CulpritOperation{"cannot localize: " + error.message, {}, false};
  };
  if (const json* known = journal.localization(failing.identity, reference.identity))
    return recalled(*known, folder);
  auto bad = failing.prepare();
  if (!bad) return inVain(bad.error());
  auto good = reference.prepare();
  if (!good) return inVain(good.error());
  LocalizeOptions options;
  options.limits = limits;
  auto found = localize(subject, *bad, *good, options);
  if (!found) return inVain(found.error());
  CulpritOperation operation{describe(*found), toJson(*found), false};
  json kept{{"text", operation.text}, {"details", operation.details}};
  if (!found->reduced.module.empty()) {
    if (Status status = writeReduced(*found, subject, folder); !status) {
      operation.text += "\ncannot write the reduced module: " + status.error().message;
    } else {
      operation.text += whereReducedLies(folder);
      if (auto files = reducedFilesJson(folder);
          files && files->dump().size() <= kLargestKeptProgram)
        kept["files"] = std::move(*files);
    }
  }
  if (Status status = journal.keepLocalization(failing.identity, reference.identity, kept); !status)
    operation.text += "\nit will be asked for again: " + status.error().message;
  return operation;
}

}  // namespace vintage::harness::bisect
