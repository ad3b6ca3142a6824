// The system's OpenSSL 3, and those of its macros that Swift cannot call. Header only.
#ifndef BAIZE_COPENSSL_SHIM_H
#define BAIZE_COPENSSL_SHIM_H

#include <openssl/bio.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>
#include <openssl/sha.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <string.h>

/// The settings of both sides: TLS 1.2 and 1.3, no renegotiation, no compression, no memory for buffers that are empty, writes
/// that may be partial and repeated from another place.
static inline int baize_tls_configure(SSL_CTX *context) {
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  SSL_CTX_set_mode(
      context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  return SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
}

/// The settings of a server: sessions are in the clients' tickets alone, and take no memory here.
static inline void baize_tls_configure_server(SSL_CTX *context, long certificate_bytes_max) {
  SSL_CTX_set_options(context, SSL_OP_CIPHER_SERVER_PREFERENCE);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_max_cert_list(context, certificate_bytes_max);
}

/// The settings of a client: it keeps the last session of a daemon by itself.
static inline void baize_tls_configure_client(SSL_CTX *context) {
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
}

static inline uint64_t baize_tls_no_tickets(void) { return SSL_OP_NO_TICKET; }

/// The size in bytes of the keys that seal tickets.
#define BAIZE_TLS_TICKET_KEYS_BYTES 80

static inline long baize_tls_get_ticket_keys(SSL_CTX *context, void *keys, long count) {
  return SSL_CTX_get_tlsext_ticket_keys(context, keys, count);
}

static inline long baize_tls_set_ticket_keys(SSL_CTX *context, void *keys, long count) {
  return SSL_CTX_set_tlsext_ticket_keys(context, keys, count);
}

static inline long baize_tls_set_server_name(SSL *ssl, const char *name) { return SSL_set_tlsext_host_name(ssl, name); }

static inline EVP_PKEY *baize_make_key_p256(void) { return EVP_EC_gen("P-256"); }

static inline int baize_error_reason(unsigned long code) { return ERR_GET_REASON(code); }

static inline int baize_is_tls_error(unsigned long code) { return ERR_GET_LIB(code) == ERR_LIB_SSL; }

static inline void baize_bio_retry_reading(BIO *bio) { BIO_set_retry_read(bio); }

static inline void baize_bio_retry_writing(BIO *bio) { BIO_set_retry_write(bio); }

static inline void baize_bio_clear_retry(BIO *bio) { BIO_clear_retry_flags(bio); }

/// The index of a type of BIO.
static inline int baize_bio_type(void) { return BIO_get_new_index() | BIO_TYPE_SOURCE_SINK; }


// ---- keys of signed tokens

/// Makes a public key of RSA of its modulus and exponent, big-endian; NULL if OpenSSL refuses them.
static inline EVP_PKEY *baize_make_rsa_key(const unsigned char *n, size_t n_bytes, const unsigned char *e, size_t e_bytes) {
  EVP_PKEY *key = NULL;
  BIGNUM *modulus = BN_bin2bn(n, (int)n_bytes, NULL), *exponent = BN_bin2bn(e, (int)e_bytes, NULL);
  OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
  OSSL_PARAM *parameters = NULL;
  EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "RSA", NULL);
  if (modulus && exponent && builder && context && OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_N, modulus) &&
      OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_E, exponent) &&
      (parameters = OSSL_PARAM_BLD_to_param(builder)) && EVP_PKEY_fromdata_init(context) == 1)
    if (EVP_PKEY_fromdata(context, &key, EVP_PKEY_PUBLIC_KEY, parameters) != 1) key = NULL;
  OSSL_PARAM_free(parameters);
  OSSL_PARAM_BLD_free(builder);
  EVP_PKEY_CTX_free(context);
  BN_free(modulus);
  BN_free(exponent);
  return key;
}

/// Makes a public key of P-256 of a point in uncompressed form; NULL if it is not on the curve.
static inline EVP_PKEY *baize_make_p256_key(const unsigned char *point, size_t bytes) {
  EVP_PKEY *key = NULL;
  EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL);
  OSSL_PARAM parameters[] = {
      OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, (char *)"P-256", 0),
      OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, (void *)point, bytes), OSSL_PARAM_construct_end()};
  if (context && EVP_PKEY_fromdata_init(context) == 1)
    if (EVP_PKEY_fromdata(context, &key, EVP_PKEY_PUBLIC_KEY, parameters) != 1) key = NULL;
  EVP_PKEY_CTX_free(context);
  return key;
}

/// Returns whether a key is one of P-256.
static inline int baize_is_p256(const EVP_PKEY *key) {
  char name[64];
  size_t count = 0;
  if (EVP_PKEY_get_base_id(key) != EVP_PKEY_EC) return 0;
  if (EVP_PKEY_get_group_name(key, name, sizeof name, &count) != 1) return 0;
  return strcmp(name, "prime256v1") == 0 || strcmp(name, "P-256") == 0;
}

/// The type and the size in bits of a key.
static inline int baize_key_type(const EVP_PKEY *key) { return EVP_PKEY_get_base_id(key); }
static inline int baize_key_bits(const EVP_PKEY *key) { return EVP_PKEY_get_bits(key); }

/// Returns whether the exponent of a key of RSA is one with which anybody could sign, or is none.
static inline int baize_is_weak_exponent(const EVP_PKEY *key) {
  BIGNUM *exponent = NULL;
  int weak = 1;
  if (EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_RSA_E, &exponent) == 1)
    weak = !BN_is_odd(exponent) || BN_is_one(exponent);
  BN_free(exponent);
  return weak;
}
#endif
