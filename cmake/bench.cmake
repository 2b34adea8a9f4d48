# SPDX-License-Identifier: Apache-2.0
#
# bench/micro/*.c: one question a file; `make bench` builds and runs them.
file(GLOB benches CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bench/micro/*.c)
add_custom_target(benches)
foreach(source ${benches})
    get_filename_component(name ${source} NAME_WE)
    add_executable(${name} EXCLUDE_FROM_ALL ${source})
    set_target_properties(${name} PROPERTIES
        RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bench)
    target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/lib)
    target_compile_definitions(${name} PRIVATE _POSIX_C_SOURCE=200809L)
    target_link_libraries(${name} PRIVATE clockwise_static clockwise_flags m)
    add_dependencies(benches ${name})
endforeach()
