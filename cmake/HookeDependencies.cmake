# SPDX-License-Identifier: Apache-2.0
# The libraries outside, each behind one room and one feature:
#   hk_dep_linalg  SuiteSparse KLU      HK_WITH_KLU
#   hk_dep_integrators  SUNDIALS IDA    HK_WITH_SUNDIALS
#   hk_dep_formats  libyaml             HK_WITH_YAML
#   hk_dep_results  zlib                HK_WITH_NETCDF (the command packs pictures with zlib too)
#                   HDF5                HK_WITH_HDF5
#   hk_dep_fmi     zlib                 always (archives)

find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)

# pictures (the command) and compressed results are packed by zlib
pkg_check_modules(ZLIB REQUIRED IMPORTED_TARGET zlib)

add_library(hk_dep_linalg INTERFACE)
add_library(hk_dep_integrators INTERFACE)
add_library(hk_dep_formats INTERFACE)
add_library(hk_dep_results INTERFACE)
add_library(hk_dep_modules INTERFACE)
add_library(hk_dep_fmi INTERFACE)
target_link_libraries(hk_dep_fmi INTERFACE PkgConfig::ZLIB ${CMAKE_DL_LIBS})
target_link_libraries(hk_dep_modules INTERFACE ${CMAKE_DL_LIBS})

# SUNDIALS up to 5 has another interface; the systems that have it can do without its integrator
if(HK_WITH_SUNDIALS)
  find_path(SUNDIALS_CONFIG_DIR sundials/sundials_config.h)
  set(version_line "")
  if(SUNDIALS_CONFIG_DIR)
    file(STRINGS ${SUNDIALS_CONFIG_DIR}/sundials/sundials_config.h version_line
         REGEX "define +SUNDIALS_VERSION_MAJOR")
  endif()
  if(version_line MATCHES "MAJOR +([0-9]+)" AND CMAKE_MATCH_1 LESS 6)
    message(WARNING "SUNDIALS ${CMAKE_MATCH_1} is too old, 6 is needed: built without integrator 'bdf'")
    set(HK_WITH_SUNDIALS OFF)
  endif()
endif()

function(hk_need found feature package)
  if(NOT ${found})
    message(FATAL_ERROR "${feature} is ON but its library was not found. Install ${package} "
                        "(scripts/install-deps does) or configure with -D${feature}=OFF.")
  endif()
endfunction()

if(HK_WITH_KLU)
  find_path(KLU_INCLUDE_DIR klu.h PATH_SUFFIXES suitesparse)
  find_library(KLU_LIBRARY klu)
  hk_need(KLU_LIBRARY HK_WITH_KLU libsuitesparse-dev)
  target_include_directories(hk_dep_linalg SYSTEM INTERFACE ${KLU_INCLUDE_DIR})
  target_link_libraries(hk_dep_linalg INTERFACE ${KLU_LIBRARY})
endif()

if(HK_WITH_SUNDIALS)
  find_path(IDA_INCLUDE_DIR ida/ida.h)
  find_library(IDA_LIBRARY sundials_ida)
  find_library(NVECSERIAL_LIBRARY sundials_nvecserial)
  hk_need(IDA_LIBRARY HK_WITH_SUNDIALS libsundials-dev)
  hk_need(NVECSERIAL_LIBRARY HK_WITH_SUNDIALS libsundials-dev)
  target_include_directories(hk_dep_integrators SYSTEM INTERFACE ${IDA_INCLUDE_DIR})
  target_link_libraries(hk_dep_integrators INTERFACE ${IDA_LIBRARY} ${NVECSERIAL_LIBRARY})
endif()

if(HK_WITH_YAML)
  pkg_check_modules(YAML IMPORTED_TARGET yaml-0.1)
  hk_need(YAML_FOUND HK_WITH_YAML libyaml-dev)
  target_link_libraries(hk_dep_formats INTERFACE PkgConfig::YAML)
endif()

if(HK_WITH_NETCDF)
  target_link_libraries(hk_dep_results INTERFACE PkgConfig::ZLIB)
endif()

if(HK_WITH_HDF5)
  # Results that other programs wrote anew are read with HDF5, on which NetCDF-4 stands. It brings
  # thirty other libraries and is loaded when the first such result is read (src/results/hdf5/library.c).
  pkg_search_module(HDF5 IMPORTED_TARGET hdf5-serial hdf5)
  hk_need(HDF5_FOUND HK_WITH_HDF5 libhdf5-dev)
  if(HK_HDF5_LINK)
    target_compile_definitions(hk_dep_results INTERFACE HK_HDF5_LINK=1)
    target_link_libraries(hk_dep_results INTERFACE PkgConfig::HDF5)
  else()
    # the name that programs ask the loader for, and the file that has it here
    find_library(HDF5_LIBRARY hdf5 HINTS ${HDF5_LIBRARY_DIRS} NO_CACHE)
    hk_need(HDF5_LIBRARY HK_WITH_HDF5 libhdf5-dev)
    file(REAL_PATH ${HDF5_LIBRARY} hdf5_file)
    get_filename_component(hdf5_soname ${hdf5_file} NAME)
    if(CMAKE_OBJDUMP)
      execute_process(COMMAND ${CMAKE_OBJDUMP} -p ${hdf5_file} OUTPUT_VARIABLE header ERROR_QUIET)
      if(header MATCHES "SONAME +([^ \n]+)")
        set(hdf5_soname ${CMAKE_MATCH_1})
      endif()
    endif()
    target_include_directories(hk_dep_results SYSTEM INTERFACE ${HDF5_INCLUDE_DIRS})
    target_compile_definitions(hk_dep_results INTERFACE HK_HDF5_SONAME="${hdf5_soname}"
                                                        HK_HDF5_FILE="${hdf5_file}")
    target_link_libraries(hk_dep_results INTERFACE ${CMAKE_DL_LIBS})
  endif()
endif()
