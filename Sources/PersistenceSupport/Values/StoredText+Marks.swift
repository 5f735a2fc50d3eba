/// Runs of marks, which the standard library puts in order in quadratic time: 64,000 of them took it 1.6 s.
extension StoredText {
  /// The number of marks that are left to the standard library as they are. A hundred take it 10 µs.
  private static let longRun = 128

  /// The normal form of a text, in a time that grows as its length does.
  static func normalForm(of text: String) -> [UInt8] {
    (mayHaveLongRun(text) ? marksInOrder(text) ?? text : text)._nfcCodeUnits
  }

  private static func mayHaveLongRun(_ text: String) -> Bool {
    guard text.utf8.count > longRun * 2 else { return false }
    var length = 0
    for scalar in text.unicodeScalars {
      length = mayBeMark(scalar) ? length + 1 : 0
      if length > longRun { return true }
    }
    return false
  }

  /// An equal text with the marks of each run in the order of their classes, in which normal forms have them; nil if they
  /// are already. Marks of the same class keep their order.
  private static func marksInOrder(_ text: String) -> String? {
    var ordered = String.UnicodeScalarView()
    var run: [UInt64] = []
    var isChanged = false
    for scalar in text.unicodeScalars {
      guard let key = markKey(of: scalar, at: run.count) else {
        appendRun(&run, to: &ordered)
        ordered.append(scalar)
        continue
      }
      if let former = run.last, former > key { isChanged = true }
      run.append(key)
    }
    appendRun(&run, to: &ordered)
    return isChanged ? String(ordered) : nil
  }

  /// The class of a mark, its place in the run, and the mark, from the highest bit on; nil for other scalars.
  private static func markKey(of scalar: Unicode.Scalar, at place: Int) -> UInt64? {
    guard mayBeMark(scalar) else { return nil }
    let combiningClass = scalar.properties.canonicalCombiningClass.rawValue
    guard combiningClass != 0 else { return nil }
    return UInt64(combiningClass) << 56 | UInt64(place) << 21 | UInt64(scalar.value)
  }

  /// False for most scalars of most texts, which need not be looked up then. A mark for which it were false would end a
  /// run, and the text would stay equal.
  private static func mayBeMark(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case ..<0x300, 0x1100..<0x1300, 0x3100..<0xA66F, 0xAC00..<0xFB1E: false
    default: true
    }
  }

  private static func appendRun(_ run: inout [UInt64], to scalars: inout String.UnicodeScalarView) {
    guard !run.isEmpty else { return }
    run.sort()
    for key in run { scalars.append(Unicode.Scalar(UInt32(key & 0x1F_FFFF)) ?? "\u{FFFD}") }
    run.removeAll(keepingCapacity: true)
  }
}
