# SPDX-License-Identifier: Apache-2.0
#
# Checks of the tree, of the built libraries, and of what is installed.
find_program(PYTHON python3 REQUIRED)
find_program(MANDOC mandoc REQUIRED)
find_program(SHELLCHECK shellcheck REQUIRED)
find_program(CLANG clang REQUIRED)

function(cw_check name)
    add_test(NAME check:${name} COMMAND ${ARGN}
             WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    set_tests_properties(check:${name} PROPERTIES LABELS check TIMEOUT 120
        ENVIRONMENT
        "CLOCKWISE=${PROJECT_BINARY_DIR}/bin/clockwise;CW_BUILD_DIR=${PROJECT_BINARY_DIR};CW_SOURCE_DIR=${PROJECT_SOURCE_DIR};CC=${CMAKE_C_COMPILER}")
endfunction()

foreach(script includes tree symbols)
    cw_check(${script}-self-test ${PYTHON} scripts/check-${script} --self-test)
endforeach()
cw_check(includes ${PYTHON} scripts/check-includes)
cw_check(tree ${PYTHON} scripts/check-tree)

foreach(section 1 3 5 7 8)
    file(GLOB pages CONFIGURE_DEPENDS
         ${PROJECT_SOURCE_DIR}/docs/man/*.${section})
    foreach(page ${pages})
        get_filename_component(name ${page} NAME)
        cw_check(man-${name} ${MANDOC} -T lint -W warning ${page})
    endforeach()
endforeach()

cw_check(shellcheck ${PROJECT_SOURCE_DIR}/scripts/check-shell)

cw_check(symbols ${PYTHON} scripts/check-symbols)

file(GLOB scripts CONFIGURE_DEPENDS
     ${PROJECT_SOURCE_DIR}/tests/build/test_*.sh
     ${PROJECT_SOURCE_DIR}/tests/build/test_*.py)
foreach(script ${scripts})
    get_filename_component(stem ${script} NAME_WE)
    string(REPLACE "test_" "" stem ${stem})
    cw_check(${stem} ${script})
endforeach()

find_program(NODE NAMES node nodejs REQUIRED)
add_executable(wasm_owners tests/build/wasm_owners.c)
set_target_properties(wasm_owners PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/build)
target_link_libraries(wasm_owners PRIVATE
    clockwise_static clockwise_flags m)
cw_check(wasm ${NODE} ${PROJECT_SOURCE_DIR}/tests/build/test_wasm.mjs
         ${PROJECT_BINARY_DIR}/wasm/clockwise.wasm
         ${PROJECT_BINARY_DIR}/tests/build/wasm_owners)
