import BaizeCommandLine

/// `baized demo`: a daemon, a table, and bots that play.
enum DemoCommand {
  static func run(_ arguments: ArraySlice<String>) -> Never {
    Console.refuse("baized demo", "there is no demo in this version yet")
  }
}
