// The system's OpenSSL 3, and those of its macros that Swift cannot call. Header only.
#ifndef BAIZE_COPENSSL_SHIM_H
#define BAIZE_COPENSSL_SHIM_H

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

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

#endif
