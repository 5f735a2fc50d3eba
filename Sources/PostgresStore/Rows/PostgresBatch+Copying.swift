#if PostgreSQL
  // Writes rows in the binary format of COPY.

  extension PostgresBatch {
    /// The size of the rows in bytes.
    var byteCount: Int { columns.reduce(0) { $0 + $1.start } }

    /// Writes the rows in the binary format of COPY, in parts.
    ///
    /// - Parameters:
    ///   - text: An additional last column of each row; nil for none.
    ///   - isFirst: Whether the statement has no rows yet.
    ///   - body: Receives each part, for the duration of the call.
    func copyRows(
      appending text: String?, isFirst: Bool, _ body: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
      if let failure { throw failure }
      // The header of the format: signature, no flags, no extension. The server requires no trailer.
      var part: [UInt8] = []
      if isFirst { part = Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A] + [UInt8](repeating: 0, count: 9) }
      part.reserveCapacity(Self.partSize * 2)
      let last = text.map { Array($0.utf8) }
      var places = [Int](repeating: 0, count: columns.count)
      for _ in 0..<rowCount {
        part.append(bigEndian: UInt16(truncatingIfNeeded: columns.count + (last == nil ? 0 : 1)))
        for index in columns.indices { places[index] = copyValue(of: index, at: places[index], to: &part) }
        if let last {
          part.append(bigEndian: UInt32(truncatingIfNeeded: last.count))
          part.append(contentsOf: last)
        }
        guard part.count >= Self.partSize else { continue }
        try part.withUnsafeBytes(body)
        part.removeAll(keepingCapacity: true)
      }
      if !part.isEmpty { try part.withUnsafeBytes(body) }
    }

    private static let partSize = 65_536

    /// Appends a value, after its size in bytes. Returns the offset of the next value in the column.
    private func copyValue(of index: Int, at place: Int, to part: inout [UInt8]) -> Int {
      columns[index].bytes.withUnsafeBytes { bytes in
        let count = UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self))
        let end = place + 4 + (count == .max ? 0 : Int(count))
        part.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[place..<end]))
        return end
      }
    }
  }
#endif
