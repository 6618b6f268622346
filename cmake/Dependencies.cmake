# The dependencies of Vintage, all of them from Debian; cmake/packages.txt names the packages that
# `make` installs.

find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CCACHE}")
  set(CMAKE_C_COMPILER_LAUNCHER "${CCACHE}")
endif()

find_package(MLIR REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/mlir)
if(NOT MLIR_VERSION MATCHES "^22\\.")
  message(FATAL_ERROR "MLIR ${MLIR_VERSION} was found; MLIR 22 is needed (apt install libmlir-22-dev)")
endif()
list(APPEND CMAKE_MODULE_PATH "${MLIR_CMAKE_DIR}" "${LLVM_CMAKE_DIR}")
include(TableGen)
include(AddLLVM)
include(AddMLIR)
separate_arguments(LLVM_DEFINITIONS_LIST NATIVE_COMMAND "${LLVM_DEFINITIONS}")
# MLIR is linked from its archives: loading its shared libraries would cost each program and each
# worker 22 ms of relocations at its start. Debian's archives depend on the shared LLVM; the parts
# that they need are in LLVMSupport.
get_property(mlir_libraries GLOBAL PROPERTY MLIR_ALL_LIBS)
foreach(library IN LISTS mlir_libraries)
  get_target_property(needed ${library} INTERFACE_LINK_LIBRARIES)
  list(TRANSFORM needed REPLACE "^LLVM$" LLVMSupport)
  set_target_properties(${library} PROPERTIES INTERFACE_LINK_LIBRARIES "${needed}")
endforeach()
# Its solver is for LLVM's analyses.
get_target_property(needed LLVMSupport INTERFACE_LINK_LIBRARIES)
list(FILTER needed EXCLUDE REGEX "libz3")
set_target_properties(LLVMSupport PROPERTIES INTERFACE_LINK_LIBRARIES "${needed}")

find_package(Threads REQUIRED)
find_package(Boost 1.81 REQUIRED)
find_package(OpenSSL 3 REQUIRED)
find_package(CURL REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(FlatBuffers REQUIRED CONFIG)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(tl-expected REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(LIBZIP REQUIRED IMPORTED_TARGET libzip)
pkg_check_modules(MPFR REQUIRED IMPORTED_TARGET mpfr)
pkg_check_modules(LAPACKE REQUIRED IMPORTED_TARGET lapacke)
pkg_check_modules(OPENBLAS REQUIRED IMPORTED_TARGET openblas)
find_library(JEMALLOC NAMES libjemalloc_pic.a REQUIRED)
find_program(FLATC flatc REQUIRED)
find_program(ESBUILD esbuild REQUIRED)
# The library of the dashboard's plots, and the licence that goes with every copy of it.
find_file(CHARTJS chart.min.js PATHS /usr/share/javascript/chart.js NO_DEFAULT_PATH REQUIRED)
find_file(CHARTJS_LICENCE copyright PATHS /usr/share/doc/libjs-chart.js NO_DEFAULT_PATH REQUIRED)
