import Foundation

/// Writes a line to the standard output without buffering, so that the line is not lost if the process crashes.
package func say(_ line: String) {
  let bytes = Array((line.replacing("\n", with: " ") + "\n").utf8)
  // If the write fails, the test process has ended and no process reads the output, so this process ends too.
  guard unsafe Foundation.write(1, bytes, bytes.count) == bytes.count else { exit(0) }
}
