/// What a row holds in the place of a value in a file: the number of the file, and of the bytes that it must have.
///
/// It is text in a column in which every value is bytes, so that the two cannot be mistaken for each other, whatever the
/// bytes are.
struct ExternalReference: Hashable, Sendable {
  let number: Int64
  let count: Int

  init(number: Int64, count: Int) {
    self.number = number
    self.count = count
  }

  init?(_ text: String) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, let number = Int64(parts[0]), let count = Int(parts[1]), number > 0, count >= 0 else {
      return nil
    }
    self.init(number: number, count: count)
  }

  var text: String { "\(number):\(count)" }
}
