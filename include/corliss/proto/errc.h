#pragma once

#include <corliss/base/fault.h>

#include <system_error>

namespace corliss::proto {

/// What can go wrong in `proto`.
enum class Errc {
  bad_id = 1,       ///< The text is not an id of this form. Fault::malformed: ask for another.
  id_out_of_range,  ///< A number of the id does not fit its bits. Fault::malformed.
  not_a_clan,       ///< Only a clan has a clan chat. Fault::local.

  // Messages. After any malformed one close the connection.
  message_too_short,  ///< Fewer bytes than the header needs. Fault::malformed.
  bad_header_length,  ///< The protobuf header's length is negative or more than there is. Fault::malformed.
  bad_header,         ///< The header is no protobuf message. Fault::malformed.
  bad_struct_header,  ///< The extended header has not size 36 and version 2. Fault::malformed.
  bad_body,           ///< The body is not of the expected type. Fault::malformed.
  wrong_header_kind,  ///< A protobuf body was expected where the message has none. Fault::malformed, but
                      ///< harmless: ignore the message.
  message_too_large,  ///< A message of more than `max_message_size`. Fault::limit: send less.

  // Multi. Close the connection.
  multi_bad_gzip,  ///< A compressed Multi is no single, whole gzip stream. Fault::malformed.
  multi_bad_size,  ///< The size that it declares is not, or cannot be, that of its content. Fault::malformed.
  multi_bad_part,  ///< A message in it is negative in size or longer than what is left. Fault::malformed.
  multi_too_large,  ///< More than `MultiLimits::unpacked_size`. Fault::limit.
  multi_too_deep,   ///< More than `MultiLimits::depth` within each other. Fault::limit.
};

std::error_code make_error_code(Errc errc) noexcept;

}  // namespace corliss::proto

template <>
struct std::is_error_code_enum<corliss::proto::Errc> : std::true_type {};
