#include "support/test_support.h"

#include <corliss/base/hex.h>
#include <corliss/crypto/checksum.h>
#include <corliss/crypto/hash.h>
#include <corliss/crypto/rsa.h>
#include <corliss/crypto/universe_keys.h>

#include <thread>

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

namespace corliss::crypto {
namespace {

using nlohmann::json;
using ByteVector = std::vector<std::uint8_t>;

const json& channel() {
  static const json vectors = json::parse(test::read_file(test::data("crypto/channel.json")));
  return vectors;
}

const json& password_vectors() {
  static const json vectors =
      json::parse(test::read_file(test::data("crypto/steamguard.json"))).at("password_rsa");
  return vectors;
}

ByteVector hex_at(const json& row, const char* name) {
  return test::hex(row.at(name).get<std::string>());
}

RsaPrivateKey mock_server_key() {
  return RsaPrivateKey::from_der(hex_at(channel().at("mock_server_key"), "private_pkcs8_der")).value();
}

/// RFC 8017 §7.1.1 step 2 with a given seed: what libcrypto does with a random one.
ByteVector oaep_encode(ConstBytes message, ConstBytes seed, std::size_t modulus_size) {
  const auto mgf1 = [](ConstBytes from, std::size_t size) {
    ByteVector mask;
    for (std::uint8_t counter = 0; mask.size() < size; ++counter) {
      ByteVector block(from.begin(), from.end());
      block.insert(block.end(), {0, 0, 0, counter});
      const auto digest = sha1(block);
      mask.insert(mask.end(), digest.begin(), digest.end());
    }
    mask.resize(size);
    return mask;
  };
  const auto xor_with = [](ByteVector& bytes, const ByteVector& mask) {
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      bytes[i] = static_cast<std::uint8_t>(bytes[i] ^ mask[i]);
    }
  };
  const auto label_hash = sha1({});
  ByteVector block(label_hash.begin(), label_hash.end());
  block.resize(modulus_size - seed.size() - 1 - 1 - message.size());
  block.push_back(1);
  block.insert(block.end(), message.begin(), message.end());
  ByteVector masked_seed(seed.begin(), seed.end());
  xor_with(block, mgf1(seed, block.size()));
  xor_with(masked_seed, mgf1(block, seed.size()));
  ByteVector encoded{0};
  encoded.insert(encoded.end(), masked_seed.begin(), masked_seed.end());
  encoded.insert(encoded.end(), block.begin(), block.end());
  return encoded;
}

/// Plain modular exponentiation with the public key.
ByteVector raw_rsa(const RsaPublicKey& key, ConstBytes encoded) {
  const auto der = key.to_der();
  const unsigned char* cursor = der.data();
  const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> pkey(
      d2i_PUBKEY(nullptr, &cursor, static_cast<long>(der.size())), EVP_PKEY_free);
  const std::unique_ptr<EVP_PKEY_CTX, decltype(&EVP_PKEY_CTX_free)> context(
      EVP_PKEY_CTX_new(pkey.get(), nullptr), EVP_PKEY_CTX_free);
  ByteVector out(key.size());
  std::size_t size = out.size();
  EXPECT_EQ(EVP_PKEY_encrypt_init(context.get()), 1);
  EXPECT_EQ(EVP_PKEY_CTX_set_rsa_padding(context.get(), RSA_NO_PADDING), 1);
  EXPECT_EQ(EVP_PKEY_encrypt(context.get(), out.data(), &size, encoded.data(), encoded.size()), 1);
  return out;
}

TEST(UniverseKeys, AreThePublishedOnes) {
  for (const auto& row : channel().at("universe_keys")) {
    const auto universe = row.at("universe").get<std::int32_t>();
    const ConstBytes spki = universe_spki(universe);
    EXPECT_EQ(to_hex(sha256(spki)), row.at("sha256_of_der"));
    EXPECT_EQ(to_hex(spki), row.at("spki_der"));
    const auto key = universe_key(universe);
    ASSERT_TRUE(key);
    EXPECT_EQ(key->size() * 8, row.at("bits"));
    EXPECT_EQ(to_hex(key->modulus()), row.at("modulus"));
    EXPECT_EQ(key->exponent(), ByteVector{17});
    EXPECT_EQ(to_hex(key->to_der()), row.at("spki_der"));
  }
  // protocol/02 §7 once more, not through the file.
  EXPECT_EQ(to_hex(sha256(universe_spki(1))),
            "a0bc38bd7cd2177058dc15fdded2aadc718d59f49fcc943a69d13e581fb4f92f");
  EXPECT_EQ(to_hex(sha256(universe_spki(2))),
            "1ef232b69148ebe77b862795f74c6e402136c482812debde1012986dd6482025");
  EXPECT_EQ(to_hex(sha256(universe_spki(3))),
            "09e88d1f1786035a81e237ec83d0f56f0868cce28d9891fa849a78fc5a0849b5");
  EXPECT_EQ(to_hex(sha256(universe_spki(4))),
            "9adb684eb83cf7c88b55f13e829c7756848f121bee3a9bf7683bba985de5af45");
  for (const std::int32_t universe : {0, 5, -1, INT32_MIN, INT32_MAX}) {
    EXPECT_TRUE(universe_spki(universe).empty());
    EXPECT_EQ(universe_key(universe).error(), Errc::no_universe_key);
  }
}

TEST(Rsa, HandshakeVectorsWithTheGivenSeed) {
  for (const auto& row : channel().at("handshake")) {
    const bool mock = row.at("name").get<std::string>().rfind("mock-server-key", 0) == 0;
    const auto key =
        mock ? mock_server_key().public_key() : universe_key(row.at("universe").get<std::int32_t>());
    ASSERT_TRUE(key);
    const auto encoded = oaep_encode(hex_at(row, "rsa_plaintext"), hex_at(row, "oaep_seed"), key->size());
    EXPECT_EQ(to_hex(encoded), row.at("oaep_encoded_message")) << row.at("name");
    const auto blob = raw_rsa(*key, encoded);
    EXPECT_EQ(to_hex(blob), row.at("rsa_blob")) << row.at("name");
    EXPECT_EQ(crc32(blob), std::stoul(row.at("crc32").get<std::string>(), nullptr, 16)) << row.at("name");
  }
}

// The encoder above is what the private side undoes, with a key whose private part is known.
TEST(Rsa, PrivateSideOpensWhatTheTestEncoderMade) {
  const auto key = mock_server_key();
  const auto public_key = key.public_key();
  ASSERT_TRUE(public_key);
  test::TestRng rng;
  for (const std::size_t size : {0, 1, 32, 48, 86}) {
    const auto plain = rng.bytes(size);
    const auto blob = raw_rsa(*public_key, oaep_encode(plain, rng.bytes(20), key.size()));
    ByteVector out(key.size());
    const auto opened = key.decrypt_oaep(blob, out);
    ASSERT_TRUE(opened) << size;
    EXPECT_EQ(ByteVector(opened->begin(), opened->end()), plain);
  }
}

TEST(Rsa, OaepRoundTripAndItsLimits) {
  const auto key = mock_server_key();
  const auto public_key = key.public_key().value();
  EXPECT_EQ(to_hex(public_key.to_der()), channel().at("mock_server_key").at("public_spki_der"));
  test::TestRng rng;
  for (std::size_t size = 0; size <= 86; ++size) {
    const auto plain = rng.bytes(size);
    ByteVector sealed(public_key.size() + 3, 0xEE);
    const auto blob = public_key.encrypt_oaep(plain, sealed);
    ASSERT_TRUE(blob) << size;
    EXPECT_EQ(blob->size(), 128u);
    EXPECT_EQ(sealed.back(), 0xEE);
    ByteVector out(200, 0xEE);
    const auto opened = key.decrypt_oaep(*blob, out);
    ASSERT_TRUE(opened) << size;
    EXPECT_EQ(ByteVector(opened->begin(), opened->end()), plain);
    EXPECT_EQ(out[size], 0);
  }
  ByteVector out(200);
  EXPECT_EQ(public_key.encrypt_oaep(ByteVector(87), out).error(), Errc::rsa_failed);
  EXPECT_EQ(public_key.encrypt_oaep(ByteVector(8), Bytes(out).first(127)).error(),
            BaseErrc::buffer_too_small);
}

TEST(Rsa, RefusesEveryForeignCiphertextAlike) {
  const auto key = mock_server_key();
  const auto public_key = key.public_key().value();
  const ByteVector plain(48, 7);
  ByteVector blob(128);
  ASSERT_TRUE(public_key.encrypt_oaep(plain, blob));
  const auto refused = [&](ConstBytes bytes) {
    ByteVector out(128, 0xEE);
    const auto opened = key.decrypt_oaep(bytes, out);
    EXPECT_EQ(std::count(out.begin(), out.end(), 0), 128);
    return !opened && opened.error() == Errc::rsa_failed;
  };
  for (std::size_t bit = 0; bit < 1024; bit += 7) {
    auto changed = blob;
    changed[bit / 8] = static_cast<std::uint8_t>(changed[bit / 8] ^ (1U << (bit % 8)));
    EXPECT_TRUE(refused(changed)) << bit;
  }
  EXPECT_TRUE(refused({}));
  EXPECT_TRUE(refused(ConstBytes(blob).first(127)));
  auto longer = blob;
  longer.push_back(0);
  EXPECT_TRUE(refused(longer));
  EXPECT_TRUE(refused(ByteVector(128, 0xFF)));  // above the modulus
  EXPECT_TRUE(refused(ByteVector(128, 0)));
  ByteVector small(127);
  EXPECT_EQ(key.decrypt_oaep(blob, small).error(), BaseErrc::buffer_too_small);
  EXPECT_EQ(ERR_peek_error(), 0u) << "libcrypto's error queue is the caller's";
}

TEST(Rsa, PasswordVectors) {
  const auto& vectors = password_vectors();
  const auto key = RsaPublicKey::from_hex(vectors.at("publickey_mod").get<std::string>(),
                                          vectors.at("publickey_exp").get<std::string>());
  ASSERT_TRUE(key);
  const auto private_key = RsaPrivateKey::from_der(hex_at(vectors, "private_pkcs8_der"));
  ASSERT_TRUE(private_key);
  EXPECT_EQ(private_key->public_key()->to_der(), key->to_der());
  for (const auto& row : vectors.at("cases")) {
    const auto password = hex_at(row, "password_utf8");
    // RFC 8017 §7.2.1 with the padding of the vector gives the very bytes; libcrypto's padding is random.
    ByteVector encoded{0, 2};
    const auto padding = hex_at(row, "padding_bytes");
    encoded.insert(encoded.end(), padding.begin(), padding.end());
    encoded.push_back(0);
    encoded.insert(encoded.end(), password.begin(), password.end());
    ASSERT_EQ(encoded.size(), key->size());
    const auto expected = raw_rsa(*key, encoded);
    std::string base64(4 * ((expected.size() + 2) / 3) + 1, '\0');
    base64.resize(
        static_cast<std::size_t>(EVP_EncodeBlock(reinterpret_cast<unsigned char*>(base64.data()),
                                                 expected.data(), static_cast<int>(expected.size()))));
    EXPECT_EQ(base64, row.at("encrypted_password_base64"));
    ByteVector out(key->size());
    auto opened = private_key->decrypt_pkcs1(expected, out);
    ASSERT_TRUE(opened);
    EXPECT_EQ(ByteVector(opened->begin(), opened->end()), password);

    ByteVector sealed(key->size());
    ASSERT_TRUE(key->encrypt_pkcs1(password, sealed));
    opened = private_key->decrypt_pkcs1(sealed, out);
    ASSERT_TRUE(opened);
    EXPECT_EQ(ByteVector(opened->begin(), opened->end()), password);
  }
  ByteVector out(256);
  EXPECT_TRUE(key->encrypt_pkcs1(ByteVector(245, 'x'), out));
  EXPECT_EQ(key->encrypt_pkcs1(ByteVector(246, 'x'), out).error(), Errc::rsa_failed);
}

TEST(Rsa, HexTakesEitherCaseAndAnyNumberOfDigits) {
  std::string modulus = channel().at("universe_keys").at(0).at("modulus");
  const auto der = universe_key(1)->to_der();
  EXPECT_EQ(RsaPublicKey::from_hex(modulus, "11")->to_der(), der);
  EXPECT_EQ(RsaPublicKey::from_hex("000" + modulus, "011")->to_der(), der);
  std::transform(modulus.begin(), modulus.end(), modulus.begin(),
                 [](unsigned char c) { return std::toupper(c); });
  EXPECT_EQ(RsaPublicKey::from_hex(modulus, "000011")->to_der(), der);
}

TEST(Rsa, RefusesUnusableNumbers) {
  const std::string good = channel().at("universe_keys").at(0).at("modulus");
  struct Row {
    const char* why;
    std::string modulus;
    std::string exponent;
  };
  const std::vector<Row> rows{
      {"empty modulus", "", "11"},
      {"empty exponent", good, ""},
      {"not hex", "zz" + good, "11"},
      {"exponent not hex", good, "0x11"},
      {"1016 bits", good.substr(2), "11"},
      {"even modulus", good.substr(0, 255) + "8", "11"},
      {"above max_rsa_bits", std::string(1025, 'f'), "11"},
      {"beyond max_rsa_file_size", std::string(100000, 'f'), "11"},
      {"exponent 0", good, "00"},
      {"exponent 1", good, "01"},
      {"even exponent", good, "10"},
      {"exponent of 65 bits", good, "10000000000000001"},
  };
  for (const auto& row : rows) {
    const auto key = RsaPublicKey::from_hex(row.modulus, row.exponent);
    ASSERT_FALSE(key) << row.why;
    EXPECT_EQ(key.error(), Errc::bad_key) << row.why;
    EXPECT_EQ(key.error(), Fault::malformed) << row.why;
  }
  EXPECT_TRUE(RsaPublicKey::from_hex(std::string(1024, 'f'), "11"));
}

TEST(Rsa, PemAndDerRoundTrip) {
  const auto key = mock_server_key();
  const auto public_key = key.public_key().value();
  const auto pem = key.to_pem();
  EXPECT_EQ(pem.rfind("-----BEGIN PRIVATE KEY-----\n", 0), 0u);
  EXPECT_EQ(RsaPrivateKey::from_pem(pem)->to_der(), key.to_der());
  EXPECT_EQ(to_hex(key.to_der()), channel().at("mock_server_key").at("private_pkcs8_der"));
  const auto public_pem = public_key.to_pem();
  EXPECT_EQ(public_pem.rfind("-----BEGIN PUBLIC KEY-----\n", 0), 0u);
  EXPECT_EQ(RsaPublicKey::from_pem("a comment\n" + public_pem)->to_der(), public_key.to_der());
}

TEST(Rsa, RefusesEveryTruncationAndTail) {
  const auto key = mock_server_key();
  const auto private_der = key.to_der();
  const auto public_der = key.public_key()->to_der();
  // libcrypto tries every decoder on each, 2 ms, so not every length of the longer one.
  for (std::size_t size = 0; size < private_der.size();
       size += size < 40 || size + 10 > private_der.size() ? 1 : 7) {
    EXPECT_EQ(RsaPrivateKey::from_der(ConstBytes(private_der).first(size)).error(), Errc::bad_key) << size;
  }
  for (std::size_t size = 0; size < public_der.size(); ++size) {
    EXPECT_EQ(RsaPublicKey::from_der(ConstBytes(public_der).first(size)).error(), Errc::bad_key) << size;
  }
  auto tail = public_der;
  tail.push_back(0);
  EXPECT_EQ(RsaPublicKey::from_der(tail).error(), Errc::bad_key);
  tail = private_der;
  tail.push_back(0);
  EXPECT_EQ(RsaPrivateKey::from_der(tail).error(), Errc::bad_key);
  EXPECT_EQ(ERR_peek_error(), 0u);
}

std::string pem_of(EVP_PKEY* key, bool encrypted) {
  BIO* bio = BIO_new(BIO_s_mem());
  EXPECT_EQ(PEM_write_bio_PKCS8PrivateKey(bio, key, encrypted ? EVP_aes_256_cbc() : nullptr,
                                          encrypted ? "pw" : nullptr, encrypted ? 2 : 0, nullptr, nullptr),
            1);
  char* text = nullptr;
  const long size = BIO_get_mem_data(bio, &text);
  std::string out(text, static_cast<std::size_t>(size));
  BIO_free_all(bio);
  return out;
}

TEST(Rsa, RefusesOtherKindsOfKey) {
  const auto der = mock_server_key().to_der();
  const unsigned char* cursor = der.data();
  EVP_PKEY* rsa = d2i_AutoPrivateKey(nullptr, &cursor, static_cast<long>(der.size()));
  EVP_PKEY* ec = EVP_PKEY_Q_keygen(nullptr, nullptr, "EC", "P-256");
  EVP_PKEY* ed = EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519");
  EVP_PKEY* small = EVP_RSA_gen(512);
  for (EVP_PKEY* key : {ec, ed, small}) {
    EXPECT_EQ(RsaPrivateKey::from_pem(pem_of(key, false)).error(), Errc::bad_key);
    unsigned char* spki = nullptr;
    const int size = i2d_PUBKEY(key, &spki);
    EXPECT_EQ(RsaPublicKey::from_der({spki, static_cast<std::size_t>(size)}).error(), Errc::bad_key);
    OPENSSL_free(spki);
  }
  // An encrypted key would make libcrypto ask on the terminal; it must fail at once instead.
  EXPECT_EQ(RsaPrivateKey::from_pem(pem_of(rsa, true)).error(), Errc::bad_key);
  EXPECT_TRUE(RsaPrivateKey::from_pem(pem_of(rsa, false)));
  EXPECT_EQ(RsaPublicKey::from_pem(pem_of(rsa, false)).error(), Errc::bad_key);
  EXPECT_EQ(RsaPrivateKey::from_pem(mock_server_key().public_key()->to_pem()).error(), Errc::bad_key);
  EXPECT_EQ(RsaPrivateKey::from_pem("").error(), Errc::bad_key);
  EXPECT_EQ(RsaPrivateKey::from_pem(std::string(max_rsa_file_size + 1, '\n')).error(), Errc::bad_key);
  for (EVP_PKEY* key : {rsa, ec, ed, small}) {
    EVP_PKEY_free(key);
  }
}

TEST(Rsa, RefusesAPrivateKeyWhosePartsDoNotBelongTogether) {
  const auto der = mock_server_key().to_der();
  const auto exponent = hex_at(channel().at("mock_server_key"), "private_exponent");
  auto changed = der;
  const auto at = std::search(changed.begin(), changed.end(), exponent.begin(), exponent.end());
  ASSERT_NE(at, changed.end());
  at[40] ^= 4;
  EXPECT_EQ(RsaPrivateKey::from_der(changed).error(), Errc::bad_key);
}

TEST(Rsa, GeneratesKeysLikeSteams) {
  const auto key = RsaPrivateKey::generate(1024);
  ASSERT_TRUE(key);
  EXPECT_EQ(key->size(), 128u);
  const auto public_key = key->public_key().value();
  EXPECT_EQ(public_key.exponent(), ByteVector{17});
  EXPECT_EQ(public_key.to_der().size(), 160u);
  EXPECT_TRUE(RsaPrivateKey::from_der(key->to_der()));
  for (const std::size_t bits : {std::size_t{0}, min_rsa_bits - 1, max_rsa_bits + 1, SIZE_MAX}) {
    EXPECT_EQ(RsaPrivateKey::generate(bits).error(), Errc::bad_key);
  }
  for (const std::uint32_t exponent : {0u, 1u, 2u, 16u}) {
    EXPECT_EQ(RsaPrivateKey::generate(1024, exponent).error(), Errc::bad_key);
  }
}

TEST(Rsa, OneKeyServesManyThreads) {
  const auto key = mock_server_key();
  const auto public_key = key.public_key().value();
  std::vector<std::thread> threads;
  for (std::uint8_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int round = 0; round < 20; ++round) {
        const ByteVector plain(48, t);
        ByteVector blob(128);
        ByteVector out(128);
        ASSERT_TRUE(public_key.encrypt_oaep(plain, blob));
        const auto opened = key.decrypt_oaep(blob, out);
        ASSERT_TRUE(opened);
        EXPECT_TRUE(std::equal(opened->begin(), opened->end(), plain.begin(), plain.end()));
      }
    });
  }
  for (auto& thread : threads) {
    thread.join();
  }
}

}  // namespace
}  // namespace corliss::crypto
