#include "harness/consumers/pjrt/deviceless.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include <fmt/format.h>

namespace vintage::harness::consumers::pjrt {
namespace {

// Machines are named by chips, or by the two cores of each chip.
struct TpuGeneration {
  std::string_view topology, machine;
  int64_t perChip;
};
constexpr TpuGeneration kGenerations[] = {
    {"v4", "v4", 2}, {"v5e", "v5litepod", 1}, {"v5p", "v5p", 2}, {"v6e", "v6e", 1}};

// The product of "2x2x4"; nullopt: `sizes` does not have this form.
std::optional<int64_t> product(std::string_view sizes) {
  int64_t chips = 1;
  while (true) {
    int64_t size = 0;
    const auto [end, error] = std::from_chars(sizes.data(), sizes.data() + sizes.size(), size);
    if (error != std::errc() || size < 1 || size > 1 << 16) return std::nullopt;
    chips *= size;
    sizes.remove_prefix(static_cast<size_t>(end - sizes.data()));
    if (sizes.empty()) return chips;
    if (!sizes.starts_with('x') || chips > 1 << 20) return std::nullopt;
    sizes.remove_prefix(1);
  }
}

}  // namespace

std::optional<std::string> acceleratorType(std::string_view topology) {
  const size_t colon = topology.find(':');
  if (colon == topology.npos) return std::nullopt;
  const auto generation =
      std::ranges::find(kGenerations, topology.substr(0, colon), &TpuGeneration::topology);
  const auto chips = product(topology.substr(colon + 1));
  if (generation == std::end(kGenerations) || !chips) return std::nullopt;
  return fmt::format("{}-{}", generation->machine, *chips * generation->perChip);
}

void setTpuEnvironment(std::string_view topology) {
  constexpr int kKeep = 0;
  ::setenv("TPU_SKIP_MDS_QUERY", "1", kKeep);
  // It lets one process at a time have the device, also where there is none.
  ::setenv("ALLOW_MULTIPLE_LIBTPU_LOAD", "1", kKeep);
  ::setenv("TPU_WORKER_HOSTNAMES", "localhost", kKeep);
  ::setenv("TPU_WORKER_ID", "0", kKeep);
  if (const auto type = acceleratorType(topology))
    ::setenv("TPU_ACCELERATOR_TYPE", type->c_str(), kKeep);
}

}  // namespace vintage::harness::consumers::pjrt
