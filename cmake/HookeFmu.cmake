# SPDX-License-Identifier: Apache-2.0
# The kernel of FMUs, hooke-fmu.zip: the program that every exported FMU has inside, and its C sources.
# Both are the rooms that an FMU needs, without the libraries outside (docs/decisions/0079). Rooms that a
# library stands behind are compiled once more without it; from the others the same objects are taken, so that
# an FMU computes what the command computes, to the last bit.
set(kernel_rooms ${HK_LINK_entry})
set(kernel_own base linalg integrators formats)
# what speaks to the system or loads other libraries, whose place src/entry/system.c takes
set(kernel_out "/base/(file|clock|system_memory|swap|worker|realtime|ring|team|tools)[.]c|/linalg/(lapack|arpack)[.]c|/modules/modules[.]c|/simulation/(checkpoint|realtime|sim_streams|sim_tape|external|relax)[.]c|/streams/(shared|socket|stream|talk)[.]c")
set(kernel_libraries "")
set(kernel_sources "")
foreach(room IN LISTS kernel_rooms)
  if(NOT TARGET hk_${room} OR room STREQUAL "entry")
    continue()
  endif()
  get_target_property(room_sources hk_${room} SOURCES)
  list(FILTER room_sources EXCLUDE REGEX "${kernel_out}")
  list(APPEND kernel_sources ${room_sources})
  if(room IN_LIST kernel_own)
    add_library(hk_kernel_${room} OBJECT ${room_sources})
    target_compile_definitions(hk_kernel_${room} PRIVATE HK_BUILDING)
    target_include_directories(hk_kernel_${room} PRIVATE ${HK_INCLUDE_DIRS})
    target_link_libraries(hk_kernel_${room} PRIVATE hk_flags hk_strict)
    foreach(feature KLU SUNDIALS YAML NETCDF HDF5)
      target_compile_options(hk_kernel_${room} PRIVATE -UHK_WITH_${feature})
    endforeach()
    if(room IN_LIST HK_QUICK)
      target_compile_options(hk_kernel_${room} PRIVATE -O0)
    endif()
    set(room_objects $<TARGET_OBJECTS:hk_kernel_${room}>)
  else()
    set(room_objects "$<FILTER:$<TARGET_OBJECTS:hk_${room}>,EXCLUDE,${kernel_out}>")
  endif()
  # only what is needed of a room goes into the program
  add_library(hk_kernel_of_${room} STATIC EXCLUDE_FROM_ALL ${room_objects})
  set_target_properties(hk_kernel_of_${room} PROPERTIES LINKER_LANGUAGE C)
  list(APPEND kernel_libraries hk_kernel_of_${room})
endforeach()
get_target_property(entry_sources hk_entry SOURCES)

add_library(hooke_fmu MODULE $<TARGET_OBJECTS:hk_entry>)
set_target_properties(hooke_fmu PROPERTIES PREFIX "" OUTPUT_NAME hooke_fmu)
if(APPLE)
  target_link_libraries(hooke_fmu PRIVATE ${kernel_libraries} hk_flags m)
else()
  target_link_libraries(hooke_fmu PRIVATE -Wl,--start-group ${kernel_libraries} -Wl,--end-group hk_flags m)
  target_link_options(hooke_fmu PRIVATE -Wl,--exclude-libs,ALL)
  if(NOT HK_SANITIZE AND NOT HK_FUZZ)
    target_link_options(hooke_fmu PRIVATE -Wl,--no-undefined)
  endif()
  if(CMAKE_BUILD_TYPE STREQUAL "Release")
    target_link_options(hooke_fmu PRIVATE -s)
  endif()
  # which objects the program needs: their sources are packed (HookeFmuPack.cmake)
  set(kernel_map ${PROJECT_BINARY_DIR}/hooke_fmu.map)
  target_link_options(hooke_fmu PRIVATE -Wl,-Map,${kernel_map})
endif()

# headers of these rooms, and the public ones
set(kernel_headers "")
foreach(room IN LISTS kernel_rooms)
  file(GLOB_RECURSE found CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${room}/*.h ${PROJECT_SOURCE_DIR}/src/${room}/*.def)
  list(APPEND kernel_headers ${found})
endforeach()
file(GLOB found CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/hooke/*.h ${PROJECT_SOURCE_DIR}/include/hooke/*.def)
list(APPEND kernel_headers ${found})

set(HK_FMU_KERNEL ${PROJECT_BINARY_DIR}/hooke-fmu.zip)
set(kernel_list ${PROJECT_BINARY_DIR}/fmu-kernel.txt)
string(REPLACE ";" "\n" kernel_lines "${kernel_sources};${entry_sources};${kernel_headers}")
file(CONFIGURE OUTPUT ${kernel_list} CONTENT "${kernel_lines}\n")
add_custom_command(
  OUTPUT ${HK_FMU_KERNEL}
  COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:hooke_fmu> -DLIST=${kernel_list} -DMAP=${kernel_map}
          -DSOURCE=${PROJECT_SOURCE_DIR} -DBUILD=${PROJECT_BINARY_DIR} -DOUT=${HK_FMU_KERNEL} -P
          ${PROJECT_SOURCE_DIR}/cmake/HookeFmuPack.cmake
  DEPENDS hooke_fmu ${kernel_list} ${kernel_sources} ${entry_sources} ${kernel_headers}
          ${PROJECT_SOURCE_DIR}/cmake/HookeFmuPack.cmake)
add_custom_target(hooke_fmu_kernel ALL DEPENDS ${HK_FMU_KERNEL})
