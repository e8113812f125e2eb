# `cmake --install` gives find_package(corliss) -> corliss::corliss and pkg-config corliss.
include(CMakePackageConfigHelpers)

get_property(corliss_layers GLOBAL PROPERTY CORLISS_LAYERS)
add_library(corliss INTERFACE)
add_library(corliss::corliss ALIAS corliss)
foreach(layer IN LISTS corliss_layers)
  target_link_libraries(corliss INTERFACE corliss::${layer})
endforeach()
install(TARGETS corliss EXPORT corliss-targets)

set(corliss_cmake_dir "${CMAKE_INSTALL_LIBDIR}/cmake/corliss")
install(EXPORT corliss-targets NAMESPACE corliss:: DESTINATION "${corliss_cmake_dir}")
configure_file("${PROJECT_SOURCE_DIR}/cmake/corliss-config.cmake.in" "${PROJECT_BINARY_DIR}/corliss-config.cmake" @ONLY)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/corliss-config-version.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/corliss-config.cmake" "${PROJECT_BINARY_DIR}/corliss-config-version.cmake"
  DESTINATION "${corliss_cmake_dir}")

# pkg-config: a layer comes before the layers that it uses, as static linking needs.
set(corliss_pc_libs "")
foreach(layer IN LISTS corliss_layers)
  set(corliss_pc_libs "-lcorliss_${layer} ${corliss_pc_libs}")
endforeach()
configure_file("${PROJECT_SOURCE_DIR}/cmake/corliss.pc.in" "${PROJECT_BINARY_DIR}/corliss.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/corliss.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
