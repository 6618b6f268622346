// Several builds that are registered by one call of `vintage builds add`.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "archive/store/archive.h"
#include "golden/base/result.h"
#include "harness/command/console.h"

namespace vintage::harness {

// Prints each as it is registered, and at the end what was missed.
class Registration {
 public:
  explicit Registration(Console& console) : console_(console) {}

  using Reasons = std::vector<std::pair<std::string, std::string>>;  // A release, and why.
  // `framework`: whose releases these are.
  void miss(std::string_view framework, const Reasons& leftOut, const Reasons& failed);
  void add(const archive::BuildRecord& build, const Status& registered);
  // The exit status.
  int end();

 private:
  struct Missed {
    std::string framework, release, reason;
  };
  friend void to_json(nlohmann::json& out, const Missed& missed);

  Console& console_;
  size_t registered_ = 0;
  nlohmann::json list_ = nlohmann::json::array();
  std::vector<Missed> leftOut_, failed_;
};

}  // namespace vintage::harness
