// How a file adds its cases to the catalogue.
//
// A new primitive is one new file in a folder of this room, and nothing else:
//
//   #include "primitives/catalogue/families.h"
//
//   namespace vintage::primitives::catalogue {
//   VINTAGE_FAMILY(addHaversineCases) {
//     for (ElementType type : types::kFloats) {
//       cases.add({.primitive = "haversine", .arguments = {{type, {8, 8}}}, …});
//     }
//   }
//   }  // namespace vintage::primitives::catalogue
//
// The build reads the macro, which stands at the beginning of a line, from every
// source of the room and writes the list that case_list.cpp goes through.
// docs/adding_a_primitive.md describes the fields of a case.
#pragma once

#include <span>

#include "primitives/catalogue/case_list.h"

// Opens the definition of a function that adds a family's cases to `cases`.
#define VINTAGE_FAMILY(name)   \
  void name(CaseList& cases); \
  void name(CaseList& cases)

namespace vintage::primitives {

using Family = void (*)(CaseList& cases);

// Every VINTAGE_FAMILY of the room, once each.
std::span<const Family> families();

}  // namespace vintage::primitives
