// A case of the catalogue by its id.
#pragma once

#include <string_view>

#include <gtest/gtest.h>

#include "primitives/catalogue/case.h"
#include "tests/rooms.h"

namespace vintage::tests {

// Fails the test, and gives some case, where there is none.
inline const Case& caseOf(std::string_view id) {
  for (const Case& entry : catalogue())
    if (entry.id == id) return entry;
  ADD_FAILURE() << id;
  return catalogue().front();
}

}  // namespace vintage::tests
