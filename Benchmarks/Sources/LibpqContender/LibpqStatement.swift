#if PostgreSQL
  import CPostgreSQL
  import Foundation

  /// A prepared statement and its parameters, in binary form.
  final class LibpqStatement {
    /// The name of the statement on the server.
    let name: UnsafeMutablePointer<CChar>

    private let connection: LibpqConnection
    private let count: Int
    private let words: UnsafeMutablePointer<UInt64>
    private let values: UnsafeMutablePointer<UnsafePointer<CChar>?>
    private let lengths: UnsafeMutablePointer<Int32>
    private let formats: UnsafeMutablePointer<Int32>
    private var arrays: [Int: LibpqBytes] = [:]

    init(in connection: LibpqConnection, _ types: [LibpqType]) {
      self.connection = connection
      count = types.count
      words = .allocate(capacity: count)
      values = .allocate(capacity: count)
      lengths = .allocate(capacity: count)
      formats = .allocate(capacity: count)
      for index in 0..<count {
        values[index] = UnsafeRawPointer(words + index).assumingMemoryBound(to: CChar.self)
        (lengths[index], formats[index]) = (8, 1)
      }
      name = strdup(UUID().uuidString)
    }

    deinit {
      free(name)
      words.deallocate()
      values.deallocate()
      lengths.deallocate()
      formats.deallocate()
    }

    /// Binds integers to the first parameters.
    @inline(__always)
    func bind(_ first: Int, _ second: Int? = nil, _ third: Int? = nil) {
      words[0] = UInt64(bitPattern: Int64(first)).bigEndian
      if let second { words[1] = UInt64(bitPattern: Int64(second)).bigEndian }
      if let third { words[2] = UInt64(bitPattern: Int64(third)).bigEndian }
    }

    /// Binds a number to a parameter. The first parameter has the index 0.
    @inline(__always)
    func bind(_ number: Double, at index: Int) {
      words[index] = number.bitPattern.bigEndian
    }

    @inline(__always)
    func bind(_ number: Int64, at index: Int) {
      words[index] = UInt64(bitPattern: number).bigEndian
    }

    /// Binds bytes to a parameter, and retains them until another value is bound.
    func bind(_ bytes: LibpqBytes, at index: Int) {
      arrays[index] = bytes
      values[index] = UnsafeRawPointer(bytes.start).assumingMemoryBound(to: CChar.self)
      lengths[index] = Int32(bytes.count)
    }

    /// Runs the statement in a round trip of its own.
    @inline(__always)
    func run() throws -> LibpqResult {
      try LibpqResult(
        PQexecPrepared(connection.handle, name, Int32(count), values, lengths, formats, 1), in: connection)
    }

    /// Sends the statement as a part of a pipeline.
    func send() throws {
      guard PQsendQueryPrepared(connection.handle, name, Int32(count), values, lengths, formats, 1) == 1 else {
        throw connection.error
      }
    }
  }
#endif
