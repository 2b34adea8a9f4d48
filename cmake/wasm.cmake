# SPDX-License-Identifier: Apache-2.0
#
# The library for wasm32: build/wasm/clockwise.wasm exports every CW_API
# function, malloc and free, and imports nothing.
#
# libc comes from wasi-libc, as an archive: only what the library calls is
# linked, and none of that reaches the system. wasm-ld would list a missing
# function as an error, not as an import.
find_program(WASM_CC clang)
find_program(WASM_LD wasm-ld)
set(WASI_INCLUDE /usr/include/wasm32-wasi CACHE PATH "Headers of wasi-libc")
set(WASI_LIB /usr/lib/wasm32-wasi CACHE PATH "libc.a of wasi-libc")
set(wasm_builtins "")
if(WASM_CC)
    execute_process(COMMAND ${WASM_CC} --target=wasm32-wasi
                            -rtlib=compiler-rt -print-libgcc-file-name
                    OUTPUT_VARIABLE wasm_builtins ERROR_QUIET
                    OUTPUT_STRIP_TRAILING_WHITESPACE)
endif()
find_path(XXHASH_INCLUDE xxhash.h)

set(wasm_missing "")
if(NOT WASM_CC)
    list(APPEND wasm_missing clang)
endif()
if(NOT WASM_LD)
    list(APPEND wasm_missing lld)
endif()
if(NOT EXISTS ${WASI_LIB}/libc.a OR NOT EXISTS ${WASI_INCLUDE}/stdlib.h)
    list(APPEND wasm_missing wasi-libc)
endif()
if(NOT wasm_builtins OR NOT EXISTS ${wasm_builtins})
    list(APPEND wasm_missing libclang-rt-14-dev-wasm32)
endif()

if(wasm_missing)
    list(JOIN wasm_missing " " wasm_missing)
    if(CLOCKWISE_FULL_TESTS)
        message(FATAL_ERROR "The WebAssembly test needs the Debian packages "
                "${wasm_missing}; scripts/setup installs them.")
    endif()
    add_custom_target(wasm
        COMMAND ${CMAKE_COMMAND} -E echo
            "make wasm needs the Debian packages ${wasm_missing}"
        COMMAND ${CMAKE_COMMAND} -E false VERBATIM)
    return()
endif()

set(wasm_dir ${PROJECT_BINARY_DIR}/wasm)
# A copy, since the rest of /usr/include belongs to another machine.
file(MAKE_DIRECTORY ${wasm_dir}/include ${wasm_dir}/obj)
configure_file(${XXHASH_INCLUDE}/xxhash.h ${wasm_dir}/include/xxhash.h
               COPYONLY)

# The library's objects, and what bindings/wasm adds for JavaScript.
file(GLOB flat_sources CONFIGURE_DEPENDS
     ${PROJECT_SOURCE_DIR}/bindings/wasm/*.c
     ${PROJECT_SOURCE_DIR}/conf/*.c)
list(REMOVE_ITEM flat_sources ${PROJECT_SOURCE_DIR}/conf/conf_yaml.c)
foreach(stem arena buf diag str)
    list(APPEND flat_sources ${PROJECT_SOURCE_DIR}/base/${stem}.c)
endforeach()
set(wasm_objects "")
set(flat_objects "")
foreach(source ${lib_sources} ${flat_sources})
    get_filename_component(stem ${source} NAME_WE)
    set(object ${wasm_dir}/obj/${stem}.o)
    # small before fast where no look-up passes: the page carries it all
    set(flags -Os -I${PROJECT_SOURCE_DIR}/lib)
    if(source MATCHES "/lib/(compat|algo)/")
        set(flags -Oz -I${PROJECT_SOURCE_DIR}/lib)
    endif()
    if(source IN_LIST flat_sources)
        set(flags -Oz -I${PROJECT_SOURCE_DIR})
    endif()
    add_custom_command(OUTPUT ${object}
        COMMAND ${WASM_CC} --target=wasm32-wasi -std=c11 -DNDEBUG
                -nostdlibinc -isystem ${WASI_INCLUDE}
                -isystem ${wasm_dir}/include
                -I${PROJECT_SOURCE_DIR}/include ${flags}
                -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror
                -fvisibility=hidden -ffp-contract=off
                -MD -MF ${object}.d -MT ${object} -c ${source} -o ${object}
        DEPENDS ${source} DEPFILE ${object}.d
        COMMENT "wasm32 ${stem}.c" VERBATIM)
    if(source IN_LIST flat_sources)
        list(APPEND flat_objects ${object})
    else()
        list(APPEND wasm_objects ${object})
    endif()
endforeach()

# What the JavaScript side calls, by name.
file(GLOB js_sources CONFIGURE_DEPENDS
     ${PROJECT_SOURCE_DIR}/bindings/js/src/*.ts)
list(APPEND js_sources ${PROJECT_SOURCE_DIR}/web/src/conf.ts)
list(FILTER js_sources EXCLUDE REGEX "/wasm.ts$")
set(js_exports "")
foreach(source ${js_sources})
    file(READ ${source} text)
    string(REGEX MATCHALL "'(cw|flat)_[a-z0-9_]+'" names "${text}")
    list(APPEND js_exports ${names})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
endforeach()
list(REMOVE_DUPLICATES js_exports)
list(TRANSFORM js_exports REPLACE "'(.*)'" "--export=\\1")

# wasm_link(FILE EXPORTS OBJECT...)
function(wasm_link file exports)
    add_custom_command(OUTPUT ${wasm_dir}/${file}
        COMMAND ${WASM_LD} --no-entry ${exports} --export=malloc --export=free
                --gc-sections --strip-all -z stack-size=65536 ${ARGN}
                -L${WASI_LIB} -lc-printscan-no-floating-point -lc
                ${wasm_builtins}
                -o ${wasm_dir}/${file}
        DEPENDS ${ARGN} COMMENT "build/wasm/${file}" VERBATIM)
endfunction()
wasm_link(clockwise.wasm --export-dynamic ${wasm_objects})
wasm_link(clockwise-js.wasm "${js_exports}" ${wasm_objects} ${flat_objects})

add_custom_target(wasm
    DEPENDS ${wasm_dir}/clockwise.wasm ${wasm_dir}/clockwise-js.wasm)
