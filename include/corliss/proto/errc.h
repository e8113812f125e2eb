#pragma once

#include <corliss/base/fault.h>

#include <system_error>

namespace corliss::proto {

/// What can go wrong in `proto`.
enum class Errc {
  bad_id = 1,       ///< The text is not an id of this form. Fault::malformed: ask for another.
  id_out_of_range,  ///< A number of the id does not fit its bits. Fault::malformed.
  not_a_clan,       ///< Only a clan has a clan chat. Fault::local.
};

std::error_code make_error_code(Errc errc) noexcept;

}  // namespace corliss::proto

template <>
struct std::is_error_code_enum<corliss::proto::Errc> : std::true_type {};
