# SPDX-License-Identifier: Apache-2.0
#
# Tests, by room:
#
#   tests/unit/test_*.c                     -> unit_NAME
#   tests/prop|golden|cases|claims|stress/*.c -> ROOM_NAME
#   tests/ROOM/test_*.sh, test_*.py         -> ROOM_NAME   (not tests/build)
#   fuzz/fuzz_NAME.c and its corpus         -> fuzz_NAME
#
# A test program is linked with tests/harness, tests/ref, the programs' own
# archive and the static library, whose hidden functions it may call. It runs
# in the source folder; CW_SOURCE_DIR, CW_TEST_DIR (tests/), CW_BUILD_DIR
# and CLOCKWISE (the program to test) are in the environment of each; the first
# two are macros too, for C.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
pkg_check_modules(CMOCKA REQUIRED IMPORTED_TARGET cmocka)

# name, room and command of all tests, for cmake/variants.cmake to repeat
set(test_names "")

file(GLOB harness_sources CONFIGURE_DEPENDS
     ${PROJECT_SOURCE_DIR}/tests/harness/*.c
     ${PROJECT_SOURCE_DIR}/tests/ref/*.c)

add_library(test_flags INTERFACE)
target_link_libraries(test_flags INTERFACE
    clockwise_flags clockwise_static PkgConfig::CMOCKA Threads::Threads m)
target_include_directories(test_flags INTERFACE
    ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/lib
    ${PROJECT_SOURCE_DIR}/tests ${PROJECT_SOURCE_DIR}/tests/harness)
target_compile_definitions(test_flags INTERFACE
    _POSIX_C_SOURCE=200809L CLOCKWISE_VERSION="${PROJECT_VERSION}"
    CW_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
    CW_TEST_DIR="${PROJECT_SOURCE_DIR}/tests")
if(harness_sources)
    add_library(test_harness STATIC ${harness_sources})
    set_target_properties(test_harness PROPERTIES
        ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/internal)
    target_link_libraries(test_harness PUBLIC test_flags)
endif()

function(cw_test_program target source folder)
    add_executable(${target} ${source})
    set_target_properties(${target} PROPERTIES
        RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/${folder})
    if(TARGET test_harness)
        target_link_libraries(${target} PRIVATE test_harness)
    endif()
    if(TARGET clockwise_app)
        target_link_libraries(${target} PRIVATE clockwise_app)
    endif()
    target_link_libraries(${target} PRIVATE test_flags)
endfunction()

# cw_test(NAME ROOM COMMAND...): in the build folder `dir`, as `prefix`NAME.
# The timeout ends what hangs: asan:cli_cli takes 110 s, and 300 s on a busy
# machine.
function(cw_test_in prefix dir name room)
    add_test(NAME ${prefix}${name} COMMAND ${ARGN}
             WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    set_tests_properties(${prefix}${name} PROPERTIES
        LABELS ${room} TIMEOUT 600 ENVIRONMENT
        "CLOCKWISE=${dir}/bin/clockwise;CW_SOURCE_DIR=${PROJECT_SOURCE_DIR};CW_BUILD_DIR=${dir};CW_TEST_DIR=${PROJECT_SOURCE_DIR}/tests;ASAN_OPTIONS=detect_leaks=1:detect_stack_use_after_return=1;UBSAN_OPTIONS=print_stacktrace=1;TSAN_OPTIONS=halt_on_error=1")
endfunction()

function(cw_test name room)
    cw_test_in("" ${PROJECT_BINARY_DIR} ${name} ${room} ${ARGN})
    set(test_names ${test_names} ${name} PARENT_SCOPE)
    set(test_room_${name} ${room} PARENT_SCOPE)
    set(test_command_${name} ${ARGN} PARENT_SCOPE)
endfunction()

add_custom_target(stress_tests DEPENDS clockwise_static)

if(CLOCKWISE_TESTS)
    foreach(room unit prop golden cases claims stress)
        if(room STREQUAL "unit")
            set(pattern test_*.c)
        else()
            set(pattern *.c)
        endif()
        file(GLOB sources CONFIGURE_DEPENDS
             ${PROJECT_SOURCE_DIR}/tests/${room}/${pattern})
        foreach(source ${sources})
            get_filename_component(stem ${source} NAME_WE)
            string(REGEX REPLACE "^(test|${room})_" "" stem ${stem})
            set(name ${room}_${stem})
            cw_test_program(${name} ${source} tests/${room})
            cw_test(${name} ${room} ${PROJECT_BINARY_DIR}/tests/${room}/${name})
            if(room STREQUAL "stress")
                add_dependencies(stress_tests ${name})
            endif()
        endforeach()
    endforeach()

    file(GLOB scripts CONFIGURE_DEPENDS
         ${PROJECT_SOURCE_DIR}/tests/*/test_*.sh
         ${PROJECT_SOURCE_DIR}/tests/*/test_*.py)
    foreach(script ${scripts})
        get_filename_component(stem ${script} NAME_WE)
        get_filename_component(room ${script} DIRECTORY)
        get_filename_component(room ${room} NAME)
        if(room STREQUAL "build")
            continue()      # cmake/checks.cmake
        endif()
        string(REGEX REPLACE "^test_(${room}_)?" "" stem ${stem})
        cw_test(${room}_${stem} ${room} ${script})
    endforeach()
endif()

file(GLOB targets CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/fuzz/fuzz_*.c)
foreach(source ${targets})
    get_filename_component(target ${source} NAME_WE)
    string(REGEX REPLACE "^fuzz_" "" stem ${target})
    if(CLOCKWISE_FUZZ)
        cw_test_program(${target} ${source} fuzz)
        target_link_options(${target} PRIVATE -fsanitize=fuzzer)
    else()
        cw_test_program(${target} ${source} tests/fuzz)
        target_sources(${target} PRIVATE ${PROJECT_SOURCE_DIR}/fuzz/replay.c)
        cw_test(${target} fuzz ${PROJECT_BINARY_DIR}/tests/fuzz/${target}
                ${PROJECT_SOURCE_DIR}/fuzz/corpus/${stem})
    endif()
endforeach()

# One small program per task; a test script of the room it belongs to runs it.
file(GLOB examples CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/examples/*.c)
if(CLOCKWISE_TESTS)
    foreach(source ${examples})
        get_filename_component(stem ${source} NAME_WE)
        add_executable(example_${stem} ${source})
        set_target_properties(example_${stem} PROPERTIES OUTPUT_NAME ${stem}
            RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/examples)
        target_compile_definitions(example_${stem} PRIVATE
            _POSIX_C_SOURCE=200809L)
        target_link_libraries(example_${stem} PRIVATE
            clockwise_static clockwise_flags Threads::Threads)
    endforeach()
endif()
