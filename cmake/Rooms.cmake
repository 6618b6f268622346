# A room is a folder that is one library; cmake/rooms.txt lists the rooms and what each may use.

# -Wno-deprecated undefines the macro by which libstdc++ marks its own functions: in a precompiled
# header, clang 22 forgets that std::stable_sort may call a deprecated one.
set(VINTAGE_WARNINGS -Wall -Wextra -Wno-unused-parameter -Wno-deprecated
  -Wdeprecated-declarations)

set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/cmake/rooms.txt")
file(STRINGS "${CMAKE_SOURCE_DIR}/cmake/rooms.txt" vintage_room_lines REGEX "^[a-z]")
set(VINTAGE_ROOMS)
foreach(line IN LISTS vintage_room_lines)
  string(REGEX MATCH "^([a-z_/]+): *(.*)$" matched "${line}")
  separate_arguments(uses UNIX_COMMAND "${CMAKE_MATCH_2}")
  list(APPEND VINTAGE_ROOMS "${CMAKE_MATCH_1}")
  set("VINTAGE_USES_${CMAKE_MATCH_1}" "${uses}")
endforeach()

# "golden/base" -> vintage_golden_base
function(vintage_room_target result room)
  string(REPLACE "/" "_" name "${room}")
  set(${result} "vintage_${name}" PARENT_SCOPE)
endfunction()

function(vintage_sanitize target)
  if(VINTAGE_SANITIZERS)
    target_compile_options(${target} PRIVATE -fsanitize=${VINTAGE_SANITIZERS} -fno-omit-frame-pointer)
    target_link_options(${target} PUBLIC -fsanitize=${VINTAGE_SANITIZERS})
  endif()
  if(VINTAGE_FUZZERS)
    target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
  endif()
endfunction()

# Headers that most files of a kind include, compiled once for each kind: standard
# library, fmt and JSON for rooms, MLIR's for the two rooms that compile against
# it, GoogleTest's for tests. A file still includes what it uses.
set(VINTAGE_HEADERS <algorithm> <chrono> <cstdint> <filesystem> <functional> <map> <memory>
  <optional> <set> <span> <string> <string_view> <unordered_map> <variant> <vector>
  <fmt/format.h> <fmt/ranges.h> <nlohmann/json.hpp> <tl/expected.hpp>)
set(VINTAGE_MLIR_HEADERS <mlir/IR/Attributes.h> <mlir/IR/Builders.h> <mlir/IR/BuiltinAttributes.h>
  <mlir/IR/BuiltinOps.h> <mlir/IR/BuiltinTypes.h> <mlir/IR/Dialect.h>
  <mlir/IR/DialectImplementation.h> <mlir/IR/MLIRContext.h> <mlir/IR/OpImplementation.h>
  <mlir/Dialect/Func/IR/FuncOps.h> <mlir/Bytecode/BytecodeImplementation.h>
  <llvm/ADT/TypeSwitch.h> ${VINTAGE_HEADERS})
set(VINTAGE_TEST_HEADERS <gmock/gmock.h> <gtest/gtest.h> <fstream> ${VINTAGE_HEADERS})

