#pragma once

#include "vectors/report.h"

#include <filesystem>

namespace corliss::vectors {

/// Runs `messages` and `malformed` of a file in the schema `steam-message-vectors/1`
/// (tests/data/proto/messages.json): each good message is read, compared field by field and written again to
/// the same bytes; each malformed one is refused, a wrong canary excepted, which is only shown. Throws as
/// `check_steamid`.
Report check_messages(const std::filesystem::path& path);

}  // namespace corliss::vectors
