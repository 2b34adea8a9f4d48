# SPDX-License-Identifier: Apache-2.0
#
# cmake --install: libraries, headers, CMake package, clockwise.pc, programs,
# manual pages, completion.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/clockwise)

install(TARGETS clockwise_static clockwise_shared EXPORT clockwise
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES ${lib_public} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/clockwise)
install(EXPORT clockwise NAMESPACE clockwise:: DESTINATION ${package_dir}
        FILE clockwise-targets.cmake)
configure_package_config_file(cmake/clockwise-config.cmake.in
    ${PROJECT_BINARY_DIR}/package/clockwise-config.cmake
    INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(
    ${PROJECT_BINARY_DIR}/package/clockwise-config-version.cmake
    COMPATIBILITY SameMinorVersion)
# Relative to itself, so that an installed tree can be moved.
file(RELATIVE_PATH pc_up /p/${CMAKE_INSTALL_LIBDIR}/pkgconfig /p)
configure_file(cmake/clockwise.pc.in
    ${PROJECT_BINARY_DIR}/package/clockwise.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/package/clockwise-config.cmake
              ${PROJECT_BINARY_DIR}/package/clockwise-config-version.cmake
        DESTINATION ${package_dir})
install(FILES ${PROJECT_BINARY_DIR}/package/clockwise.pc
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

if(TARGET clockwise)
    install(TARGETS clockwise DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
foreach(section 1 3 5 7 8)
    file(GLOB pages CONFIGURE_DEPENDS
         ${PROJECT_SOURCE_DIR}/docs/man/*.${section})
    if(pages)
        install(FILES ${pages}
                DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section})
    endif()
endforeach()
# cli/clockwise.bash becomes completions/clockwise.
file(GLOB completions CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/cli/*.bash)
foreach(file ${completions})
    get_filename_component(name ${file} NAME_WE)
    install(FILES ${file} RENAME ${name} DESTINATION
            ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
endforeach()
