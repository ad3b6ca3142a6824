import BaizeCommandLine
import BaizeServer
import BaizeSync
import BaizeTransport

/// `baized`: serves tables until it is stopped.
enum ListenCommand {
  static func run(_ arguments: ArraySlice<String>) -> Never {
    let commandLine = ListenOptions.command.read(arguments)
    let configuration = Settings.orRefuse {
      let settings = try Settings(commandLine)
      var configuration = try ListenOptions.configuration(settings.arguments)
      configuration.creation = try ListenOptions.creation(settings.arguments)
      return configuration
    }
    StopRequest.run(configuration.log) { request in await serve(configuration, until: request) }
  }

  private static func serve(_ configuration: ServerConfiguration, until request: StopRequest) async -> ExitCode {
    let server = await start(configuration)
    let notices = ServiceNotices(configuration.log)
    request.onRequest {
      notices.send("STOPPING=1", "STATUS=Stopping")
      server.beginStop()
    }
    // Whoever waits for the next line has the log up to here.
    Log.flush()
    if let address = server.httpAddress { Console.print("baized serves http://\(address)/") }
    Console.print("baized listening on \(server.address)")
    if !request.isMade { notices.send("READY=1", "STATUS=Listening on \(server.address)") }
    await server.ended()
    await server.stop()
    configuration.log(.info, "served: \(server.statistics)")
    return request.isMade && !server.hasLostData ? .success : .failure
  }

  /// Starts the server, or ends the program with one line if that fails.
  private static func start(_ configuration: ServerConfiguration) async -> Server {
    do {
      return try await Server.start(configuration)
    } catch let error as JournalError {
      refuse("\(error)", configuration.log)
    } catch let error as HTTPListenError {
      refuse("\(error)", configuration.log)
    } catch {
      refuse("cannot listen on \(configuration.address): \(error)", configuration.log)
    }
  }

  /// Ends the program with one line, in the form of the log's.
  private static func refuse(_ text: String, _ log: Log) -> Never {
    switch log.format {
    case .text: Console.refuse("baized", text)
    case .json:
      log(.error, text)
      Console.end(.misuse)
    }
  }
}
