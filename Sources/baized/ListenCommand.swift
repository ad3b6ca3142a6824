import BaizeCommandLine
import BaizeServer
import BaizeSync
import BaizeTokens
import BaizeTransport

/// `baized`: serves tables until it is stopped.
enum ListenCommand {
  static func run(_ arguments: ArraySlice<String>) -> Never {
    let signals = StopRequest.watch([.interrupt, .terminate, .hangUp])
    let commandLine = ListenOptions.command.read(arguments)
    let (arguments, configuration) = Settings.orRefuse {
      let arguments = try Settings(commandLine).arguments
      var configuration = try ListenOptions.configuration(arguments)
      configuration.creation = try ListenOptions.creation(arguments)
      configuration.admin = try AdminOptions.read(arguments)
      return (arguments, configuration)
    }
    let reload = Reload(commandLine, arguments, configuration)
    StopRequest.run(signals, configuration.log, others: [.hangUp: reload.run]) { request in
      await serve(configuration, reload, until: request)
    }
  }

  private static func serve(
    _ configuration: ServerConfiguration, _ reload: Reload, until request: StopRequest
  ) async -> ExitCode {
    let notices = ServiceNotices(configuration.log)
    if configuration.node != nil { notices.send("READY=1", "STATUS=Waiting for the journal") }
    let starting = Task { await start(configuration) }
    request.onRequest { starting.cancel() }
    // Without a server, the daemon was stopped while it waited for the journal.
    guard let server = await starting.value else { return .success }
    reload.begin(server)
    request.onRequest {
      notices.send("STOPPING=1", "STATUS=Stopping")
      server.beginStop()
    }
    // A program that waits for the next line can then read the log up to here.
    Log.flush()
    let scheme = configuration.tls == nil ? "http" : "https"
    if let address = server.httpAddress { Console.print("baized serves \(scheme)://\(address)/") }
    let adminScheme = configuration.tls?.adminClientAuthorities == nil ? "http" : "https"
    if let address = server.adminAddress { Console.print("baized serves the operator at \(adminScheme)://\(address)/") }
    Console.print("baized listening on \(server.address)")
    if !request.isMade { notices.send("READY=1", "STATUS=Listening on \(server.address)") }
    await server.ended()
    await server.stop()
    configuration.log(.info, "served: \(server.statistics)")
    if server.isSuperseded { return .superseded }
    return (request.isMade || server.isDrained) && !server.hasLostData ? .success : .failure
  }

  /// Starts the server, or ends the program with one line if that fails.
  ///
  /// - Returns: The server; `nil` if the task was cancelled while it waited for the journal.
  private static func start(_ configuration: ServerConfiguration) async -> Server? {
    do {
      return try await Server.start(configuration)
    } catch let error as JournalError where error.kind == .cancelled {
      return nil
    } catch let error as JournalError where error.kind == .unreachable {
      // Another attempt may succeed, unlike with what is refused.
      refuse("\(error)", configuration.log, .failure)
    } catch let error as JournalError {
      refuse("\(error)", configuration.log)
    } catch let error as TLSFailure {
      refuse("\(error)", configuration.log)
    } catch let error as TokenKeyError {
      refuse("\(error)", configuration.log)
    } catch let error as RevocationError {
      refuse("\(error)", configuration.log)
    } catch let error as HTTPListenError {
      refuse("\(error)", configuration.log)
    } catch {
      refuse("cannot listen on \(configuration.address): \(error)", configuration.log)
    }
  }

  /// Ends the program with one line, in the form of the log's.
  private static func refuse(_ text: String, _ log: Log, _ code: ExitCode = .misuse) -> Never {
    switch log.format {
    case .text: Console.printError("baized: \(text)")
    case .json: log(.error, text)
    }
    Console.end(code)
  }
}
