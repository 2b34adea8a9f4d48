# SPDX-License-Identifier: Apache-2.0
#
# Compiler flags, and where results go: programs to bin/, libraries to lib/,
# nothing else into either.
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_C_FLAGS_RELEASE "-O3 -DNDEBUG")

set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)

# What every target of this project is compiled with. No contraction of
# a * b + c: a fused result would differ between machines.
add_library(clockwise_flags INTERFACE)
target_compile_options(clockwise_flags INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -ffp-contract=off
    $<$<BOOL:${CLOCKWISE_WERROR}>:-Werror>)

if(CLOCKWISE_SANITIZE)
    target_compile_options(clockwise_flags INTERFACE
        -fsanitize=${CLOCKWISE_SANITIZE} -fno-sanitize-recover=all
        -fno-omit-frame-pointer)
    target_link_options(clockwise_flags INTERFACE
        -fsanitize=${CLOCKWISE_SANITIZE})
endif()
if(CLOCKWISE_FUZZ)
    target_compile_options(clockwise_flags INTERFACE
        -fsanitize=fuzzer-no-link)
endif()
