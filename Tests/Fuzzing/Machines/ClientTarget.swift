import BaizeSync
import BaizeTable
import BaizeWire

/// A client of a daemon that sends arbitrary frames: its visible state stays valid, and a model that follows its events shows
/// that state.
///
/// The input is the daemon's stream of frames. Two kinds of frames begin with bytes that no message begins with: those with a
/// zero are something that happens on the client's side, and those with a one are a script of a message that is almost right for
/// the client as it is.
enum ClientTarget {
  static func run(_ input: [UInt8]) -> Bool {
    var client = HostileDaemonsClient()
    let reader = FrameReader()
    var position = 0
    while let range = (try? reader.next(in: input, from: position)) ?? nil {
      let frame = input[range]
      var script = InputScript(frame.dropFirst())
      switch frame.first {
      case 0: client.act(&script)
      case 1: client.receiveAlmostRight(&script)
      default: client.receive(Array(frame))
      }
      position = range.upperBound
    }
    return client.finish()
  }
}
