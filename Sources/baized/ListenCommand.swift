import BaizeCommandLine
import BaizeServer
import BaizeSync
import BaizeTransport

/// `baized`: serves tables until it is stopped.
enum ListenCommand {
  static func run(_ arguments: ArraySlice<String>) -> Never {
    // `--version` wins over every other flag.
    if arguments.contains("--version") {
      print("baized \(BaizeVersion.text)")
      Console.end(.success)
    }
    let configuration = ListenOptions.configuration(ListenOptions.command.read(arguments))
    StopRequest.run(configuration.log) { request in await serve(configuration, until: request) }
  }

  private static func serve(_ configuration: ServerConfiguration, until request: StopRequest) async -> ExitCode {
    let server = await start(configuration)
    let notices = ServiceNotices(configuration.log)
    request.onRequest {
      notices.send("STOPPING=1", "STATUS=Stopping")
      server.beginStop()
    }
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
      Console.refuse("baized", "\(error)")
    } catch {
      Console.refuse("baized", "cannot listen on \(configuration.address): \(error)")
    }
  }
}
