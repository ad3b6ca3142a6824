/// placeholder
public struct TableState: Sendable {}
