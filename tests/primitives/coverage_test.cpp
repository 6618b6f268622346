// The catalogue beside the published coverage page of JAX.
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "primitives/case.h"

namespace vintage {
namespace {

TEST(Coverage, AsManyCasesForEachPrimitiveAsThePublishedPage) {
  const std::filesystem::path path =
      std::filesystem::path(VINTAGE_SHARED) / "facts/jax_primitive_coverage.json";
  std::ifstream file(path);
  if (!file) GTEST_SKIP() << path << " is not there.";
  const nlohmann::json facts = nlohmann::json::parse(file);

  std::map<std::string, int> counts;
  for (const Case& entry : catalogue()) ++counts[entry.primitive];
  int missing = 0, short_ = 0, covered = 0, published = 0;
  for (const nlohmann::json& row : facts["primitives"]) {
    const std::string primitive = row["primitive"];
    const int wanted = row["harnesses"], have = counts.contains(primitive) ? counts[primitive] : 0;
    published += wanted;
    covered += std::min(wanted, have);
    if (have == 0) {
      ++missing;
      std::cout << "missing " << primitive << ": " << wanted << " published\n";
    } else if (have < wanted) {
      ++short_;
      std::cout << "short " << primitive << ": " << have << " of " << wanted << "\n";
    }
  }
  std::cout << catalogue().size() << " cases of " << counts.size() << " primitives; of the "
            << published << " published cases " << covered << " are matched, " << missing
            << " primitives are missing, " << short_ << " have fewer\n";
  EXPECT_GE(counts.size(), 40u);
}

}  // namespace
}  // namespace vintage
