import Foundation
import PersistenceSupport

/// Reads and writes whole files by system calls, which report errors precisely and can flush.
enum ExternalFile {
  /// The reason why a file cannot be read, as a continuation of "the file … ".
  struct Unreadable: Error, CustomStringConvertible {
    let description: String
    /// Whether the value is lost: the file is missing, has another size, or is no regular file. After another error,
    /// for example of the disk, the file may still be readable later.
    var isLost = false

    /// The error of an operation that could not read the file.
    ///
    /// - Parameter what: What was not done, as a continuation of "Nothing was …".
    func storeError(_ path: String, nothing what: String) -> SwiftDataError {
      SwiftDataError(
        .storeFailure,
        "The file \(path) with a large value \(description). Nothing was \(what): mend that and try again, or remove the "
          + "file to go on without the value.")
    }
  }

  static func read(_ path: String, count: Int) throws(Unreadable) -> Data {
    let descriptor = try openToRead(path, count: count)
    defer { close(descriptor) }
    var data = Data(count: count)
    guard let failure = data.withUnsafeMutableBytes({ fill($0, from: descriptor) }) else { return data }
    throw Unreadable(description: "cannot be read (\(failure))")
  }

  /// Opens a file for reading. Throws if the size of the file in bytes is not `count`.
  static func openToRead(_ path: String, count: Int) throws(Unreadable) -> Int32 {
    // Without `O_NONBLOCK`, opening a named pipe instead of the file would block.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      let failure = SystemFailure()
      let isLost = failure.code == ENOENT || failure.code == ENOTDIR
      throw Unreadable(description: isLost ? "is missing" : "cannot be read (\(failure))", isLost: isLost)
    }
    var status = stat()
    let isFile = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    guard isFile, Int(status.st_size) == count else {
      close(descriptor)
      throw Unreadable(
        description: isFile ? "has \(status.st_size) bytes where it should have \(count)" : "is no file", isLost: true)
    }
    return descriptor
  }

  private static func fill(_ bytes: UnsafeMutableRawBufferPointer, from descriptor: Int32) -> SystemFailure? {
    var rest = bytes[...]
    while !rest.isEmpty {
      let part = UnsafeMutableRawBufferPointer(rebasing: rest)
      let count = Foundation.read(descriptor, part.baseAddress, part.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return SystemFailure() }
      rest = rest.dropFirst(count)
    }
    return nil
  }

  /// Overwrites a file and flushes it.
  static func write(_ bytes: UnsafeRawBufferPointer, to path: String) throws(SystemFailure) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw SystemFailure() }
    defer { close(descriptor) }
    try write(bytes, to: descriptor)
    guard fsync(descriptor) == 0 else { throw SystemFailure() }
  }

  private static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) throws(SystemFailure) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let part = UnsafeRawBufferPointer(rebasing: rest)
      let count = Foundation.write(descriptor, part.baseAddress, part.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw SystemFailure() }
      rest = rest.dropFirst(count)
    }
  }

  /// Copies a file that must have a given size, without flushing the copy.
  ///
  /// - Throws: `Unreadable` for the file, or `SystemFailure` for its copy, which is then removed.
  static func copy(_ source: String, to target: String, count: Int) throws {
    let descriptor = try openToRead(source, count: count)
    defer { close(descriptor) }
    let copy = open(target, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard copy >= 0 else { throw SystemFailure() }
    defer { close(copy) }
    do {
      try pass(count, from: descriptor, to: copy)
    } catch {
      unlink(target)
      throw error
    }
  }

  /// Copies in chunks, so that a large value needs little memory.
  private static func pass(_ count: Int, from source: Int32, to target: Int32) throws {
    var left = count
    try withUnsafeTemporaryAllocation(byteCount: 256 << 10, alignment: 1) { buffer in
      while left > 0 {
        let part = UnsafeMutableRawBufferPointer(rebasing: buffer[..<min(left, buffer.count)])
        if let failure = fill(part, from: source) { throw Unreadable(description: "cannot be read (\(failure))") }
        try write(UnsafeRawBufferPointer(part), to: target)
        left -= part.count
      }
    }
  }

  /// Flushes a file that has been written.
  static func sync(_ path: String) throws(SystemFailure) {
    try syncFolder(path)
  }

  /// Flushes a folder, so that new names in the folder are durable.
  static func syncFolder(_ path: String) throws(SystemFailure) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw SystemFailure() }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw SystemFailure() }
  }
}
