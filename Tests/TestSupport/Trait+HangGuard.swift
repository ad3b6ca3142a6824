import BaizeDriver
public import Testing

extension Trait where Self == TimeLimitTrait {
  /// Ends a test that hangs. A wait of a test ends earlier (`HangGuard`), with a better description.
  public static var hangGuard: Self { .timeLimit(.minutes(3 * HangGuard.seconds / 60)) }
}
