// The catalogue beside the published coverage page of JAX.
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <set>

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
  EXPECT_GE(counts.size(), 130u);
  EXPECT_EQ(short_, 0);
}

// "floating", "inexact", … as the page groups dtypes; a single dtype is itself.
std::vector<std::string> dtypesOf(const std::string& group) {
  const std::map<std::string, std::vector<std::string>> groups = {
      {"bool", {"bool"}},
      {"signed", {"int8", "int16", "int32", "int64"}},
      {"unsigned", {"uint8", "uint16", "uint32", "uint64"}},
      {"integer", {"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"}},
      {"floating", {"bfloat16", "float16", "float32", "float64"}},
      {"complex", {"complex64", "complex128"}},
      {"inexact", {"bfloat16", "float16", "float32", "float64", "complex64", "complex128"}},
      {"all",
       {"bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "bfloat16",
        "float16", "float32", "float64", "complex64", "complex128"}}};
  const auto found = groups.find(group);
  return found == groups.end() ? std::vector<std::string>{group} : found->second;
}

TEST(Coverage, EveryPublishedDtypeOfACoveredPrimitiveHasACase) {
  const std::filesystem::path path =
      std::filesystem::path(VINTAGE_SHARED) / "facts/jax_primitive_coverage.json";
  std::ifstream file(path);
  if (!file) GTEST_SKIP() << path << " is not there.";
  const nlohmann::json facts = nlohmann::json::parse(file);
  std::map<std::string, std::set<std::string>> have;
  for (const Case& entry : catalogue()) {
    std::set<std::string>& dtypes = have[entry.primitive];
    for (ElementType type : entry.dtypes) dtypes.insert(std::string(dtypeName(type)));
    // Primitives that make an array tell its type among their outputs only.
    if (entry.platforms.empty()) continue;
    const Result<LoweredCase> lowered = entry.lower(entry.platforms.front());
    ASSERT_TRUE(lowered) << entry.id;
    for (const CaseArgument& output : lowered->outputs) {
      dtypes.insert(std::string(dtypeName(output.type)));
    }
  }
  for (const nlohmann::json& row : facts["primitives"]) {
    const std::string primitive = row["primitive"];
    if (!have.contains(primitive)) continue;
    for (const std::string group : row["dtypes_supported"]) {
      for (const std::string& dtype : dtypesOf(group)) {
        // JAX refuses a clamp of predicates and complex numbers by now.
        if (primitive == "clamp" && (dtype == "bool" || dtype.starts_with("complex"))) continue;
        EXPECT_TRUE(have[primitive].contains(dtype)) << primitive << " lacks " << dtype;
      }
    }
  }
}

}  // namespace
}  // namespace vintage
