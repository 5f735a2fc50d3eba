extension String {
  /// The text between quotes, with each quote in it doubled, as SQL writes texts and names.
  ///
  /// By bytes: a quote with a mark behind it is another character to Swift, and still a quote to SQL.
  ///
  /// - Parameter quote: One of ASCII.
  package func quoted(by quote: String) -> String {
    guard let mark = quote.utf8.first, utf8.contains(mark) else { return quote + self + quote }
    var bytes = [mark]
    bytes.reserveCapacity(utf8.count + 8)
    for byte in utf8 {
      if byte == mark { bytes.append(mark) }
      bytes.append(byte)
    }
    return String(decoding: bytes + [mark], as: UTF8.self)
  }
}
