# Every third-party library is found here and nowhere else; docs/dependencies.md has its sentence.
# CorlissInstall.cmake repeats the part that installed static libraries need.
find_package(PkgConfig REQUIRED)
find_package(tl-expected REQUIRED)
find_package(OpenSSL 3.0 REQUIRED)
find_package(Protobuf 3.21 REQUIRED)
find_package(wslay REQUIRED)
find_package(Threads REQUIRED)
find_path(CORLISS_ASIO_INCLUDE_DIR asio/awaitable.hpp REQUIRED)  # Debian ships asio without a CMake or pkg-config file
find_package(nlohmann_json REQUIRED)
pkg_check_modules(libdeflate REQUIRED IMPORTED_TARGET libdeflate)
pkg_check_modules(liblzma REQUIRED IMPORTED_TARGET liblzma)
pkg_check_modules(libzstd REQUIRED IMPORTED_TARGET libzstd)

if(CORLISS_DEVELOPER)
  find_package(CLI11 REQUIRED)
  find_package(fmt REQUIRED)
  # Optional: its header lets `bench packet` measure ipsec-mb beside us; the library itself is opened at run time.
  find_path(CORLISS_IPSEC_MB_INCLUDE_DIR intel-ipsec-mb.h)
  if(CORLISS_TESTS)
    find_package(GTest REQUIRED)
    find_package(Python3 REQUIRED COMPONENTS Interpreter)
  endif()
endif()
