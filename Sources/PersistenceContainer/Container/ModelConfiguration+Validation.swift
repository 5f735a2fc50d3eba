import PersistenceSupport

extension ModelConfiguration {
  /// Checks that the name can be the name of a file.
  ///
  /// - Throws: `SwiftDataError.configurationFileNameTooLong` or `.configurationFileNameContainsInvalidCharacters`.
  public func validate() throws {
    guard !isStoredInMemoryOnly else { return }
    let fileName = self.fileName
    // Beside the file there are `-wal`, `-shm` and `_external`, and 255 bytes is what file systems allow.
    let longest = 255 - 9
    guard fileName.utf8.count <= longest, (givenName?.utf8.count ?? 0) <= longest else {
      throw SwiftDataError(
        .configurationFileNameTooLong,
        "the store name '\(name.prefix(40))…' makes a file name of \(name.utf8.count) bytes; at most \(longest) are possible"
      )
    }
    // A name that comes from a URL has been a file name already.
    guard let name = givenName ?? (fileName.isEmpty ? "" : nil) else { return }
    guard !name.isEmpty, !name.utf8.contains(where: { $0 == 0 || $0 == 0x2F }), name != ".", name != ".." else {
      throw SwiftDataError(
        .configurationFileNameContainsInvalidCharacters,
        "'\(name)' cannot be the name of a store: it names a file, so it must not be empty or contain '/' or NUL")
    }
  }

  /// The last part of the path, which URL takes several times as long to find.
  private var fileName: Substring {
    path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path[path.utf8.index(after: $0)...] } ?? path[...]
  }
}
