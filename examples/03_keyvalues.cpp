// Read KeyValues text, look things up, write it again.
#include <corliss/keyvalues/text.h>
#include <corliss/keyvalues/tree.h>

#include <cstdio>

int main() {
  using namespace corliss;
  constexpr std::string_view text = R"("appinfo"
{
	"appid"		"480"
	"common"
	{
		"name"		"Spacewar"
	}
	"depots"
	{
		"481"
		{
			"maxsize"		"1900000"
		}
	}
}
)";
  keyvalues::ErrorPlace place;
  const auto tree = keyvalues::read_text(bytes_of(text), {}, &place);
  if (!tree) {
    return std::fprintf(stderr, "line %zu: %s\n", place.at.line, tree.error().message().c_str()), 1;
  }
  // A child that is not there gives an empty node, so chains are safe; numbers are whole or not there.
  const auto root = tree->root();
  const auto name = root["Common"]["NAME"].string();
  const auto size = root["depots"]["481"]["maxsize"].get<std::uint64_t>();
  std::printf("%.*s: %llu bytes\n", static_cast<int>(name.size()), name.data(),
              static_cast<unsigned long long>(size.value_or(0)));
  std::printf("written again, byte for byte: %s\n",
              keyvalues::write_text(*tree) == std::string(text) ? "yes" : "no");
}
