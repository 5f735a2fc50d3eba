import ConformanceSupport
import Foundation
import Testing

/// A process of the program `DamageReader`, and how it ended.
final class ReaderProcess {
  let identifier: pid_t
  private let output: Int32
  private var unfinished: [UInt8] = []
  /// What was said since the last case began, which is the first line.
  private(set) var story: [String] = []
  /// Errors that are none of the library's, each with the case.
  private(set) var strange: [String] = []

  init(_ arguments: [String]) throws {
    let program = try TestProgram.url("DamageReader").path
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

  deinit { close(output) }

  private static func spawn(_ program: String, _ arguments: [String], output: Int32) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, output, 1)
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    var texts: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) } + [nil]
    // Sets are stored in the same order each time.
    let settings = ["SWIFT_DETERMINISTIC_HASHING=1", "SWIFT_BACKTRACE=enable=no", "TZ=UTC"]
    var variables: [UnsafeMutablePointer<CChar>?] = settings.map { strdup($0) } + [nil]
    defer { for text in texts + variables { free(text) } }
    var identifier: pid_t = 0
    try #require(posix_spawn(&identifier, program, &actions, nil, &texts, &variables) == 0)
    return identifier
  }

  /// Waits for the end, or kills the process when it is silent for so long. The signal that ended it, 0 if none did.
  func signal(silence: Duration) throws -> Int32 {
    var deadline = ContinuousClock.now + silence
    while true {
      var request = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
      poll(&request, 1, 100)
      let line = (story.first, story.count)
      guard listen() else { break }
      if line != (story.first, story.count) { deadline = ContinuousClock.now + silence }
      guard ContinuousClock.now > deadline else { continue }
      Foundation.kill(identifier, SIGKILL)
      break
    }
    var status: Int32 = 0
    try #require(waitpid(identifier, &status, 0) == identifier)
    listen()
    return status & 0x7F
  }

  private func hear(_ line: String) {
    if line.hasPrefix("case ") { story = [] }
    story.append(line)
    if line.hasPrefix("strange ") { strange.append("\(story[0]): \(line)") }
  }

  /// Takes in what has been said. False when nothing more can come.
  @discardableResult
  private func listen() -> Bool {
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
}
