# SPDX-License-Identifier: Apache-2.0
#
# The same tests in other builds, all in this one ctest run:
#
#   build:dev    gcc, warnings are errors, assertions on; then valgrind:NAME
#   build:asan   clang, warnings are errors; then asan:NAME
#   build:tsan   clang, thread sanitizer; then tsan:NAME for tests/stress
#   build:wasm   wasm32, warnings are errors; then check:wasm
#
# Each build is a fixture: when it fails, it and all tests that need it fail.
include(ProcessorCount)
ProcessorCount(processors)
if(processors LESS 1)
    set(processors 1)
endif()

function(cw_variant name preset)
    add_test(NAME build:${name}
             COMMAND ${PROJECT_SOURCE_DIR}/scripts/build ${preset} ${ARGN}
             WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    set_tests_properties(build:${name} PROPERTIES
        FIXTURES_SETUP ${name} PROCESSORS ${processors} TIMEOUT 900
        LABELS build)
endfunction()

# cw_repeat(VARIANT PREFIX NAME [WRAPPER...])
function(cw_repeat variant prefix name)
    string(REPLACE "${PROJECT_BINARY_DIR}/"
           "${PROJECT_BINARY_DIR}/${variant}/"
           command "${test_command_${name}}")
    cw_test_in(${prefix}: ${PROJECT_BINARY_DIR}/${variant} ${name}
               ${test_room_${name}} ${ARGN} ${command})
    set_tests_properties(${prefix}:${name} PROPERTIES
        FIXTURES_REQUIRED ${variant} LABELS "${test_room_${name}};${prefix}")
endfunction()

cw_variant(dev dev)
cw_variant(asan asan)
cw_variant(tsan tsan stress_tests)
cw_variant(wasm release wasm)
set_tests_properties(check:wasm PROPERTIES FIXTURES_REQUIRED wasm)

find_program(VALGRIND valgrind REQUIRED)
# Valgrind sees reads of memory that was never written, which the sanitizers
# do not, at twenty times the cost. These take from ten seconds to a minute
# each under it, and the others run through most of the same code.
set(without_valgrind
    unit_algo_jump unit_algo_slots unit_alloc unit_ask unit_derive unit_diff
    unit_image unit_live unit_placement unit_points unit_slots_roles)
foreach(name ${test_names})
    if(test_room_${name} STREQUAL "bench")
        continue()      # counts instructions of the build that users get
    endif()
    if(test_room_${name} STREQUAL "stress")
        cw_repeat(tsan tsan ${name})
        continue()
    endif()
    cw_repeat(asan asan ${name})
    if(test_room_${name} STREQUAL "unit" AND
       NOT name IN_LIST without_valgrind)
        cw_repeat(dev valgrind ${name} ${VALGRIND} --quiet --error-exitcode=99
                  --leak-check=full --errors-for-leak-kinds=definite,possible)
    endif()
endforeach()
