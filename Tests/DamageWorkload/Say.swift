import Foundation

/// Prints a line at once, so that the line is not lost, however the process ends.
package func say(_ line: String) {
  let bytes = Array((line.replacing("\n", with: " ") + "\n").utf8)
  // No process reads the output any more: the tests have ended.
  guard unsafe Foundation.write(1, bytes, bytes.count) == bytes.count else { exit(0) }
}
