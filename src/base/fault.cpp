#include <corliss/base/fault.h>

#include <array>

namespace corliss {
namespace {

class FaultCategory final : public std::error_category {
 public:
  const char* name() const noexcept override { return "corliss.fault"; }
  std::string message(int value) const override {
    switch (static_cast<Fault>(value)) {
      case Fault::malformed:
        return "the input breaks its format";
      case Fault::unauthenticated:
        return "the input does not authenticate";
      case Fault::limit:
        return "a limit is exceeded";
      case Fault::closed:
        return "the connection ended";
      case Fault::timeout:
        return "the time is over";
      case Fault::refused:
        return "the other side refused";
      case Fault::local:
        return "a fault on this side";
    }
    return "unknown fault";
  }
};

constexpr std::array<ErrcRow, 7> base_rows{{
    {"success", Fault::local},
    {"the input ends too early", Fault::malformed},
    {"bytes follow the end of the value", Fault::malformed},
    {"not an even number of hexadecimal digits", Fault::malformed},
    {"the output buffer is too small", Fault::local},
    {"the random generator failed; nothing was written", Fault::local},
    {"not base64 with its padding", Fault::malformed},
}};

}  // namespace

const std::error_category& fault_category() noexcept {
  static const FaultCategory category;
  return category;
}

std::error_condition make_error_condition(Fault fault) noexcept {
  return {static_cast<int>(fault), fault_category()};
}

std::string ErrcCategory::message(int value) const {
  const auto index = static_cast<std::size_t>(value);
  return index < rows_.size() ? std::string(rows_[index].text) : "unknown error " + std::to_string(value);
}

std::error_condition ErrcCategory::default_error_condition(int value) const noexcept {
  const auto index = static_cast<std::size_t>(value);
  if (value != 0 && index < rows_.size()) {
    return make_error_condition(rows_[index].fault);
  }
  return {value, *this};
}

std::error_code make_error_code(BaseErrc errc) noexcept {
  static const ErrcCategory category("corliss.base", base_rows);
  return {static_cast<int>(errc), category};
}

}  // namespace corliss
