# A room is a library of every source in its folders, and its tests.

set(VINTAGE_WARNINGS -Wall -Wextra -Wno-unused-parameter)

function(vintage_sanitize target)
  if(VINTAGE_SANITIZERS)
    target_compile_options(${target} PRIVATE -fsanitize=${VINTAGE_SANITIZERS} -fno-omit-frame-pointer)
    target_link_options(${target} PUBLIC -fsanitize=${VINTAGE_SANITIZERS})
  endif()
  if(VINTAGE_FUZZERS)
    target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
  endif()
endfunction()

# vintage_room(NAME FOLDERS folder… LINK library…)
function(vintage_room name)
  cmake_parse_arguments(ROOM "" "" "FOLDERS;LINK" ${ARGN})
  set(sources)
  foreach(folder ${ROOM_FOLDERS})
    file(GLOB found CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.cpp")
    list(APPEND sources ${found})
  endforeach()
  add_library(vintage_${name} STATIC ${sources})
  target_include_directories(vintage_${name} PUBLIC "${CMAKE_SOURCE_DIR}" "${CMAKE_BINARY_DIR}")
  target_compile_options(vintage_${name} PRIVATE ${VINTAGE_WARNINGS})
  target_link_libraries(vintage_${name} PUBLIC ${ROOM_LINK})
  vintage_sanitize(vintage_${name})
endfunction()

# Compiled against MLIR; links its one shared library.
function(vintage_uses_mlir target)
  target_include_directories(${target} SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
  target_compile_definitions(${target} PRIVATE ${LLVM_DEFINITIONS_LIST})
  target_link_libraries(${target} PRIVATE MLIR LLVM)
endfunction()

# vintage_tests(NAME LINK library…): tests/NAME/**/*_test.cpp as one program.
function(vintage_tests name)
  cmake_parse_arguments(TESTS "" "" "LINK" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${name}/*_test.cpp")
  if(NOT sources)
    return()
  endif()
  add_executable(vintage_${name}_tests ${sources})
  target_compile_options(vintage_${name}_tests PRIVATE ${VINTAGE_WARNINGS})
  target_compile_definitions(vintage_${name}_tests PRIVATE
    VINTAGE_SHARED="${VINTAGE_SHARED}"
    VINTAGE_SOURCE="${CMAKE_SOURCE_DIR}"
    VINTAGE_BINARY="${CMAKE_BINARY_DIR}")
  target_link_libraries(vintage_${name}_tests PRIVATE ${TESTS_LINK} GTest::gmock GTest::gtest_main)
  vintage_sanitize(vintage_${name}_tests)
  gtest_discover_tests(vintage_${name}_tests DISCOVERY_MODE PRE_TEST TEST_PREFIX "${name}."
    NO_PRETTY_VALUES  # A parameter's bytes in a name would differ from run to run.
    PROPERTIES TIMEOUT 300)
endfunction()