# vintage_precompile(TARGET KIND header…): the first target of a kind compiles the headers, the
# others use its result.
function(vintage_precompile target kind)
  get_property(first GLOBAL PROPERTY "VINTAGE_PRECOMPILED_${kind}")
  if(first)
    target_precompile_headers(${target} REUSE_FROM ${first})
  else()
    target_precompile_headers(${target} PRIVATE ${ARGN})
    set_property(GLOBAL PROPERTY "VINTAGE_PRECOMPILED_${kind}" ${target})
  endif()
  # So that ccache recognizes two builds of one header as the same.
  target_compile_options(${target} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
endfunction()

# vintage_room(ROOM [EXCEPT folder…] [MLIR] [SEPARATE] [BY_FOLDER] [BRIEFLY_OPTIMIZED] [LINK
# library…]): the library of every source below the room's folder, except those of nested rooms and
# of the named folders, linked to the rooms that it uses and to external libraries.
# SEPARATE: compiles its files one by one even in a unity build (CMAKE_UNITY_BUILD), because their
# headers or tables define different things in each file.
# BY_FOLDER: compiles the files of a folder as one, so that a new file meets only the names of its
# neighbours.
# BRIEFLY_OPTIMIZED: a release compiles it with -O1, in three quarters of the time. For rooms that
# wait for disks, networks, processes and people; no benchmark shows a benefit of more.
function(vintage_room room)
  cmake_parse_arguments(ROOM "MLIR;SEPARATE;BY_FOLDER;BRIEFLY_OPTIMIZED" "" "EXCEPT;LINK" ${ARGN})
  if(NOT room IN_LIST VINTAGE_ROOMS)
    message(FATAL_ERROR "${room} is no room of cmake/rooms.txt; add it there with what it may use.")
  endif()
  set(folder "${CMAKE_SOURCE_DIR}/${room}")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${folder}/*.cpp")
  foreach(other IN LISTS VINTAGE_ROOMS)
    if(other MATCHES "^${room}/")
      list(FILTER sources EXCLUDE REGEX "^${CMAKE_SOURCE_DIR}/${other}/")
    endif()
  endforeach()
  foreach(except IN LISTS ROOM_EXCEPT)
    list(FILTER sources EXCLUDE REGEX "^${folder}/${except}/")
  endforeach()
  vintage_room_target(target "${room}")
  add_library(${target} STATIC ${sources})
  target_include_directories(${target} PUBLIC "${CMAKE_SOURCE_DIR}" "${CMAKE_BINARY_DIR}")
  target_compile_options(${target} PRIVATE ${VINTAGE_WARNINGS})
  foreach(used IN LISTS VINTAGE_USES_${room})
    vintage_room_target(used_target "${used}")
    target_link_libraries(${target} PUBLIC ${used_target})
  endforeach()
  target_link_libraries(${target} PUBLIC ${ROOM_LINK})
  if(ROOM_MLIR)
    target_include_directories(${target} SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
    target_compile_definitions(${target} PRIVATE ${LLVM_DEFINITIONS_LIST})
    target_link_libraries(${target} PRIVATE MLIRParser MLIRBytecodeWriter MLIRFuncDialect
      MLIRQuantDialect MLIRShapeDialect)
  endif()
  if(ROOM_SEPARATE)
    set_target_properties(${target} PROPERTIES UNITY_BUILD OFF)
  endif()
  if(ROOM_BY_FOLDER)
    set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
    foreach(source IN LISTS sources)
      cmake_path(GET source PARENT_PATH parent)
      cmake_path(GET parent FILENAME group)
      set_source_files_properties("${source}" PROPERTIES UNITY_GROUP "${group}")
    endforeach()
  endif()
  vintage_sanitize(${target})
  if(ROOM_MLIR)
    vintage_precompile(${target} mlir ${VINTAGE_MLIR_HEADERS})
  elseif(ROOM_BRIEFLY_OPTIMIZED)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
    vintage_precompile(${target} briefly_optimized_room ${VINTAGE_HEADERS})
  else()
    vintage_precompile(${target} room ${VINTAGE_HEADERS})
  endif()
endfunction()

# vintage_program(NAME ROOM room… SOURCES file…): a program beside `vintage`. Unused parts of its
# libraries are neither linked nor loaded.
function(vintage_program name)
  cmake_parse_arguments(PROGRAM "" "" "ROOMS;SOURCES;LINK" ${ARGN})
  add_executable(${name} ${PROGRAM_SOURCES})
  target_compile_options(${name} PRIVATE ${VINTAGE_WARNINGS})
  foreach(room IN LISTS PROGRAM_ROOMS)
    vintage_room_target(target "${room}")
    target_link_libraries(${name} PRIVATE ${target})
  endforeach()
  target_link_libraries(${name} PRIVATE ${PROGRAM_LINK})
  target_link_options(${name} PRIVATE -Wl,--gc-sections -Wl,--as-needed)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
  vintage_sanitize(${name})
endfunction()

# For programs that allocate and free many small objects, as MLIR and JSON do: the C library's
# malloc takes a fifth of their time. Sanitizers have their own.
function(vintage_fast_allocator)
  foreach(name IN LISTS ARGN)
    if(NOT VINTAGE_SANITIZERS)
      target_link_libraries(${name} PRIVATE "${JEMALLOC}")
    endif()
  endforeach()
endfunction()

# vintage_tests(NAME FOLDERS folder… ROOMS room… [EXCEPT folder…] [SEPARATE] [LINK library…]): every
# *_test.cpp below the folders as one program, vintage_NAME_tests. Tests are not optimized; the code
# under test is.
function(vintage_tests name)
  cmake_parse_arguments(TESTS "SEPARATE" "" "FOLDERS;EXCEPT;ROOMS;LINK" ${ARGN})
  set(sources)
  foreach(folder IN LISTS TESTS_FOLDERS)
    file(GLOB_RECURSE found CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*_test.cpp")
    list(APPEND sources ${found})
  endforeach()
  foreach(except IN LISTS TESTS_EXCEPT)
    list(FILTER sources EXCLUDE REGEX "^${CMAKE_CURRENT_SOURCE_DIR}/${except}/")
  endforeach()
  add_executable(vintage_${name}_tests ${sources} "${CMAKE_SOURCE_DIR}/tests/state_folder.cpp")
  target_compile_options(vintage_${name}_tests PRIVATE ${VINTAGE_WARNINGS} -O0)
  if(TESTS_SEPARATE)
    set_target_properties(vintage_${name}_tests PROPERTIES UNITY_BUILD OFF)
  endif()
  target_compile_definitions(vintage_${name}_tests PRIVATE
    VINTAGE_SHARED="${VINTAGE_SHARED}"
    VINTAGE_SOURCE="${CMAKE_SOURCE_DIR}"
    VINTAGE_BINARY="${CMAKE_BINARY_DIR}")
  foreach(room IN LISTS TESTS_ROOMS)
    vintage_room_target(target "${room}")
    target_link_libraries(vintage_${name}_tests PRIVATE ${target})
  endforeach()
  target_link_libraries(vintage_${name}_tests PRIVATE ${TESTS_LINK} GTest::gmock GTest::gtest_main)
  vintage_sanitize(vintage_${name}_tests)
  vintage_precompile(vintage_${name}_tests tests ${VINTAGE_TEST_HEADERS})
  # ctest reads its suites when it runs (TestSuites.cmake).
  set(suites "${CMAKE_CURRENT_BINARY_DIR}/${name}_suites.cmake")
  file(GENERATE OUTPUT "${suites}" CONTENT "set(PROGRAM \"$<TARGET_FILE:vintage_${name}_tests>\")
set(NAME ${name})
set(LANES \"${CMAKE_CURRENT_SOURCE_DIR}/lanes.txt\")
set(LIST \"${CMAKE_CURRENT_BINARY_DIR}/${name}_tests.txt\")
include(\"${CMAKE_SOURCE_DIR}/cmake/TestSuites.cmake\")
")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${suites}")
endfunction()
