#if PostgreSQL
  import CPostgreSQL
  import Foundation

  /// A growing buffer to which values are appended in network byte order.
  final class LibpqBytes {
    private(set) var start: UnsafeMutableRawPointer
    private(set) var count = 0
    private var capacity: Int

    init(capacity: Int) {
      self.capacity = max(64, capacity)
      start = .allocate(byteCount: self.capacity, alignment: 8)
    }

    deinit {
      start.deallocate()
    }

    /// Encodes a PostgreSQL array of 8-byte numbers.
    static func array(_ type: LibpqType, count: Int, _ element: (Int) -> UInt64) -> LibpqBytes {
      let bytes = LibpqBytes(capacity: 20 + count * 12)
      for word in [1, 0, type.rawValue, UInt32(count), 1] { bytes.append(word) }
      for index in 0..<count {
        bytes.append(UInt32(8))
        bytes.append(element(index))
      }
      return bytes
    }

    static func array(_ numbers: [Int64]) -> LibpqBytes {
      array(.int8, count: numbers.count) { UInt64(bitPattern: numbers[$0]) }
    }

    @inline(__always)
    func append(_ number: some FixedWidthInteger) {
      let size = number.bitWidth / 8
      reserve(size)
      start.storeBytes(of: number.bigEndian, toByteOffset: count, as: type(of: number))
      count += size
    }

    @inline(__always)
    func append(_ bytes: UnsafeBufferPointer<UInt8>) {
      reserve(bytes.count)
      if let source = bytes.baseAddress { (start + count).copyMemory(from: source, byteCount: bytes.count) }
      count += bytes.count
    }

    func removeAll() { count = 0 }

    @inline(__always)
    private func reserve(_ size: Int) {
      if count + size > capacity { grow(by: size) }
    }

    @inline(never)
    private func grow(by size: Int) {
      capacity = max(capacity * 2, count + size)
      let new = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 8)
      new.copyMemory(from: start, byteCount: count)
      start.deallocate()
      start = new
    }
  }

  /// Inserts rows into a table with `COPY … (FORMAT binary)`.
  struct LibpqCopy {
    private let connection: LibpqConnection
    private let bytes = LibpqBytes(capacity: 80_000)
    private static let pieceSize = 64_000

    init(_ connection: LibpqConnection) {
      self.connection = connection
      let signature: [UInt8] = [0x50, 0x47, 0x43, 0x4F, 0x50, 0x59, 0x0A, 0xFF, 0x0D, 0x0A, 0x00]
      for byte in signature { bytes.append(byte) }
      bytes.append(UInt64(0))
    }

    /// Begins a new row, after sending the previous rows if they fill a piece.
    @inline(__always)
    mutating func beginRow(columns: Int16) throws {
      if bytes.count > Self.pieceSize { try send() }
      bytes.append(columns)
    }

    @inline(__always)
    mutating func append(_ number: Int64) {
      bytes.append(UInt32(8))
      bytes.append(number)
    }

    @inline(__always)
    mutating func append(_ number: Double) {
      bytes.append(UInt32(8))
      bytes.append(number.bitPattern)
    }

    @inline(__always)
    mutating func append(_ text: inout String) {
      text.withUTF8 {
        bytes.append(UInt32($0.count))
        bytes.append($0)
      }
    }

    @inline(__always)
    mutating func append(_ text: inout String?) {
      guard var own = text else { return bytes.append(Int32(-1)) }
      append(&own)
    }

    private mutating func send() throws {
      let piece = UnsafeRawPointer(bytes.start).assumingMemoryBound(to: CChar.self)
      guard PQputCopyData(connection.handle, piece, Int32(bytes.count)) == 1 else { throw connection.error }
      bytes.removeAll()
    }

    mutating func end() throws {
      bytes.append(Int16(-1))
      try send()
      guard PQputCopyEnd(connection.handle, nil) == 1 else { throw connection.error }
    }
  }
#endif
