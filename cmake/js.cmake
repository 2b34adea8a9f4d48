# SPDX-License-Identifier: Apache-2.0
#
# JavaScript, tested by node's own runner:
#
#   build:js     bindings/js/dist from the WebAssembly library
#   js:NAME      bindings/js/test/NAME.test.mjs
#
# npm fetches the packages of the lock file when they are not there yet.
set(js ${PROJECT_SOURCE_DIR}/bindings/js)
set(js_environment
    "CLOCKWISE_WASM=${PROJECT_BINARY_DIR}/wasm/clockwise-js.wasm"
    "CW_NATIVE=${PROJECT_BINARY_DIR}/tests/build/wasm_owners")

function(cw_js_test name fixture)
    add_test(NAME ${name} COMMAND ${ARGN}
             WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    set_tests_properties(${name} PROPERTIES
        LABELS js TIMEOUT 300 FIXTURES_REQUIRED ${fixture}
        ENVIRONMENT "${js_environment}")
endfunction()

cw_js_test(build:js wasm sh -c
    "scripts/npm-ci bindings/js && '${NODE}' bindings/js/build.mjs")
set_tests_properties(build:js PROPERTIES LABELS build FIXTURES_SETUP js)

file(GLOB js_tests CONFIGURE_DEPENDS ${js}/test/*.test.mjs)
foreach(file ${js_tests})
    get_filename_component(name ${file} NAME_WE)
    cw_js_test(js:${name} js ${NODE} --test ${file})
endforeach()
