# SPDX-License-Identifier: Apache-2.0
# hooke-kernel.wasm: the kernel once more, as a program of WebAssembly, whose code `hooke export c` follows
# (docs/decisions/0105). Needs clang with its linker and the C library of WASI: Debian's clang, lld, wasi-libc and
# libclang-rt-*-dev-wasm32. Without them Hooke is built without that export.
option(HK_WITH_GUEST "build the kernel that models are exported as C with" ON)
set(HK_GUEST "")
find_program(HK_WASM_CC NAMES clang clang-19 clang-18 clang-17 clang-16 clang-15 clang-14)
find_program(HK_WASM_LD NAMES wasm-ld wasm-ld-19 wasm-ld-18 wasm-ld-17 wasm-ld-16 wasm-ld-15 wasm-ld-14)
if(HK_WITH_GUEST AND HK_WASM_CC AND HK_WASM_LD AND NOT DEFINED HK_WASM_WORKS)
  file(WRITE ${PROJECT_BINARY_DIR}/guest/try.c
       "#include <math.h>\n#include <stdlib.h>\nint try_it(int n) { return malloc((size_t)n) != 0 && sin(n) > 0; }\n")
  execute_process(
    COMMAND ${HK_WASM_CC} --target=wasm32-wasi -nostartfiles -Wl,--no-entry -Wl,--export=try_it try.c -o try.wasm -lm
    WORKING_DIRECTORY ${PROJECT_BINARY_DIR}/guest
    RESULT_VARIABLE failed
    OUTPUT_QUIET ERROR_QUIET)
  if(failed)
    set(works OFF)
  else()
    set(works ON)
  endif()
  set(HK_WASM_WORKS ${works} CACHE INTERNAL "can programs of WebAssembly be made here?")
endif()

if(HK_WITH_GUEST AND HK_WASM_WORKS)
  set(HK_GUEST ${PROJECT_BINARY_DIR}/hooke-kernel.wasm)
  set(guest_dir ${PROJECT_BINARY_DIR}/guest)
  # status codes are numbers that nothing else returns, so that failures are seen (src/codegen/machine.c)
  file(READ ${PROJECT_SOURCE_DIR}/include/hooke/status.def text)
  string(REGEX REPLACE "X\\(HK_RETRY, +1," "X(HK_RETRY, -7100," text "${text}")
  string(REGEX REPLACE "X\\(HK_RECHART, +2," "X(HK_RECHART, -7101," text "${text}")
  string(REGEX REPLACE "X\\((HK_E_[A-Z]+), +-" "X(\\1, -70" text "${text}")
  file(CONFIGURE OUTPUT ${guest_dir}/include/hooke/status.def CONTENT "${text}" @ONLY)
  set(guest_flags --target=wasm32-wasi -std=c17 -O1 -fno-inline-functions -fno-vectorize -fno-slp-vectorize
                  -ffp-contract=off -mbulk-memory -mnontrapping-fptoint -w -DHK_NO_WIDE -DHK_KERNEL=1 -DHK_FOLLOWED=1 -DHK_BUILDING -D_GNU_SOURCE)
  set(guest_includes -I${guest_dir}/include -I${PROJECT_SOURCE_DIR}/src -I${PROJECT_SOURCE_DIR}/include
                     -I${PROJECT_BINARY_DIR}/include)
  set(guest_launcher "")
  if(CMAKE_C_COMPILER_LAUNCHER)
    set(guest_launcher ${CMAKE_C_COMPILER_LAUNCHER})
  endif()
  set(guest_sources ${kernel_sources} ${PROJECT_SOURCE_DIR}/src/entry/system.c ${PROJECT_SOURCE_DIR}/guest/guest.c)
  # Newton's iteration is taken apart by the guest, it has parameters that stay variables, a note on a run ends a step, and
  # closures and forces go one by one
  list(FILTER guest_sources EXCLUDE REGEX
       "/stage/newton[.]c|/language/reader_kept[.]c|/simulation/grade_note[.]c|/kinematics/(rows4|pulls4)[.]c")
  set(guest_objects "")
  foreach(source IN LISTS guest_sources)
    file(RELATIVE_PATH name ${PROJECT_SOURCE_DIR} ${source})
    string(REPLACE "/" "_" name ${name})
    set(object ${guest_dir}/${name}.o)
    add_custom_command(
      OUTPUT ${object}
      COMMAND ${guest_launcher} ${HK_WASM_CC} ${guest_flags} ${guest_includes} -MD -MF ${object}.d -c ${source} -o ${object}
      DEPENDS ${source} ${guest_dir}/include/hooke/status.def
      DEPFILE ${object}.d
      COMMENT "Building guest object ${name}.o"
      VERBATIM)
    list(APPEND guest_objects ${object})
  endforeach()
  string(REPLACE ";" "\n" guest_lines "${guest_objects}")
  file(CONFIGURE OUTPUT ${guest_dir}/objects.txt CONTENT "${guest_lines}\n")
  add_custom_command(
    OUTPUT ${HK_GUEST}
    COMMAND ${HK_WASM_CC} --target=wasm32-wasi -nostartfiles -Wl,--no-entry -Wl,--gc-sections -Wl,--strip-debug
            @${guest_dir}/objects.txt -o ${HK_GUEST} -lm
    DEPENDS ${guest_objects}
    COMMENT "Linking hooke-kernel.wasm"
    VERBATIM)
  add_custom_target(hooke_guest ALL DEPENDS ${HK_GUEST})
endif()
