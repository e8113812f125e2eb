#include <corliss/proto/errc.h>

#include <array>

namespace corliss::proto {
namespace {

constexpr std::array<ErrcRow, 16> rows{{
    {"success", Fault::local},
    {"not an id of this form", Fault::malformed},
    {"a number of the id is too large", Fault::malformed},
    {"only a clan has a clan chat", Fault::local},
    {"the message is shorter than its header", Fault::malformed},
    {"the length of the protobuf header is negative or beyond the end", Fault::malformed},
    {"the header of the message is no protobuf message", Fault::malformed},
    {"the extended header has a wrong size or version", Fault::malformed},
    {"the body of the message is not of the expected type", Fault::malformed},
    {"the message has another kind of header", Fault::malformed},
    {"the message is larger than a frame may be", Fault::limit},
    {"the Multi is not one whole gzip stream", Fault::malformed},
    {"the Multi has not the size that it declares", Fault::malformed},
    {"a message in the Multi is longer than what is left", Fault::malformed},
    {"the Multi unpacks to more than the limit", Fault::limit},
    {"Multis are nested too deep", Fault::limit},
}};

}  // namespace

std::error_code make_error_code(Errc errc) noexcept {
  static const ErrcCategory category("corliss.proto", rows);
  return {static_cast<int>(errc), category};
}

}  // namespace corliss::proto
