#if PostgreSQL
  import PersistenceSupport

  /// A value of type `numeric` in PostgreSQL's binary form: digits to the base of 10,000, and the first digit's weight.
  ///
  /// A decimal that is not a number is stored as `-Infinity`: see ``PostgresDialect``.
  struct PostgresNumeric: Equatable {
    /// The power of 10,000 by which the first digit is multiplied.
    private(set) var weight = 0
    private(set) var isNegative = false
    private(set) var isNotANumber = false
    /// The number of decimal digits after the point.
    private(set) var scale = 0
    private(set) var digits: [UInt16] = []

    private static let negativeSign: UInt16 = 0x4000
    private static let notANumberSign: UInt16 = 0xC000
    private static let infiniteSigns: ClosedRange<UInt16> = 0xD000...0xF000

    /// Parses a number in the text form of ``StoredDecimal``.
    ///
    /// - Returns: nil if the text is not a number.
    init?(_ text: String) {
      if text == StoredDecimal.notANumber {
        isNotANumber = true
        return
      }
      var whole: [UInt8] = []
      var fraction: [UInt8] = []
      var isBehindPoint = false
      for (index, byte) in text.utf8.enumerated() {
        switch byte {
        case UInt8(ascii: "-") where index == 0: isNegative = true
        case UInt8(ascii: ".") where !isBehindPoint: isBehindPoint = true
        case UInt8(ascii: "0")...UInt8(ascii: "9"):
          if isBehindPoint { fraction.append(byte - UInt8(ascii: "0")) } else { whole.append(byte - UInt8(ascii: "0")) }
        default: return nil
        }
      }
      guard !whole.isEmpty || !fraction.isEmpty else { return nil }
      scale = fraction.count
      while whole.count % 4 != 0 { whole.insert(0, at: 0) }
      while fraction.count % 4 != 0 { fraction.append(0) }
      weight = whole.count / 4 - 1
      let all = whole + fraction
      digits = stride(from: 0, to: all.count, by: 4).map { start in
        all[start..<start + 4].reduce(UInt16(0)) { $0 * 10 + UInt16($1) }
      }
      trim()
    }

    init(_ number: UInt64) {
      var rest = number
      while rest > 0 {
        digits.insert(UInt16(rest % 10_000), at: 0)
        rest /= 10_000
      }
      weight = max(0, digits.count - 1)
      trim()
    }

    private mutating func trim() {
      while digits.first == 0 {
        digits.removeFirst()
        weight -= 1
      }
      while digits.last == 0 { digits.removeLast() }
      if digits.isEmpty { (weight, isNegative) = (0, false) }
    }

    // MARK: Binary form

    /// - Returns: nil if the bytes are not a number.
    init?(bytes: UnsafeRawBufferPointer) {
      func word(_ index: Int) -> UInt16 {
        UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: index * 2, as: UInt16.self))
      }
      guard bytes.count >= 8 else { return nil }
      let count = Int(word(0))
      guard bytes.count >= 8 + 2 * count else { return nil }
      weight = Int(Int16(bitPattern: word(1)))
      let sign = word(2)
      isNegative = sign == Self.negativeSign
      isNotANumber = sign == Self.notANumberSign || Self.infiniteSigns.contains(sign)
      scale = Int(word(3))
      digits = (0..<count).map { word(4 + $0) }
      trim()
    }

    func write(to bytes: inout [UInt8]) {
      let sign: UInt16 = isNotANumber ? Self.infiniteSigns.upperBound : isNegative ? Self.negativeSign : 0
      let head = [
        UInt16(truncatingIfNeeded: digits.count), UInt16(bitPattern: Int16(truncatingIfNeeded: weight)), sign,
      ]
      for word in head + [UInt16(truncatingIfNeeded: scale)] + digits {
        bytes.append(UInt8(word >> 8))
        bytes.append(UInt8(word & 0xFF))
      }
    }

    // MARK: Digits

    /// The number in the text form of ``StoredDecimal``: no trailing zeros in the fraction, and no sign before zero.
    var text: String {
      guard !isNotANumber else { return StoredDecimal.notANumber }
      guard !digits.isEmpty else { return "0" }
      var whole = ""
      var fraction = ""
      for place in min(0, weight + 1)..<max(weight + 1, digits.count) {
        let digit = digits.indices.contains(place) ? digits[place] : 0
        let four = String(digit + 10_000).dropFirst()
        if place <= weight { whole += four } else { fraction += four }
      }
      let shown = whole.drop { $0 == "0" }
      while fraction.last == "0" { fraction.removeLast() }
      return (isNegative ? "-" : "") + (shown.isEmpty ? "0" : String(shown)) + (fraction.isEmpty ? "" : "." + fraction)
    }

    /// The number as an unsigned integer; nil if it has a fraction, is negative or is too large.
    var unsigned: UInt64? {
      guard !isNegative, !isNotANumber else { return nil }
      return UInt64(text)
    }
  }
#endif
