# SPDX-License-Identifier: Apache-2.0
# Writes the manual pages that the command prints: hooke.1, and hooke-VERB.1 for each verb.
#   cmake -DHOOKE=command -DOUT=folder -P HookeMan.cmake
execute_process(COMMAND ${HOOKE} help --names OUTPUT_VARIABLE verbs RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "'${HOOKE} help --names' failed: ${failed}")
endif()
string(REGEX MATCHALL "[^\n]+" verbs "${verbs}")
file(REMOVE_RECURSE ${OUT})
file(MAKE_DIRECTORY ${OUT})
execute_process(COMMAND ${HOOKE} help --man OUTPUT_FILE ${OUT}/hooke.1 RESULT_VARIABLE failed)
foreach(verb IN LISTS verbs)
  if(failed)
    break()
  endif()
  execute_process(COMMAND ${HOOKE} help --man ${verb} OUTPUT_FILE ${OUT}/hooke-${verb}.1
                  RESULT_VARIABLE failed)
endforeach()
if(failed)
  file(REMOVE_RECURSE ${OUT})
  message(FATAL_ERROR "'${HOOKE} help --man ${verb}' failed: ${failed}")
endif()
