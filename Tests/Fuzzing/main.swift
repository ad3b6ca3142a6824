import Foundation

// baize-fuzz TARGET [OPTIONS OF LIBFUZZER] [FOLDER…]      runs a target
// baize-fuzz seeds PROTOCOL FOLDER                        writes what fuzzing begins with
// baize-fuzz read TARGET FOLDER…                          reads every input once, and says how many make sense
//
// `Tests/fuzz.py` builds and calls it.
let arguments = Array(CommandLine.arguments.dropFirst())
switch (arguments.first, FuzzTarget(rawValue: arguments.first ?? "")) {
case (_, .some): exit(LibFuzzer.run())
case ("seeds", nil) where arguments.count == 3:
  try Seeds(protocolFolder: URL(fileURLWithPath: arguments[1])).write(to: URL(fileURLWithPath: arguments[2]))
case ("read", nil) where arguments.count > 2:
  guard let target = FuzzTarget(rawValue: arguments[1]) else { fallthrough }
  exit(try Corpus(folders: arguments.dropFirst(2).map { URL(fileURLWithPath: $0) }).read(by: target) ? 0 : 1)
default:
  print("targets: \(FuzzTarget.allCases.map(\.rawValue).joined(separator: " "))")
  exit(arguments.isEmpty ? 0 : 2)
}
