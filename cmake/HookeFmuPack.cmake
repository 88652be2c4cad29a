# SPDX-License-Identifier: Apache-2.0
# Packs the kernel of FMUs: the program as binaries/linux64.so, the sources below sources/.
set(stage ${BUILD}/fmu-kernel)
file(REMOVE_RECURSE ${stage})
file(STRINGS ${LIST} files)
foreach(file IN LISTS files)
  string(REPLACE "${SOURCE}/src/" "" name "${file}")
  string(REPLACE "${SOURCE}/include/" "" name "${name}")
  get_filename_component(folder ${name} DIRECTORY)
  file(COPY ${file} DESTINATION ${stage}/sources/${folder})
endforeach()
file(COPY ${BUILD}/include/hooke/version.h DESTINATION ${stage}/sources/hooke)
# that these are the sources of an FMU is said in the header that all see
file(READ ${SOURCE}/include/hooke/export.h text)
file(WRITE ${stage}/sources/hooke/export.h "#define HK_KERNEL 1\n${text}")
file(COPY ${SOURCE}/LICENSE DESTINATION ${stage}/documentation/licenses)
file(MAKE_DIRECTORY ${stage}/binaries)
file(COPY_FILE ${PROGRAM} ${stage}/binaries/linux64.so)
execute_process(
  COMMAND ${CMAKE_COMMAND} -E tar cf ${OUT} --format=zip "--mtime=1980-01-01 00:00:00" binaries documentation sources
  WORKING_DIRECTORY ${stage} RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "the kernel of FMUs could not be packed")
endif()
