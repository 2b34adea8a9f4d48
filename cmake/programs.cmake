# SPDX-License-Identifier: Apache-2.0
#
# The programs, from base/, conf/ and cli/. All but main.c is an archive, so
# that tests can link single files of it.
add_custom_target(programs DEPENDS clockwise_static clockwise_shared)

file(GLOB app_sources CONFIGURE_DEPENDS
     ${PROJECT_SOURCE_DIR}/base/*.c
     ${PROJECT_SOURCE_DIR}/conf/*.c
     ${PROJECT_SOURCE_DIR}/cli/*.c
     ${PROJECT_SOURCE_DIR}/cli/*/*.c)
list(REMOVE_ITEM app_sources ${PROJECT_SOURCE_DIR}/cli/main.c)

# Compiled against the public interface only; check-includes holds the rest.
add_library(clockwise_app_flags INTERFACE)
target_link_libraries(clockwise_app_flags INTERFACE clockwise_flags)
target_include_directories(clockwise_app_flags INTERFACE
    ${PROJECT_SOURCE_DIR})
target_compile_definitions(clockwise_app_flags INTERFACE
    _POSIX_C_SOURCE=200809L CLOCKWISE_VERSION="${PROJECT_VERSION}")

# The table that `clockwise claims` measures and tests/claims compares, as an
# array: one table for both.
if(EXISTS ${PROJECT_SOURCE_DIR}/tests/claims/claims.tsv)
    set(claims_table ${PROJECT_SOURCE_DIR}/tests/claims/claims.tsv)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
                 ${claims_table})
    file(READ ${claims_table} claims_hex HEX)
    string(REGEX REPLACE "(..)" "0x\\1," claims_bytes "${claims_hex}")
    file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/claims_data.c
         CONTENT "#include \"cli/claims/claims.h\"

const unsigned char claims_data[] = {
@claims_bytes@};
const size_t claims_data_len = sizeof claims_data;
" @ONLY)
    list(APPEND app_sources ${PROJECT_BINARY_DIR}/generated/claims_data.c)
endif()

if(CLOCKWISE_TOOL AND app_sources)
    find_package(PkgConfig REQUIRED)
    pkg_check_modules(YAML REQUIRED IMPORTED_TARGET yaml-0.1)
    pkg_check_modules(ZLIB REQUIRED IMPORTED_TARGET zlib)
    pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
    pkg_check_modules(PCAP REQUIRED IMPORTED_TARGET libpcap)
    pkg_check_modules(NCURSES REQUIRED IMPORTED_TARGET ncursesw)

    add_library(clockwise_app STATIC ${app_sources})
    set_target_properties(clockwise_app PROPERTIES
        ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/internal)
    target_link_libraries(clockwise_app
        PUBLIC clockwise_static PkgConfig::YAML PkgConfig::ZLIB PkgConfig::ZSTD
               m
        # their macros (_XOPEN_SOURCE) are not for those who use the archive
        PRIVATE clockwise_app_flags PkgConfig::PCAP PkgConfig::NCURSES)
endif()

if(TARGET clockwise_app AND EXISTS ${PROJECT_SOURCE_DIR}/cli/main.c)
    add_executable(clockwise cli/main.c)
    target_link_libraries(clockwise PRIVATE clockwise_app clockwise_app_flags)
    add_dependencies(programs clockwise)
endif()
