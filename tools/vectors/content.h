#pragma once

#include "vectors/report.h"

namespace corliss::vectors {

/// The schema of `manifests.json`: manifests to parse, decrypt and write again, and paths with a verdict.
/// Files lie beside the JSON. Throws BadVectorFile, std::system_error.
Report check_manifests(const std::filesystem::path& path);

/// The schema of `chunks.json`: bodies to decode. Throws BadVectorFile, std::system_error.
Report check_chunks(const std::filesystem::path& path);

}  // namespace corliss::vectors
