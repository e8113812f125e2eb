#pragma once

// nlohmann-json as the library uses it: its assertions are for wrong use by us, and the library never aborts.
#define JSON_ASSERT(condition) static_cast<void>(0)
#include <nlohmann/json.hpp>
