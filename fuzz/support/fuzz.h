#pragma once

#include <cstdint>
#include <span>

/// What a fuzz target defines. It returns normally for every input; a fault shows as a crash, a sanitizer
/// report or a failed `FUZZ_CHECK`.
void fuzz(std::span<const std::uint8_t> input);

/// A property that must hold for every input; stops the process where it does not.
#define FUZZ_CHECK(condition) \
  do {                        \
    if (!(condition)) {       \
      __builtin_trap();       \
    }                         \
  } while (false)
