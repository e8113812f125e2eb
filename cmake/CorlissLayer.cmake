# corliss_layer(<name> SOURCES … HEADERS … [LAYERS <layers below>…] [PUBLIC <libs>…] [PRIVATE <libs>…])
#
# One layer of the table in docs/architecture.md: a static library `corliss_<name>`, alias `corliss::<name>`, that links
# exactly the layers it may include. HEADERS are paths below include/; they form a FILE_SET, so each is compiled alone.
function(corliss_layer name)
  cmake_parse_arguments(arg "" "" "SOURCES;HEADERS;LAYERS;PUBLIC;PRIVATE" ${ARGN})
  set(target corliss_${name})
  add_library(${target} STATIC ${arg_SOURCES})
  add_library(corliss::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name} POSITION_INDEPENDENT_CODE ON
    VERIFY_INTERFACE_HEADER_SETS ON)
  target_compile_features(${target} PUBLIC cxx_std_20)
  list(TRANSFORM arg_HEADERS PREPEND "${PROJECT_SOURCE_DIR}/include/")
  target_sources(${target} PUBLIC FILE_SET HEADERS BASE_DIRS "${PROJECT_SOURCE_DIR}/include" FILES ${arg_HEADERS})
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/src")
  list(TRANSFORM arg_LAYERS PREPEND "corliss::")
  target_link_libraries(${target} PUBLIC ${arg_LAYERS} ${arg_PUBLIC} PRIVATE ${arg_PRIVATE} $<BUILD_INTERFACE:corliss_private_flags>)
  install(TARGETS ${target} EXPORT corliss-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
    FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  set_property(GLOBAL APPEND PROPERTY CORLISS_LAYERS ${name})
endfunction()

# corliss_test(<name> SOURCES … [LAYERS …] [PRIVATE <libs>…]): a GoogleTest program, each TEST a CTest case.
# Tests may include private headers: src/ is on their path.
function(corliss_test name)
  cmake_parse_arguments(arg "" "" "SOURCES;LAYERS;PRIVATE" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  list(TRANSFORM arg_LAYERS PREPEND "corliss::")
  target_link_libraries(${name} PRIVATE ${arg_LAYERS} ${arg_PRIVATE} corliss_test_support GTest::gtest corliss_private_flags)
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/tests")
  target_precompile_headers(${name} REUSE_FROM corliss_test_support)
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 600 SKIP_REGULAR_EXPRESSION "\\[  SKIPPED \\]")
endfunction()

# corliss_fuzz(<name> [LAYERS …]): fuzz/<name>.cpp defines `void fuzz(std::span<const std::uint8_t>)` in no namespace.
# With CORLISS_LIBFUZZER a libFuzzer program; otherwise a CTest case that runs fuzz/corpus/<name>/.
function(corliss_fuzz name)
  cmake_parse_arguments(arg "" "" "LAYERS;PRIVATE" ${ARGN})
  list(TRANSFORM arg_LAYERS PREPEND "corliss::")
  if(CORLISS_LIBFUZZER)
    add_executable(fuzz_${name} ${name}.cpp support/libfuzzer_main.cpp)
    target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
  else()
    add_executable(fuzz_${name} ${name}.cpp support/corpus_main.cpp)
    add_test(NAME fuzz_corpus.${name} COMMAND fuzz_${name} "${PROJECT_SOURCE_DIR}/fuzz/corpus/${name}")
  endif()
  target_link_libraries(fuzz_${name} PRIVATE ${arg_LAYERS} ${arg_PRIVATE} corliss_private_flags)
  target_include_directories(fuzz_${name} PRIVATE "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/fuzz/support")
endfunction()
