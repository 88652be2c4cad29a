# SPDX-License-Identifier: Apache-2.0
# make install: the library, the command, its manual pages, public headers, the CMake package and the pkg-config file.
include(CMakePackageConfigHelpers)

install(TARGETS hooke EXPORT hookeTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET hooke_cli)
  install(TARGETS hooke_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(FILES ${HK_FMU_KERNEL} ${HK_GUEST} DESTINATION ${CMAKE_INSTALL_LIBDIR}/hooke)
if(HK_MAN)
  install(DIRECTORY ${HK_MAN}/ DESTINATION ${CMAKE_INSTALL_MANDIR})
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/hooke ${PROJECT_BINARY_DIR}/include/hooke
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h" PATTERN "*.def")
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/NOTICE
              ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md
              ${PROJECT_SOURCE_DIR}/CITATION.cff DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES ${PROJECT_SOURCE_DIR}/share/hooke/model.schema.json
              ${PROJECT_SOURCE_DIR}/share/hooke/study.schema.json
        DESTINATION ${CMAKE_INSTALL_DATADIR}/hooke)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples/ DESTINATION ${CMAKE_INSTALL_DATADIR}/hooke/examples)

# find_package(hooke) gives the target hooke::hooke and the function hooke_add_module
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/hooke)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/hookeConfig.cmake.in hookeConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(hookeConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(EXPORT hookeTargets NAMESPACE hooke:: DESTINATION ${package_dir})
install(FILES ${PROJECT_SOURCE_DIR}/cmake/HookeModule.cmake ${PROJECT_BINARY_DIR}/hookeConfig.cmake ${PROJECT_BINARY_DIR}/hookeConfigVersion.cmake
        DESTINATION ${package_dir})

# pkg-config --cflags --libs hooke; relative to the file's own place, so that the tree can be moved
file(RELATIVE_PATH HK_PC_UP ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(${PROJECT_SOURCE_DIR}/cmake/hooke.pc.in hooke.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/hooke.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
