# SPDX-License-Identifier: Apache-2.0
# Compiler flags of the house, as interface libraries:
#   hk_flags       language, floating point, warnings, sanitizers: everything is compiled with it
#   hk_strict      the warnings that make no sense in tests
#   hk_guided      what guides the fuzzers: the library and the targets are compiled with it

add_library(hk_flags INTERFACE)
add_library(hk_strict INTERFACE)
add_library(hk_guided INTERFACE)

# C17 without extensions, POSIX 2008 with XSI; floating point exactly as written
target_compile_definitions(hk_flags INTERFACE _POSIX_C_SOURCE=200809L _XOPEN_SOURCE=700)
target_compile_options(hk_flags INTERFACE -ffp-contract=off)

target_compile_options(
  hk_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wvla -Wconversion -Wno-sign-conversion
                     -Wstrict-prototypes)
target_compile_options(hk_strict INTERFACE -Wmissing-prototypes)
if(HK_WERROR)
  target_compile_options(hk_flags INTERFACE -Werror)
endif()

# assertions, in the tests too: they test them
if(HK_ASSERTIONS)
  target_compile_definitions(hk_flags INTERFACE HK_ASSERTIONS=1)
endif()

# sanitizers: "address,undefined" or "thread"
if(HK_SANITIZE)
  set(HK_SAN_FLAGS -fsanitize=${HK_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_compile_options(hk_flags INTERFACE ${HK_SAN_FLAGS})
  target_link_options(hk_flags INTERFACE ${HK_SAN_FLAGS})
  # at a fixed address: half a million relocations less whenever a program starts
  target_link_options(hk_flags INTERFACE $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-no-pie>)
  # clang's own linker takes half the time; where it is not there, the system's does. Modules have the system's: the
  # kernel of FMUs is packed by its map (HookeFmuPack.cmake)
  include(CheckCCompilerFlag)
  set(CMAKE_REQUIRED_LINK_OPTIONS -fuse-ld=lld)
  check_c_compiler_flag("" HK_LLD_WORKS)
  unset(CMAKE_REQUIRED_LINK_OPTIONS)
  if(HK_LLD_WORKS)
    target_link_options(hk_flags INTERFACE $<$<NOT:$<STREQUAL:$<TARGET_PROPERTY:TYPE>,MODULE_LIBRARY>>:-fuse-ld=lld>)
  endif()
endif()

# libFuzzer: coverage instrumentation in the library and the targets, the driver only in tests/fuzz
if(HK_FUZZ)
  if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "HK_FUZZ needs clang (libFuzzer); the compiler is ${CMAKE_C_COMPILER_ID}")
  endif()
  target_compile_options(hk_guided INTERFACE -fsanitize=fuzzer-no-link)
  target_link_options(hk_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()

if(HK_COVERAGE)
  target_compile_options(hk_flags INTERFACE --coverage -fprofile-update=atomic)
  target_link_options(hk_flags INTERFACE --coverage)
endif()
