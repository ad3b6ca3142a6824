#if PostgreSQL
  internal import BaizeSync
  internal import BaizeTable

  /// A statement with its parameters, in PostgreSQL's binary format.
  struct PostgresStatement {
    let text: StaticString
    private(set) var parameters: [[UInt8]] = []

    init(_ text: StaticString) { self.text = text }

    // MARK: Parameters

    func with(_ values: Int64...) -> PostgresStatement {
      var statement = self
      for value in values {
        var bytes: [UInt8] = []
        bytes.appendBigEndian(value)
        statement.parameters.append(bytes)
      }
      return statement
    }

    func with(_ text: String) -> PostgresStatement {
      var statement = self
      statement.parameters.append(Array(text.utf8))
      return statement
    }

    /// A `bytea`.
    func with(_ bytes: ArraySlice<UInt8>) -> PostgresStatement {
      var statement = self
      statement.parameters.append(Array(bytes))
      return statement
    }

    /// A `bigint[]`.
    func with(_ values: [Int64]) -> PostgresStatement {
      with(arrayOf: PostgresType.int8, values.count, bytes: values.count * 12) { index, bytes in
        bytes.appendBigEndian(Int32(8))
        bytes.appendBigEndian(values[index])
      }
    }

    /// A `bytea[]`.
    func with(_ values: [ArraySlice<UInt8>]) -> PostgresStatement {
      with(arrayOf: PostgresType.bytea, values.count, bytes: values.reduce(0) { $0 + $1.count + 4 }) { index, bytes in
        bytes.appendBigEndian(Int32(values[index].count))
        bytes.append(contentsOf: values[index])
      }
    }

    /// A `text[]`.
    func with(_ values: [String]) -> PostgresStatement {
      with(arrayOf: PostgresType.text, values.count, bytes: values.count * 32) { index, bytes in
        bytes.appendBigEndian(Int32(values[index].utf8.count))
        bytes.append(contentsOf: values[index].utf8)
      }
    }

    private func with(
      arrayOf type: PostgresType, _ count: Int, bytes capacity: Int, _ append: (Int, inout [UInt8]) -> Void
    ) -> PostgresStatement {
      var bytes: [UInt8] = []
      bytes.reserveCapacity(20 + capacity)
      // Dimensions, no nulls, the elements' type; then the only dimension with its lower bound.
      bytes.appendBigEndian(Int32(count == 0 ? 0 : 1))
      bytes.appendBigEndian(Int32(0))
      bytes.appendBigEndian(type.rawValue)
      if count > 0 {
        bytes.appendBigEndian(Int32(count))
        bytes.appendBigEndian(Int32(1))
      }
      for index in 0..<count { append(index, &bytes) }
      var statement = self
      statement.parameters.append(bytes)
      return statement
    }
  }

  /// The number of a type in every PostgreSQL (`pg_type.dat`).
  enum PostgresType: Int32 {
    case bytea = 17
    case int8 = 20
    case text = 25
  }

  extension [UInt8] {
    fileprivate mutating func appendBigEndian(_ value: some FixedWidthInteger) {
      Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
    }
  }
#endif
