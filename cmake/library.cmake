# SPDX-License-Identifier: Apache-2.0
#
# libclockwise: compiled once, as position-independent code, and packed twice.
file(GLOB lib_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/lib/*/*.c)
file(GLOB lib_public CONFIGURE_DEPENDS
     ${PROJECT_SOURCE_DIR}/include/clockwise/*.h)

add_library(clockwise_objects OBJECT ${lib_sources})
set_target_properties(clockwise_objects PROPERTIES
    POSITION_INDEPENDENT_CODE ON)
target_link_libraries(clockwise_objects PRIVATE clockwise_flags)
target_include_directories(clockwise_objects PRIVATE
    ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/lib)

add_library(clockwise_static STATIC $<TARGET_OBJECTS:clockwise_objects>)
add_library(clockwise_shared SHARED $<TARGET_OBJECTS:clockwise_objects>)
set_target_properties(clockwise_static PROPERTIES
    OUTPUT_NAME clockwise EXPORT_NAME static LINKER_LANGUAGE C)
# The SONAME counts incompatible changes of the interface; it is not the
# release number.
set_target_properties(clockwise_shared PROPERTIES
    OUTPUT_NAME clockwise EXPORT_NAME shared LINKER_LANGUAGE C
    VERSION ${PROJECT_VERSION} SOVERSION 0)
foreach(lib clockwise_static clockwise_shared)
    target_include_directories(${lib} INTERFACE
        $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
        $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
endforeach()
# A sanitizer's run-time library is the program's business: libclockwise.so
# leaves those symbols open, which -z defs would refuse.
if(CLOCKWISE_SANITIZE)
    target_link_options(clockwise_shared PRIVATE
        -fsanitize=${CLOCKWISE_SANITIZE})
elseif(NOT CLOCKWISE_FUZZ)
    target_link_options(clockwise_shared PRIVATE -Wl,-z,defs)
endif()
add_library(clockwise::static ALIAS clockwise_static)
add_library(clockwise::shared ALIAS clockwise_shared)
# As clockwise-config.cmake.in has it for those who find the package.
if(DEFINED BUILD_SHARED_LIBS AND NOT BUILD_SHARED_LIBS)
    add_library(clockwise::clockwise ALIAS clockwise_static)
else()
    add_library(clockwise::clockwise ALIAS clockwise_shared)
endif()
