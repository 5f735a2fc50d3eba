import _CSwiftRuntime

/// The form in which stores keep texts: normal form C of the standard library, with U+0000 and U+0001 escaped.
///
/// Two texts are equal under `==` exactly when their stored forms have the same bytes, so that a store compares bytes.
/// The normal form is the one of the standard library, which `==` uses: the tables of other libraries are of other
/// versions of Unicode.
///
/// U+0000 is written as U+0001 U+0001, and U+0001 as U+0001 U+0002. Many programs end a text at U+0000. The escape keeps
/// texts apart that differ, and keeps their order.
///
/// The form of a form is the same text, with two exceptions: texts with U+0000 or U+0001, whose escape would be escaped,
/// and texts with U+0F73, U+0F75 or U+0F81, which the standard library takes for starters and decomposes to marks. So
/// the form of a text is taken once, from the text.
package enum StoredText {
  /// Whether bytes surely are a text in stored form. False says nothing: ``differingForm(of:)`` tells.
  ///
  /// - Parameter bytes: UTF-8. Bytes that are none are never sure.
  package static func isSurelyStored(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    osd_is_stored_form(bytes.baseAddress, bytes.count)
  }

  /// The stored form of a text: the text itself if it is already.
  package static func form(of text: String) -> String {
    differingForm(of: text) ?? text
  }

  /// The stored form of a text if it has other bytes than the text, else nil.
  package static func differingForm(of text: String) -> String? {
    var text = text
    return text.withUTF8 { isSurelyStored($0) } ? nil : differingFormByLibrary(of: text)
  }

  /// The text of a stored form, in normal form C: undoes the escape of U+0000 and U+0001, and nothing else.
  ///
  /// A U+0001 that begins no escape, as another program may have written it, stays what it is.
  package static func original(ofForm form: String) -> String {
    form.utf8.contains(escape) ? String(decoding: unescaped(form.utf8), as: UTF8.self) : form
  }

  @inline(never)
  private static func differingFormByLibrary(of text: String) -> String? {
    let form = escaped(text._nfcCodeUnits)
    return form.elementsEqual(text.utf8) ? nil : String(decoding: form, as: UTF8.self)
  }

  // MARK: The escape

  /// Begins an escape. No other scalar's UTF-8 has this byte.
  private static let escape: UInt8 = 1

  private static func escaped(_ bytes: [UInt8]) -> [UInt8] {
    guard bytes.contains(where: { $0 <= escape }) else { return bytes }
    var escaped: [UInt8] = []
    escaped.reserveCapacity(bytes.count * 2)
    for byte in bytes {
      if byte <= escape {
        escaped.append(escape)
        escaped.append(byte + 1)
      } else {
        escaped.append(byte)
      }
    }
    return escaped
  }

  private static func unescaped(_ bytes: String.UTF8View) -> [UInt8] {
    var unescaped: [UInt8] = []
    unescaped.reserveCapacity(bytes.count)
    var rest = bytes[...]
    while let byte = rest.popFirst() {
      if byte == escape, let next = rest.first, next == 1 || next == 2 {
        unescaped.append(next - 1)
        rest.removeFirst()
      } else {
        unescaped.append(byte)
      }
    }
    return unescaped
  }

  // MARK: Unicode

  /// The version of Unicode of the running standard library, such as `17` or `15.1`.
  package static let unicodeVersion: String = {
    let ages = youngScalars.compactMap(\.properties.age)
    guard let newest = ages.max(by: { ($0.major, $0.minor) < ($1.major, $1.minor) }) else { return "0" }
    return newest.minor == 0 ? "\(newest.major)" : "\(newest.major).\(newest.minor)"
  }()

  /// One scalar of each version.
  private static let youngScalars: [Unicode.Scalar] = [
    "\u{860}", "\u{560}", "\u{C77}", "\u{32FF}", "\u{8BE}", "\u{61D}", "\u{CF3}", "\u{2FFC}", "\u{897}", "\u{88F}",
  ]
}
