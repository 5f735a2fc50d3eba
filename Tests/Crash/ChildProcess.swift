import ConformanceSupport
import Foundation
import Testing

/// A process of the program `CrashWriter`, and what it has said so far.
final class ChildProcess {
  let identifier: pid_t
  private let output: Int32
  private var unfinished: [UInt8] = []
  private(set) var lines: [String] = []
  private var hasEnded = false

  init(_ arguments: String...) throws {
    let program = try TestProgram.url("CrashWriter").path
    var ends: [Int32] = [0, 0]
    let code = pipe(&ends)
    try #require(code == 0)
    defer { close(ends[1]) }
    // Closed in any other process that is started meanwhile, which would keep the pipe open.
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    output = ends[0]
    _ = fcntl(output, F_SETFL, O_NONBLOCK)
    identifier = try Self.spawn(program, arguments, output: ends[1])
  }

  deinit {
    if !hasEnded { _ = endStatus() }
    close(output)
  }

  private static func spawn(_ program: String, _ arguments: [String], output: Int32) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, output, 1)
    var texts: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) } + [nil]
    defer { for text in texts { free(text) } }
    var identifier: pid_t = 0
    try #require(posix_spawn(&identifier, program, &actions, nil, &texts, environ) == 0)
    return identifier
  }

  // MARK: Listening

  /// Waits until enough of what the process said begins like this.
  func waitForLines(_ count: Int = 1, beginningWith prefix: String) throws {
    let deadline = ContinuousClock.now + .seconds(30)
    while lines.count(where: { $0.hasPrefix(prefix) }) < count {
      try #require(ContinuousClock.now < deadline, "the process is silent after \(lines.suffix(3))")
      var request = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
      poll(&request, 1, 100)
      let isOpen = listen()
      try #require(isOpen, "the process has ended after \(lines.suffix(3))")
    }
  }

  /// Takes in what has been said. False when nothing more can come.
  @discardableResult
  func listen() -> Bool {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(output, &buffer, buffer.count)
      guard count > 0 else { return count < 0 && errno == EAGAIN }
      unfinished += buffer[..<count]
      while let end = unfinished.firstIndex(of: 10) {
        lines.append(String(decoding: unfinished[..<end], as: UTF8.self))
        unfinished.removeSubrange(...end)
      }
    }
  }

  // MARK: Ending

  /// Kills the process, and takes in what it said before.
  func kill() throws {
    let status = endStatus()
    listen()
    try #require(status == SIGKILL, "the process ended by itself, with \(status), after \(lines.suffix(3))")
  }

  /// Kills the process if it has not ended by itself, and takes in what it said before.
  func end() {
    _ = endStatus()
    listen()
  }

  /// Waits for an end that the process comes to by itself, and returns its exit code.
  func exitCode() throws -> Int32 {
    var status: Int32 = 0
    try #require(waitpid(identifier, &status, 0) == identifier)
    hasEnded = true
    listen()
    try #require(status & 0x7F == 0, "a signal ended the process")
    return (status >> 8) & 0xFF
  }

  private func endStatus() -> Int32 {
    var status: Int32 = 0
    Foundation.kill(identifier, SIGKILL)
    waitpid(identifier, &status, 0)
    hasEnded = true
    return status
  }
}
