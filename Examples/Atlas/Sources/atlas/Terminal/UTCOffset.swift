/// An offset from Greenwich time, in the common form: `+05:45`.
struct UTCOffset: CustomStringConvertible {
  let seconds: Int?

  var description: String {
    guard let seconds else { return "unknown" }
    let minutes = abs(seconds) / 60
    return "\(seconds < 0 ? "−" : "+")\(twoDigits(minutes / 60)):\(twoDigits(minutes % 60))"
  }

  private func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
