# Writes the lists of the catalogue's families and derivatives: cmake -P, once for
# each build.
#
# SOURCES: the room's .cpp files; the list calls each `VINTAGE_FAMILY(addFooCases)` and each
# `VINTAGE_DERIVATIVES(fooDerivatives)` in them. OUTPUT changes only when the list does. The linker
# drops unreferenced files of a static library, so registration at start-up would lose families; a
# generated list cannot.
cmake_minimum_required(VERSION 3.25)

# Into DECLARATIONS and ENTRIES: the names in MACRO, declared as BEFORE name AFTER.
function(list_names macro before after)
  set(declarations "")
  set(entries "")
  set(seen "")
  foreach(source IN LISTS SOURCES)
    file(STRINGS "${source}" lines REGEX "^${macro}\\([A-Za-z0-9_]+\\)")
    foreach(line IN LISTS lines)
      string(REGEX REPLACE "^${macro}\\(([A-Za-z0-9_]+)\\).*" "\\1" name "${line}")
      if(name IN_LIST seen)
        message(FATAL_ERROR "${source}: ${macro}(${name}) exists twice; give one another name.")
      endif()
      list(APPEND seen "${name}")
      string(APPEND declarations "${before}${name}${after};\n")
      string(APPEND entries "    ${name},\n")
    endforeach()
  endforeach()
  if(NOT seen)
    message(FATAL_ERROR "No file of the catalogue holds ${macro}(…).")
  endif()
  set(DECLARATIONS "${declarations}" PARENT_SCOPE)
  set(ENTRIES "${entries}" PARENT_SCOPE)
endfunction()

list_names(VINTAGE_FAMILY "void " "(CaseList& cases)")
set(family_declarations "${DECLARATIONS}")
set(family_entries "${ENTRIES}")
list_names(VINTAGE_DERIVATIVES "DerivativeRules " "()")

file(WRITE "${OUTPUT}.new"
"// Written by cmake/CaseFamilies.cmake from every VINTAGE_FAMILY and
// VINTAGE_DERIVATIVES in primitives/catalogue/.
#include \"primitives/catalogue/derivatives/rule.h\"
#include \"primitives/catalogue/case_list.h\"

namespace vintage::primitives {

${family_declarations}${DECLARATIONS}
namespace {
constexpr Family kFamilies[] = {
${family_entries}};
constexpr DerivativeRules (*kDerivatives[])() = {
${ENTRIES}};
}  // namespace

std::span<const Family> families() { return kFamilies; }
std::span<DerivativeRules (*const)()> derivativeRules() { return kDerivatives; }

}  // namespace vintage::primitives
")
execute_process(COMMAND "${CMAKE_COMMAND}" -E copy_if_different "${OUTPUT}.new" "${OUTPUT}")
