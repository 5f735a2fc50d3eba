import Foundation

/// Reads and writes whole files through the system's calls, which say what went wrong and can flush.
enum ExternalFile {
  /// Why a file cannot be read, in words that continue "the file … ".
  struct Unreadable: Error, CustomStringConvertible {
    let description: String
  }

  static func read(_ path: String, count: Int) throws(Unreadable) -> Data {
    // Opening a named pipe in the place of the file would block.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      let failure = SystemFailure()
      throw Unreadable(description: failure.code == ENOENT ? "is missing" : "cannot be read (\(failure))")
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw Unreadable(description: "is no file")
    }
    guard Int(status.st_size) == count else {
      throw Unreadable(description: "has \(status.st_size) bytes where it should have \(count)")
    }
    var data = Data(count: count)
    guard let failure = data.withUnsafeMutableBytes({ fill($0, from: descriptor) }) else { return data }
    throw Unreadable(description: "cannot be read (\(failure))")
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

  /// Writes a file anew and flushes it.
  static func write(_ bytes: UnsafeRawBufferPointer, to path: String) throws(SystemFailure) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw SystemFailure() }
    defer { close(descriptor) }
    var rest = bytes[...]
    while !rest.isEmpty {
      let part = UnsafeRawBufferPointer(rebasing: rest)
      let count = Foundation.write(descriptor, part.baseAddress, part.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw SystemFailure() }
      rest = rest.dropFirst(count)
    }
    guard fsync(descriptor) == 0 else { throw SystemFailure() }
  }

  /// Flushes the names in a folder.
  static func syncFolder(_ path: String) throws(SystemFailure) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw SystemFailure() }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw SystemFailure() }
  }
}

/// What the system said when a call failed.
struct SystemFailure: Error, Hashable, CustomStringConvertible {
  let code: Int32

  init(code: Int32 = errno) {
    self.code = code
  }

  var description: String { String(cString: strerror(code)) }
}
