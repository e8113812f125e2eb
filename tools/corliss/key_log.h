#pragma once

#include <corliss/io/tls.h>
#include <corliss/net/handshake.h>

#include <memory>
#include <string>
#include <string_view>

namespace corliss::tools {

/// `--keylog FILE`: session keys, so that captures can be decrypted later. The file is made with mode 0600
/// and appended to; a symbolic link is not followed. Whoever reads it reads the connections.
///
/// A line of a TCP or UDP connection: `CHANNEL_SESSION_KEY <SHA-256 of the 128-byte RSA blob> <session key>`,
/// in hex; of a WSS connection: the NSS key log lines of OpenSSL.
class KeyLogFile {
 public:
  /// Warns on standard error. Throws CommandError (local_io) with the path and the cause.
  explicit KeyLogFile(std::string path);
  ~KeyLogFile();
  KeyLogFile(const KeyLogFile&) = delete;
  KeyLogFile& operator=(const KeyLogFile&) = delete;

  /// Callbacks for the handshakes. They hold the file.
  static net::KeyLog channel(const std::shared_ptr<KeyLogFile>& file);
  static io::TlsKeyLog tls(const std::shared_ptr<KeyLogFile>& file);
  /// Throws CommandError (local_io) where a line could not be written.
  void check() const;

 private:
  void add(std::string line) noexcept;

  std::string path_;
  int descriptor_ = -1;
  int error_ = 0;
};

}  // namespace corliss::tools
