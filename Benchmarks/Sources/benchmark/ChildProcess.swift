#if MEASURES_LIBRARY
  import BenchmarkGauge
  import Foundation

  /// Runs another program and waits until it ends.
  enum ChildProcess {
    /// Runs a program, which is searched for in `PATH`, and returns its standard output. Its standard input is the file
    /// `input`, or empty.
    static func run(
      _ command: [String], input: URL? = nil, adding environment: [String: String] = [:]
    ) throws -> String {
      let process = Process()
      let output = Pipe()
      process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      process.arguments = command
      process.environment = ProcessInfo.processInfo.environment.merging(environment) { _, new in new }
      process.standardInput = try input.map { try FileHandle(forReadingFrom: $0) } ?? FileHandle.nullDevice
      process.standardOutput = output
      try process.run()
      var text = ""
      Interruption.during(process) {
        text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
      }
      guard process.terminationReason == .exit, process.terminationStatus == 0 else {
        throw GaugeError.failed(
          command: command.joined(separator: " "), status: process.terminationStatus, output: text)
      }
      return text
    }
  }
#endif
