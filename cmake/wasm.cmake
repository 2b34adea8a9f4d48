# SPDX-License-Identifier: Apache-2.0
#
# The library for wasm32, in build/wasm. No module imports anything:
#
#   clockwise.wasm       every CW_API function, malloc and free
#   clockwise-js.wasm    what bindings/js calls: the npm package
#   clockwise-page.wasm  that and the readers of fleet files: the page
#
# libc comes from wasi-libc, as an archive: only what the library calls is
# linked, and none of that reaches the system. wasm-ld would list a missing
# function as an error, not as an import.
find_program(WASM_CC clang)
find_program(WASM_LD wasm-ld)
find_program(WASM_OPT wasm-opt)
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
if(NOT WASM_OPT)
    list(APPEND wasm_missing binaryen)
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

# The library's objects, what bindings/wasm adds, and the readers of conf/.
file(GLOB flat_sources CONFIGURE_DEPENDS
     ${PROJECT_SOURCE_DIR}/bindings/wasm/*.c)
file(GLOB conf_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/conf/*.c)
list(REMOVE_ITEM conf_sources ${PROJECT_SOURCE_DIR}/conf/conf_yaml.c)
foreach(stem arena buf diag str width)
    list(APPEND conf_sources ${PROJECT_SOURCE_DIR}/base/${stem}.c)
endforeach()
set(wasm_features -mbulk-memory -msign-ext -mnontrapping-fptoint)
# wasm_object(OBJECT SOURCE [FLAG...])
function(wasm_object object source)
    set(include ${PROJECT_SOURCE_DIR})
    if(source IN_LIST lib_sources)
        set(include ${PROJECT_SOURCE_DIR}/lib)
    endif()
    # small before fast: the page carries it all
    add_custom_command(OUTPUT ${object}
        COMMAND ${WASM_CC} --target=wasm32-wasi -std=c11 -Oz -DNDEBUG
                -DCWI_SMALL -DCONF_READ_ONLY ${ARGN} ${wasm_features}
                -nostdlibinc -isystem ${WASI_INCLUDE}
                -isystem ${wasm_dir}/include
                -I${PROJECT_SOURCE_DIR}/include -I${include}
                -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror
                -fvisibility=hidden -ffp-contract=off
                -MD -MF ${object}.d -MT ${object} -c ${source} -o ${object}
        DEPENDS ${source} DEPFILE ${object}.d
        COMMENT "wasm32 ${object}" VERBATIM)
endfunction()
foreach(source ${lib_sources} ${flat_sources} ${conf_sources})
    get_filename_component(stem ${source} NAME_WE)
    set(object_${stem} ${wasm_dir}/obj/${stem}.o)
    wasm_object(${object_${stem}} ${source})
endforeach()
# The page's rows lack what it never calls (CWI_UNLESS_PAGE).
set(page_objects "")
foreach(source ${lib_sources})
    get_filename_component(stem ${source} NAME_WE)
    list(APPEND page_objects ${wasm_dir}/obj/page_${stem}.o)
    wasm_object(${wasm_dir}/obj/page_${stem}.o ${source} -DCWI_PAGE)
endforeach()

function(wasm_objects out)
    foreach(source ${ARGN})
        get_filename_component(stem ${source} NAME_WE)
        list(APPEND objects ${object_${stem}})
    endforeach()
    set(${out} ${objects} PARENT_SCOPE)
endfunction()
wasm_objects(library_objects ${lib_sources}
             ${PROJECT_SOURCE_DIR}/bindings/wasm/wasm_alloc.c)
wasm_objects(js_objects ${lib_sources} ${flat_sources})
list(REMOVE_ITEM js_objects ${object_wasm_conf})
wasm_objects(flat_objects ${flat_sources} ${conf_sources})
list(APPEND page_objects ${flat_objects})

# wasm_exports(OUT SOURCE...): what TypeScript calls, by name
function(wasm_exports out)
    foreach(source ${ARGN})
        file(READ ${source} text)
        string(REGEX MATCHALL "'(cw|flat)_[a-z0-9_]+'" names "${text}")
        list(APPEND exports ${names})
        set_property(DIRECTORY APPEND PROPERTY
                     CMAKE_CONFIGURE_DEPENDS ${source})
    endforeach()
    list(REMOVE_DUPLICATES exports)
    list(TRANSFORM exports REPLACE "'(.*)'" "--export=\\1")
    set(${out} ${exports} PARENT_SCOPE)
endfunction()
file(GLOB js_sources CONFIGURE_DEPENDS
     ${PROJECT_SOURCE_DIR}/bindings/js/src/*.ts)
list(FILTER js_sources EXCLUDE REGEX "/wasm.ts$")
wasm_exports(js_exports ${js_sources})
wasm_exports(page_exports ${PROJECT_SOURCE_DIR}/bindings/js/src/core.ts
             ${PROJECT_SOURCE_DIR}/bindings/js/src/memory.ts
             ${PROJECT_SOURCE_DIR}/web/src/conf.ts)
# check() of a map is for tests; the page never calls it
list(REMOVE_ITEM page_exports --export=cw_map_check)

# wasm_link(FILE EXPORTS OBJECT...)
function(wasm_link file exports)
    add_custom_command(OUTPUT ${wasm_dir}/${file}
        COMMAND ${WASM_LD} --no-entry ${exports} --export=malloc --export=free
                --gc-sections --strip-all -z stack-size=65536 ${ARGN}
                -L${WASI_LIB} -lc ${wasm_builtins}
                -o ${wasm_dir}/obj/${file}
        # nothing lies below 1024, where wasm-ld puts the first data
        COMMAND ${WASM_OPT} --low-memory-unused --flatten --rereloop -Oz -Oz
                --converge --enable-bulk-memory
                --enable-sign-ext --enable-nontrapping-float-to-int
                --enable-mutable-globals ${wasm_dir}/obj/${file}
                -o ${wasm_dir}/${file}
        DEPENDS ${ARGN} COMMENT "build/wasm/${file}" VERBATIM)
endfunction()
wasm_link(clockwise.wasm --export-dynamic ${library_objects})
wasm_link(clockwise-js.wasm "${js_exports}" ${js_objects})
wasm_link(clockwise-page.wasm "${page_exports}" ${page_objects})

add_custom_target(wasm
    DEPENDS ${wasm_dir}/clockwise.wasm ${wasm_dir}/clockwise-js.wasm
            ${wasm_dir}/clockwise-page.wasm)
