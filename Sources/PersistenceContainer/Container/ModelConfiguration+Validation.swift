import PersistenceSupport

extension ModelConfiguration {
  /// Checks that the name can be a file name. Opening a container calls it. Apple's.
  ///
  /// - Throws: `SwiftDataError.configurationFileNameTooLong` or `.configurationFileNameContainsInvalidCharacters`.
  public func validate() throws {
    guard !isStoredInMemoryOnly else { return }
    let fileName = self.fileName
    // File systems allow 255 bytes. `_external` is the longest suffix of the files beside the store.
    let longest = 255 - 9
    guard fileName.utf8.count <= longest, (givenName?.utf8.count ?? 0) <= longest else {
      throw SwiftDataError(
        .configurationFileNameTooLong,
        "the store name '\(name.prefix(40))…' makes a file name of \(name.utf8.count) bytes; at most \(longest) are possible"
      )
    }
    // A name taken from a URL is a file name already.
    guard let name = givenName ?? (fileName.isEmpty ? "" : nil) else { return }
    guard !name.isEmpty, !name.utf8.contains(where: { $0 == 0 || $0 == 0x2F }), name != ".", name != ".." else {
      throw SwiftDataError(
        .configurationFileNameContainsInvalidCharacters,
        "'\(name)' cannot be the name of a store: it names a file, so it must not be empty or contain '/' or NUL")
    }
  }

  /// The last component of the path. `URL` takes several times as long to find it.
  private var fileName: Substring {
    path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path[path.utf8.index(after: $0)...] } ?? path[...]
  }
}
