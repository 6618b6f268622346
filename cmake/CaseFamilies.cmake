# Writes the list of the catalogue's families: cmake -P, once for each build.
#
# SOURCES: the room's .cpp files; each `VINTAGE_FAMILY(addFooCases)` in them is
# called by the list. OUTPUT changes only when the list does. A static library
# drops files that nobody refers to, so registration at start-up would lose
# families; a list that the build writes cannot.
cmake_minimum_required(VERSION 3.25)

set(declarations "")
set(entries "")
set(seen "")
foreach(source IN LISTS SOURCES)
  file(STRINGS "${source}" lines REGEX "^VINTAGE_FAMILY\\([A-Za-z0-9_]+\\)")
  foreach(line IN LISTS lines)
    string(REGEX REPLACE "^VINTAGE_FAMILY\\(([A-Za-z0-9_]+)\\).*" "\\1" family "${line}")
    if(family IN_LIST seen)
      message(FATAL_ERROR "${source}: the family ${family} exists twice; give one another name.")
    endif()
    list(APPEND seen "${family}")
    string(APPEND declarations "void ${family}(CaseList& cases);\n")
    string(APPEND entries "    ${family},\n")
  endforeach()
endforeach()
if(NOT seen)
  message(FATAL_ERROR "No file of the catalogue holds VINTAGE_FAMILY(…).")
endif()

file(WRITE "${OUTPUT}.new"
"// Written by cmake/CaseFamilies.cmake from every VINTAGE_FAMILY in primitives/.
#include \"primitives/catalogue/families.h\"

namespace vintage::primitives::catalogue {

${declarations}
namespace {
constexpr Family kFamilies[] = {
${entries}};
}  // namespace

std::span<const Family> families() { return kFamilies; }

}  // namespace vintage::primitives::catalogue
")
execute_process(COMMAND "${CMAKE_COMMAND}" -E copy_if_different "${OUTPUT}.new" "${OUTPUT}")
