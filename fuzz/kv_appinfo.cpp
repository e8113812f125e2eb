// appinfo.vdf, packageinfo.vdf and package buffers, read to their end. First byte: which.
#include "fuzz.h"

#include <corliss/keyvalues/appinfo.h>
#include <corliss/keyvalues/binary.h>
#include <corliss/keyvalues/builder.h>
#include <corliss/keyvalues/packageinfo.h>

using namespace corliss;
using namespace corliss::keyvalues;

namespace {

void read_apps(std::span<const std::uint8_t> bytes) {
  ErrorPlace place;
  const auto file = AppInfo::open(bytes, {}, &place);
  if (!file) {
    FUZZ_CHECK(place.at.offset <= bytes.size());
    return;
  }
  AppInfoCursor cursor(*file);
  Tree tree;
  for (;;) {
    const auto entry = cursor.next(&place);
    if (!entry || !*entry) {
      FUZZ_CHECK(entry || place.at.offset <= bytes.size());
      return;
    }
    if (file->read_into(tree, **entry, &place)) {
      FUZZ_CHECK(tree.consumed() == (*entry)->data.size());
      TreeBuilder copy;
      walk(tree, copy);  // looks at every name of the table
      const auto copied = copy.finish();
      FUZZ_CHECK(copied.has_value() && copied->root().same_as(tree.root()));
    } else {
      FUZZ_CHECK(place.at.offset <= bytes.size());
    }
  }
}

void read_packages(std::span<const std::uint8_t> bytes) {
  auto file = PackageInfo::open(bytes);
  if (!file) {
    return;
  }
  Tree tree;
  for (;;) {
    const auto entry = file->next(tree);
    if (!entry || !*entry) {
      return;
    }
    FUZZ_CHECK((*entry)->data.size() == tree.consumed());
  }
}

}  // namespace

void fuzz(std::span<const std::uint8_t> input) {
  if (input.empty()) {
    return;
  }
  const auto bytes = input.subspan(1);
  switch (input[0] % 3) {
    case 0:
      read_apps(bytes);
      break;
    case 1:
      read_packages(bytes);
      break;
    default:
      (void)read_package_buffer(bytes);
  }
}
