# ctest runs it for each test program: makes one test of each suite, in the lane that
# tests/lanes.txt names. A process for each of its 1,600 tests would cost minutes; one process for
# all of them would end with the first crash.
#
# PROGRAM, NAME: the program and what its tests' names begin with. LANES: the
# file. LIST: where the program's own list of its tests is kept.

cmake_policy(VERSION 3.25)
if(NOT EXISTS "${PROGRAM}")
  add_test("${NAME}.NOT_BUILT" "${PROGRAM}")
  set_tests_properties("${NAME}.NOT_BUILT" PROPERTIES LABELS "fast;slow;server")
  return()
endif()
if(NOT EXISTS "${LIST}" OR "${PROGRAM}" IS_NEWER_THAN "${LIST}")
  execute_process(COMMAND "${PROGRAM}" --gtest_list_tests OUTPUT_FILE "${LIST}"
    RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    file(REMOVE "${LIST}")
    message(FATAL_ERROR "${PROGRAM} --gtest_list_tests ended with ${status}")
  endif()
endif()

# "lane pattern [each]" as "lane;regular expression;each".
set(rules)
file(STRINGS "${LANES}" lines REGEX "^[a-z]")
foreach(line IN LISTS lines)
  string(REGEX MATCH "^([a-z]+) +([^ ]+) *([a-z]*)" matched "${line}")
  set(lane "${CMAKE_MATCH_1}")
  set(by "${CMAKE_MATCH_3}")
  if(NOT by)
    set(by "suite")
  endif()
  string(REPLACE "." "\\." pattern "${CMAKE_MATCH_2}")
  string(REPLACE "*" ".*" pattern "${pattern}")
  list(APPEND rules "${lane}|^${pattern}$|${by}")
endforeach()

function(vintage_add_test name filter lane)
  add_test("${name}" "${PROGRAM}" "--gtest_filter=${filter}")
  set_tests_properties("${name}" PROPERTIES LABELS "${lane}" TIMEOUT 1500)
endfunction()

# Suites as "Suite.", tests as "  Test"; parameters follow as comments.
file(READ "${LIST}" lines)
string(REGEX REPLACE " +# [^\n]*" "" lines "${lines}")
string(REPLACE "\n" ";" lines "${lines}")
foreach(line IN LISTS lines)
  if(line MATCHES "^([^ ]+)\\.$")
    set(suite "${CMAKE_MATCH_1}")
    set(lane "fast")
    set(by "suite")
    foreach(rule IN LISTS rules)
      string(REPLACE "|" ";" rule "${rule}")
      list(GET rule 1 pattern)
      if("${NAME}.${suite}" MATCHES "${pattern}")
        list(GET rule 0 lane)
        list(GET rule 2 by)
        break()
      endif()
    endforeach()
    if(by STREQUAL "suite")
      vintage_add_test("${NAME}.${suite}" "${suite}.*" "${lane}")
    endif()
  elseif(by STREQUAL "each" AND line MATCHES "^  ([^ ]+)")
    vintage_add_test("${NAME}.${suite}.${CMAKE_MATCH_1}" "${suite}.${CMAKE_MATCH_1}" "${lane}")
  endif()
endforeach()
