import BaizeDriver
import BaizeLaboratory

extension LoadSession {
  /// Puts a daemon of the run's own under load, without a line a second.
  ///
  /// - Parameter hooks: Sets the session's calls.
  static func measure(
    _ options: LoadOptions, on daemon: ChildProcess, report: @escaping (String) -> Void,
    hooks: (inout LoadSession) -> Void = { _ in }
  ) throws -> LoadResult {
    var options = options
    options.address = options.usesWebSocket ? try daemon.httpAddress : daemon.address
    options.showsProgress = false
    var session = LoadSession(options: options, report: report)
    hooks(&session)
    let result = try session.perform()
    if !result.faults.isNone { report(result.text) }
    return result
  }
}
