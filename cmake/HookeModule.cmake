# SPDX-License-Identifier: Apache-2.0
# hooke_add_module(NAME source...): a run-time module for Hooke, NAME.so (docs/modules.md). It needs the
# header hooke/plugin.h and is not linked with the library.
function(hooke_add_module name)
  add_library(${name} MODULE ${ARGN})
  set_target_properties(${name} PROPERTIES PREFIX "" SUFFIX ".so" C_VISIBILITY_PRESET hidden)
  target_include_directories(${name} PRIVATE $<TARGET_PROPERTY:hooke::hooke,INTERFACE_INCLUDE_DIRECTORIES>)
  if(UNIX)
    target_link_libraries(${name} PRIVATE m)
  endif()
endfunction()
