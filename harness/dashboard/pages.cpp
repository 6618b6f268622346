#include "harness/dashboard/pages.h"

#include <algorithm>

namespace vintage::harness::dashboard {
namespace {

constexpr std::string_view kOfBuild[] = {"build"};
constexpr std::string_view kOfPairs[] = {"build",    "primitive", "producer",
                                         "platform", "mode",      "after"};
constexpr std::string_view kOfPair[] = {"artifact", "golden", "build", "platform", "mode"};
constexpr std::string_view kOfText[] = {"artifact"};
constexpr std::string_view kOfRun[] = {"run"};

constexpr PageKind kKinds[] = {
    {"overview", {}, overviewPage},   {"column", kOfBuild, columnPage},
    {"matrix", kOfBuild, matrixPage}, {"pairs", kOfPairs, pairsPage},
    {"pair", kOfPair, pairPage},      {"text", kOfText, textPage},
    {"targets", {}, targetsPage},     {"accuracy", kOfRun, accuracyPage},
    {"health", {}, healthPage},
};

}  // namespace

std::span<const PageKind> pageKinds() { return kKinds; }

const PageKind* findPageKind(std::string_view name) {
  const auto found = std::ranges::find(kKinds, name, &PageKind::name);
  return found == std::end(kKinds) ? nullptr : found;
}

}  // namespace vintage::harness::dashboard
