# SPDX-License-Identifier: Apache-2.0
#
# JavaScript, tested by node's own runner:
#
#   build:js     bindings/js/dist from the WebAssembly library
#   js:NAME      bindings/js/test/NAME.test.mjs
#   build:page   build/web/index.html
#   web:NAME     tests/web/NAME.test.mjs, in Chromium
#
# npm fetches the packages of the lock file when they are not there yet.
set(js ${PROJECT_SOURCE_DIR}/bindings/js)
set(js_environment
    "CLOCKWISE_WASM=${PROJECT_BINARY_DIR}/wasm/clockwise-js.wasm"
    "CLOCKWISE_PAGE_WASM=${PROJECT_BINARY_DIR}/wasm/clockwise-page.wasm"
    "CLOCKWISE_PAGE=${PROJECT_BINARY_DIR}/web"
    "CLOCKWISE=${PROJECT_BINARY_DIR}/bin/clockwise"
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

cw_js_test(build:page wasm scripts/build-page ${PROJECT_BINARY_DIR}/web)
set_tests_properties(build:page PROPERTIES LABELS build FIXTURES_SETUP page)

file(GLOB web_tests CONFIGURE_DEPENDS
     ${PROJECT_SOURCE_DIR}/tests/web/*.test.mjs)
foreach(file ${web_tests})
    get_filename_component(name ${file} NAME_WE)
    cw_js_test(web:${name} page ${NODE} --test ${file})
    set_tests_properties(web:${name} PROPERTIES LABELS web RUN_SERIAL ON)
endforeach()
