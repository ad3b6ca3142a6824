#if OpenSSL
  import BaizeSystem
  import COpenSSL

  /// A certificate that its own key has signed, for trying out. It is made anew at each start and kept nowhere.
  enum SelfSignedCertificate {
    /// Makes a key and a certificate, and has a context use them.
    ///
    /// - Parameter names: The names and addresses that it is for.
    static func use(in context: OpaquePointer?, names: [String]) throws(TLSFailure) {
      guard let key = baize_make_key_p256(), let certificate = X509_new() else { throw failure() }
      defer {
        EVP_PKEY_free(key)
        X509_free(certificate)
      }
      X509_set_version(certificate, 2)
      ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), UInt64.random(in: 1...UInt64(Int64.max)))
      X509_gmtime_adj(X509_getm_notBefore(certificate), -3_600)
      X509_gmtime_adj(X509_getm_notAfter(certificate), TLSLimits.selfSignedSeconds)
      X509_set_pubkey(certificate, key)
      let subject = X509_get_subject_name(certificate)
      X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8, Array("Baize, self-signed".utf8), -1, -1, 0)
      X509_set_issuer_name(certificate, subject)
      let alternatives = names.map { (isAddress($0) ? "IP:" : "DNS:") + $0 }.joined(separator: ",")
      for (kind, value) in [(NID_subject_alt_name, alternatives), (NID_basic_constraints, "critical,CA:TRUE")] {
        guard let extra = X509V3_EXT_conf_nid(nil, nil, kind, value) else { throw failure() }
        X509_add_ext(certificate, extra, -1)
        X509_EXTENSION_free(extra)
      }
      guard X509_sign(certificate, key, EVP_sha256()) != 0, SSL_CTX_use_certificate(context, certificate) == 1,
        SSL_CTX_use_PrivateKey(context, key) == 1
      else { throw failure() }
    }

    /// Returns whether a name is an address.
    static func isAddress(_ name: String) -> Bool {
      var (four, six) = (in_addr(), in6_addr())
      return inet_pton(AF_INET, name, &four) == 1 || inet_pton(AF_INET6, name, &six) == 1
    }

    private static func failure() -> TLSFailure {
      TLSFailure(.unusableFile, "no certificate can be made: \(OpenSSLError.takeLast())")
    }
  }
#endif
