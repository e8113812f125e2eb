#include "crypto/kernels.h"
#include "crypto/packet_checks.h"

#include <corliss/base/secret.h>
#include <corliss/crypto/packet_cipher.h>

#include <algorithm>
#include <array>

namespace corliss::crypto {

struct detail::CipherAccess {
  static const Session& session(const PacketCipher& cipher) noexcept { return *cipher.session_; }
};

namespace {

using detail::CipherAccess;
using detail::PacketKernel;

/// Items that are looked at together; bounds the stack.
constexpr std::size_t chunk = 64;

void take_result(SealItem& item, bool done) noexcept {
  const auto packet = item.out.first(sealed_size(item.plain.size()));
  if (!done) {
    wipe(packet);
    item.error = Errc::library;
    return;
  }
  item.sealed = packet;
}

void take_result(OpenItem& item, std::ptrdiff_t size) noexcept {
  if (size < 0) {
    wipe(item.sealed);
    item.error = size == detail::open_refused ? Errc::unauthenticated : Errc::library;
    return;
  }
  item.plain = item.sealed.subspan(packet_iv_size, static_cast<std::size_t>(size));
}

/// Fills `jobs` with those items of `kernel` that pass their checks and are not done yet; `places` says
/// which.
template <class Item, class Job, class MakeJob>
std::size_t gather(std::span<Item> items, std::array<bool, chunk>& waiting, const PacketKernel* kernel,
                   std::array<Job, chunk>& jobs, std::array<std::uint8_t, chunk>& places, MakeJob make) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (waiting[i] && CipherAccess::session(*items[i].cipher).kernel == kernel) {
      waiting[i] = false;
      places[count] = static_cast<std::uint8_t>(i);
      jobs[count++] = make(items[i]);
    }
  }
  return count;
}

/// Runs the items that wait, kernel by kernel.
template <class Job, class Item, class MakeJob, class RunJobs, class TakeResult>
void run_by_kernel(std::span<Item> items, std::array<bool, chunk>& waiting, MakeJob make, RunJobs run,
                   TakeResult take) noexcept {
  std::array<Job, chunk> jobs;
  std::array<std::uint8_t, chunk> places;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (!waiting[i]) {
      continue;
    }
    const auto* const kernel = CipherAccess::session(*items[i].cipher).kernel;
    const auto count = gather(items, waiting, kernel, jobs, places, make);
    run(*kernel, std::span(jobs).first(count));
    for (std::size_t n = 0; n < count; ++n) {
      take(items[places[n]], jobs[n]);
    }
  }
}

void seal_chunk(std::span<SealItem> items) noexcept {
  std::array<bool, chunk> waiting;
  for (std::size_t i = 0; i < items.size(); ++i) {
    items[i].sealed = {};
    items[i].error = detail::check_seal(items[i].plain, items[i].out);
    waiting[i] = !items[i].error;
  }
  run_by_kernel<detail::SealJob>(
      items, waiting,
      [](const SealItem& item) {
        return detail::SealJob{&CipherAccess::session(*item.cipher),
                               item.plain.data(),
                               item.plain.size(),
                               item.nonce.data(),
                               item.out.data(),
                               false};
      },
      [](const PacketKernel& kernel, std::span<detail::SealJob> jobs) {
        if (jobs.size() > 1 && kernel.seal_batch != nullptr) {
          kernel.seal_batch(jobs);
          return;
        }
        for (auto& job : jobs) {
          job.done = kernel.seal(*job.session, job.plain, job.size, job.nonce, job.out);
        }
      },
      [](SealItem& item, const detail::SealJob& job) { take_result(item, job.done); });
}

void open_chunk(std::span<OpenItem> items) noexcept {
  std::array<bool, chunk> waiting;
  for (std::size_t i = 0; i < items.size(); ++i) {
    items[i].plain = {};
    items[i].error = detail::check_sealed(items[i].sealed.size());
    waiting[i] = !items[i].error;
    if (items[i].error) {
      wipe(items[i].sealed);
    }
  }
  run_by_kernel<detail::OpenJob>(
      items, waiting,
      [](const OpenItem& item) {
        return detail::OpenJob{&CipherAccess::session(*item.cipher), item.sealed.data(), item.sealed.size(),
                               0};
      },
      [](const PacketKernel& kernel, std::span<detail::OpenJob> jobs) {
        if (jobs.size() > 1 && kernel.open_batch != nullptr) {
          kernel.open_batch(jobs);
          return;
        }
        for (auto& job : jobs) {
          job.result = kernel.open(*job.session, job.sealed, job.size, job.sealed + packet_iv_size);
        }
      },
      [](OpenItem& item, const detail::OpenJob& job) { take_result(item, job.result); });
}

}  // namespace

void seal_batch(std::span<SealItem> items) noexcept {
  while (!items.empty()) {
    const auto front = items.first(std::min(items.size(), chunk));
    seal_chunk(front);
    items = items.subspan(front.size());
  }
}

void seal_batch(std::span<SealItem> items, Rng& rng) noexcept {
  for (auto& item : items) {
    if (const auto drawn = rng.fill(item.nonce); !drawn) {
      for (auto& each : items) {
        each.sealed = {};
        each.error = drawn.error();
      }
      return;
    }
  }
  seal_batch(items);
}

void open_batch(std::span<OpenItem> items) noexcept {
  while (!items.empty()) {
    const auto front = items.first(std::min(items.size(), chunk));
    open_chunk(front);
    items = items.subspan(front.size());
  }
}

}  // namespace corliss::crypto
