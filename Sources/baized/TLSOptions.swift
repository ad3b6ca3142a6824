import BaizeCommandLine
import BaizeServer
import BaizeTable
import BaizeTransport

/// The flags of TLS.
enum TLSOptions {
  static let all = [
    CommandOption(
      "--tls-certificate", "FILE",
      "Has clients and browsers use TLS, at the same addresses: the certificate and those in between, in PEM form. SIGHUP reads "
        + "it again, and the key with it. (A build without the trait OpenSSL has no TLS.)", standard: "none"),
    CommandOption(
      "--tls-key", "FILE", "The key of --tls-certificate, in PEM form, without a password.", standard: "none"),
    CommandOption(
      "--tls-self-signed", nil,
      "TLS for trying out: with a certificate of its own making, for this machine and the names of --allow-host, which no "
        + "client trusts by itself."),
    CommandOption(
      "--admin-client-ca", "FILE",
      "Has the operator's address use TLS, and accept only clients with a certificate of one of these authorities, in PEM form; "
        + "they need the token too.", standard: "none"),
  ]

  static func read(_ arguments: CommandLineArguments) throws -> TLSConfiguration? {
    let authorities = arguments.text("--admin-client-ca")
    guard let identity = try identity(arguments) else {
      guard authorities == nil else {
        throw arguments.mistake(in: "--admin-client-ca", needed: "'--tls-certificate' with it")
      }
      return nil
    }
    guard authorities == nil || arguments.text("--admin") != nil else {
      throw arguments.mistake(in: "--admin-client-ca", needed: "'--admin' with it")
    }
    return TLSConfiguration(identity: identity, adminClientAuthorities: authorities)
  }

  private static func identity(_ arguments: CommandLineArguments) throws -> TLSContext.Identity? {
    let (certificate, key) = (arguments.text("--tls-certificate"), arguments.text("--tls-key"))
    if arguments.has("--tls-self-signed") {
      guard certificate == nil, key == nil else {
        throw CommandLineError.exclusive("--tls-self-signed", certificate == nil ? "--tls-key" : "--tls-certificate")
      }
      return .selfSigned(names: names(arguments))
    }
    switch (certificate, key) {
    case (nil, nil): return nil
    case (let certificate?, let key?): return .files(certificate: certificate, key: key)
    case (nil, _): throw arguments.mistake(in: "--tls-key", needed: "'--tls-certificate' with it")
    case (_, nil): throw arguments.mistake(in: "--tls-certificate", needed: "'--tls-key' with it")
    }
  }

  private static func names(_ arguments: CommandLineArguments) -> [String] {
    ["localhost", "127.0.0.1", "::1"] + HTTPOptions.hosts(arguments)
  }
}
