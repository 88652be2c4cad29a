# SPDX-License-Identifier: Apache-2.0
# Reads cmake/rooms.table and makes one object library hk_<room> per folder of src/.
#   HK_ROOMS           all rooms, lowest first
#   HK_LINK_<room>     the room and everything below it, for its tests

set(HK_ROOM_TABLE ${CMAKE_CURRENT_SOURCE_DIR}/cmake/rooms.table)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${HK_ROOM_TABLE})
file(STRINGS ${HK_ROOM_TABLE} HK_ROOM_LINES REGEX "^[a-z]+:")

set(HK_ROOMS "")
foreach(line IN LISTS HK_ROOM_LINES)
  string(REGEX REPLACE ":.*" "" room "${line}")
  string(REGEX REPLACE "^[a-z]+:" "" arrows "${line}")
  string(REGEX MATCHALL "[^ ]+" arrows "${arrows}")
  list(APPEND HK_ROOMS ${room})
  set(link ${room})
  foreach(arrow IN LISTS arrows)
    string(REGEX REPLACE "/.*" "" arrow "${arrow}")
    if(NOT DEFINED HK_LINK_${arrow})
      message(FATAL_ERROR "cmake/rooms.table: '${room}' sees '${arrow}', which is not a room above it")
    endif()
    list(APPEND link ${HK_LINK_${arrow}})
  endforeach()
  list(REMOVE_DUPLICATES link)
  set(HK_LINK_${room} ${link})
endforeach()

# every folder of src/ must be in the table
file(GLOB folders RELATIVE ${CMAKE_CURRENT_SOURCE_DIR}/src ${CMAKE_CURRENT_SOURCE_DIR}/src/*)
foreach(folder IN LISTS folders)
  if(IS_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}/src/${folder} AND NOT folder IN_LIST HK_ROOMS)
    message(FATAL_ERROR "src/${folder} is not in cmake/rooms.table")
  endif()
endforeach()

# one object library per room; a room of headers only (or none yet) has none
foreach(room IN LISTS HK_ROOMS)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/src/${room}/*.c)
  if(sources)
    add_library(hk_${room} OBJECT ${sources})
    target_compile_definitions(hk_${room} PRIVATE HK_BUILDING)
    target_include_directories(hk_${room} PRIVATE ${HK_INCLUDE_DIRS})
    target_link_libraries(hk_${room} PRIVATE hk_flags hk_strict hk_guided)
    if(room IN_LIST HK_QUICK)
      target_compile_options(hk_${room} PRIVATE -O0)
    endif()
    if(TARGET hk_dep_${room})
      target_link_libraries(hk_${room} PRIVATE hk_dep_${room})
    endif()
  endif()
endforeach()

# the objects and outside libraries of a list of rooms
function(hk_use_rooms target)
  foreach(room IN LISTS ARGN)
    if(TARGET hk_${room})
      target_sources(${target} PRIVATE $<TARGET_OBJECTS:hk_${room}>)
    endif()
    if(TARGET hk_dep_${room})
      target_link_libraries(${target} PRIVATE hk_dep_${room})
    endif()
  endforeach()
  target_link_libraries(${target} PRIVATE m)
endfunction()
