import BaizeCommandLine
import BaizeServer
import BaizeSync
import BaizeTransport

/// `baized`: holds tables until it is told to stop.
enum ListenCommand {
  static func run(_ arguments: ArraySlice<String>) -> Never {
    // It goes by itself, whatever stands beside it.
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
    Console.say("baized listening on \(server.address)")
    if !request.isMade { notices.send("READY=1", "STATUS=Listening on \(server.address)") }
    await server.ended()
    await server.stop()
    configuration.log(.info, "served: \(server.statistics)")
    return request.isMade ? .success : .failure
  }

  /// Ends the program with one clear line where nothing can be started.
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
