#if PostgreSQL
  import CPostgreSQL

  /// All rows of a statement's result, in binary form.
  struct LibpqResult: ~Copyable {
    private let handle: OpaquePointer

    @inline(__always)
    init(_ handle: OpaquePointer?, in connection: LibpqConnection) throws {
      let status = PQresultStatus(handle)
      guard let handle, status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK else {
        PQclear(handle)
        throw connection.error
      }
      self.handle = handle
    }

    deinit {
      PQclear(handle)
    }

    /// The number of rows.
    var count: Int32 { PQntuples(handle) }

    @inline(__always)
    func row(_ index: Int32) -> LibpqRow {
      LibpqRow(result: handle, index: index)
    }

    /// The integer in the first column of the only row.
    var number: Int { count == 1 ? Int(row(0).integer(0)) : 0 }

    /// Creates an object for every row.
    @inline(__always)
    func items() -> [LibpqItem] {
      (0..<count).map { LibpqItem(row: row($0)) }
    }
  }

  /// A row of a result. It must not be used after the release of the result.
  struct LibpqRow {
    let result: OpaquePointer
    let index: Int32

    @inline(__always)
    func integer(_ column: Int32) -> Int64 {
      Int64(bigEndian: UnsafeRawPointer(PQgetvalue(result, index, column)).loadUnaligned(as: Int64.self))
    }

    @inline(__always)
    func double(_ column: Int32) -> Double {
      Double(bitPattern: UInt64(bitPattern: integer(column)))
    }

    @inline(__always)
    func text(_ column: Int32) -> String {
      let count = Int(PQgetlength(result, index, column))
      return UnsafeRawPointer(PQgetvalue(result, index, column)).withMemoryRebound(to: UInt8.self, capacity: count) {
        String(decoding: UnsafeBufferPointer(start: $0, count: count), as: UTF8.self)
      }
    }

    @inline(__always)
    func optionalText(_ column: Int32) -> String? {
      PQgetisnull(result, index, column) == 1 ? nil : text(column)
    }
  }
#endif
