// vintage-worker-faults: the embedded engine with one deliberate error, which
// the environment variable VINTAGE_SEEDED_FAULT names; without it, it is sound. --list-faults
// prints name, operation, primitive and description of each fault, a line each.

#include <cstdlib>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "harness/runtimes/embedded/worker_program.h"
#include "tests/harness/engine/faults/fault.h"

namespace vintage::tests {
using namespace harness;

namespace {

void listFaults() {
  for (const SeededFault& fault : seededFaults())
    fmt::print("{}\t{}\t{}\t{}\n", fault.name, fault.operation, fault.primitive, fault.description);
}

std::optional<int> seed() {
  const char* name = std::getenv("VINTAGE_SEEDED_FAULT");
  if (name == nullptr || *name == '\0') return std::nullopt;
  const SeededFault* fault = findSeededFault(name);
  if (fault == nullptr) {
    fmt::print(stderr, "VINTAGE_SEEDED_FAULT: there is no fault '{}'; --list-faults lists them\n",
               name);
    return 2;
  }
  if (const Status status = seedFault(*fault); !status) {
    fmt::print(stderr, "VINTAGE_SEEDED_FAULT: {}\n", status.error().message);
    return 3;
  }
  return std::nullopt;
}

}  // namespace
}  // namespace vintage::tests

int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "--list-faults") {
    vintage::tests::listFaults();
    return 0;
  }
  if (const std::optional<int> status = vintage::tests::seed()) return *status;
  return vintage::harness::runWorkerProgram(argc, argv);
}
