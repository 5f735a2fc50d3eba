import SwiftData
import Testing

/// A process that runs one of the package's programs. A test can read its output while it runs, and has to call
/// ``end()``.
package final class ProgramProcess {
  package let identifier: pid_t
  private let output: Int32
  private var unfinished: [UInt8] = []

  /// - Parameters:
  ///   - environment: The environment variables, as `name=value`; nil for those of the tests.
  ///   - showsErrors: Whether the standard error of the process is visible; otherwise it is discarded.
  package init(
    _ name: String, _ arguments: [String], environment: [String]? = nil, showsErrors: Bool = true
  ) throws {
    let program = try TestProgram.url(name).path
    var ends: [Int32] = [0, 0]
    let code = pipe(&ends)
    try #require(code == 0)
    defer { close(ends[1]) }
    // Other processes that start at the same time must not inherit the pipe, because they would keep it open.
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    output = ends[0]
    _ = fcntl(output, F_SETFL, O_NONBLOCK)
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
    if !showsErrors { posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0) }
    let variables = environment ?? ProcessInfo.processInfo.environment.map { "\($0)=\($1)" }
    identifier = try Self.spawn([program] + arguments, variables, &actions)
  }

  deinit { close(output) }

  private static func spawn(
    _ words: [String], _ variables: [String], _ actions: inout posix_spawn_file_actions_t
  ) throws -> pid_t {
    var texts: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    var settings: [UnsafeMutablePointer<CChar>?] = variables.map { strdup($0) } + [nil]
    defer { for text in texts + settings { free(text) } }
    var identifier: pid_t = 0
    try #require(posix_spawn(&identifier, words[0], &actions, nil, &texts, &settings) == 0)
    return identifier
  }

  /// Waits up to 100 ms for output of the process.
  package func waitForOutput() {
    var request = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
    poll(&request, 1, 100)
  }

  /// Passes each complete line that has arrived to the closure. Returns false at the end of the output.
  package func listen(_ hear: (String) -> Void) -> Bool {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(output, &buffer, buffer.count)
      guard count > 0 else { return count < 0 && errno == EAGAIN }
      unfinished += buffer[..<count]
      while let end = unfinished.firstIndex(of: 10) {
        hear(String(decoding: unfinished[..<end], as: UTF8.self))
        unfinished.removeSubrange(...end)
      }
    }
  }

  /// Waits until the process ends. Returns the lines that ``listen(_:)`` has not passed on, and the wait status: 0 for
  /// success.
  package func end() throws -> (lines: [String], status: Int32) {
    var lines: [String] = []
    while listen({ lines.append($0) }) { waitForOutput() }
    var status: Int32 = 0
    try #require(waitpid(identifier, &status, 0) == identifier)
    return (lines, status)
  }
}
