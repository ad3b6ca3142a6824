#if PostgreSQL
  internal import BaizeSync
  internal import CPostgres

  /// The rows that a statement has returned, in binary format. Rows and columns count from 0.
  final class PostgresResult {
    private let result: OpaquePointer

    init(_ result: OpaquePointer) { self.result = result }

    deinit { PQclear(result) }

    var count: Int { Int(PQntuples(result)) }

    func isNull(_ row: Int, _ column: Int) -> Bool { PQgetisnull(result, Int32(row), Int32(column)) == 1 }

    /// Returns a `bigint` or `int`; 0 for null.
    func integer(_ row: Int, _ column: Int) -> Int64 {
      withBytes(row, column) { bytes in
        switch bytes.count {
        case 8: Int64(bigEndian: bytes.loadUnaligned(as: Int64.self))
        case 4: Int64(Int32(bigEndian: bytes.loadUnaligned(as: Int32.self)))
        case _: 0
        }
      }
    }

    func bytes(_ row: Int, _ column: Int) -> ArraySlice<UInt8> { withBytes(row, column) { ArraySlice($0) } }

    func text(_ row: Int, _ column: Int) -> String { withBytes(row, column) { String(decoding: $0, as: UTF8.self) } }

    private func withBytes<Value>(_ row: Int, _ column: Int, _ body: (UnsafeRawBufferPointer) -> Value) -> Value {
      let start = PQgetvalue(result, Int32(row), Int32(column))
      let count = Int(PQgetlength(result, Int32(row), Int32(column)))
      return body(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
    }
  }
#endif
