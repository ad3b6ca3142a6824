/// An option with a number: its help and its reading in one value, so that the two cannot differ.
public struct NumberOption: Sendable {
  /// The option of the help.
  public let option: CommandOption
  /// The valid numbers.
  public let range: ClosedRange<Int>
  /// The number where the command line has none.
  public let standard: Int
  /// The unit, for error messages.
  private let unit: String

  public init(
    _ flag: String, _ placeholder: String, _ help: String, in range: ClosedRange<Int>, _ unit: String = "",
    standard: Int
  ) {
    option = CommandOption(flag, placeholder, help, standard: "\(standard)")
    (self.range, self.unit, self.standard) = (range, unit, standard)
  }

  /// Reads the number from a command line.
  ///
  /// - Parameter standard: The number if the command line has none; ``standard`` unless given.
  public func callAsFunction(
    _ parsed: CommandLineArguments, standard: Int? = nil
  ) throws(CommandLineError) -> Int {
    try parsed.number(option.flag, in: range, unit) ?? standard ?? self.standard
  }
}
