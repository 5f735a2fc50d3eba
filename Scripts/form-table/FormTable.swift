/// Properties of 64 consecutive scalars from the standard library, one bit for each.
struct Page: Hashable {
  /// Scalars of combining class 0 that normalization to form C never changes.
  var plain: UInt64 = 0
  /// Scalars of other classes that normalization does not change unless a mark of a higher class precedes them.
  var marks: UInt64 = 0

  init(_ number: Int) {
    for bit in 0..<64 {
      guard let scalar = Unicode.Scalar(UInt32(number * 64 + bit)), Self.isKnownToStay(scalar) else { continue }
      if scalar.properties.canonicalCombiningClass == .notReordered {
        plain |= 1 << bit
      } else {
        marks |= 1 << bit
      }
    }
  }

  /// Whether a scalar is assigned, has no decomposition, and does not compose with a preceding scalar: Unicode's quick
  /// check. An unassigned scalar may get a class or a decomposition in another version. U+0000 and U+0001 are escaped.
  private static func isKnownToStay(_ scalar: Unicode.Scalar) -> Bool {
    var text = String(scalar).utf8Span
    return scalar.value > 1 && scalar.properties.age != nil && text.checkForNFC(quickCheck: true)
  }
}

/// Distinct elements in the order of their first occurrence, with a number for each.
struct Numbered<Element: Hashable> {
  private(set) var elements: [Element] = []
  private var numbers: [Element: Int] = [:]

  mutating func number(of element: Element) -> Int {
    if let number = numbers[element] { return number }
    numbers[element] = elements.count
    elements.append(element)
    return elements.count - 1
  }
}

/// The tables for the C code, one for each length of a scalar in UTF-8.
struct FormTable {
  /// For scalars of two bytes, indexed by all bits except the last six.
  let two = (0..<0x20).map { $0 < 2 ? Page(unused) : Page($0) }
  /// For scalars of three bytes, the numbers of pages. Overlong encodings occur in no valid text.
  private(set) var three: [Int] = []
  private(set) var threePages = Numbered<Page>()
  /// For scalars of four bytes, the numbers of blocks of 64 pages.
  private(set) var four: [Int] = []
  private(set) var blocks = Numbered<[Int]>()
  private(set) var fourPages = Numbered<Page>()

  init() {
    three = (0..<0x400).map { threePages.number(of: $0 < 0x20 ? Page(unused) : Page($0)) }
    four = (0x10..<0x110).map { block in
      let pages = (0..<64).map { fourPages.number(of: Page(block * 64 + $0)) }
      return blocks.number(of: pages)
    }
  }
}

/// A page of surrogates, in which no bit is set.
private let unused = 0xD800 / 64

/// The combining classes of runs of marks, each with the first mark of the run: the scalar in the upper bits, the class
/// in the lower eight.
func markClasses() -> [UInt32] {
  var classes: [UInt32] = []
  for scalar in (UInt32(0)...0x10FFFF).lazy.compactMap(Unicode.Scalar.init) {
    let combiningClass = UInt32(scalar.properties.canonicalCombiningClass.rawValue)
    guard combiningClass != 0, classes.last.map({ $0 & 0xFF }) != combiningClass else { continue }
    classes.append(scalar.value << 8 | combiningClass)
  }
  return classes
}

/// Scalars whose age identifies the version of Unicode: one of each version, and the first of each row of unassigned
/// scalars, because each version so far has assigned some of these.
func versionWitnesses() -> [UInt32] {
  var versions: Set<[Int]> = []
  var witnesses: [UInt32] = []
  var isRow = false
  for scalar in (UInt32(0)...0x10FFFF).lazy.compactMap(Unicode.Scalar.init) {
    let age = scalar.properties.age
    if let age {
      if versions.insert([age.major, age.minor]).inserted { witnesses.append(scalar.value) }
    } else if !isRow {
      witnesses.append(scalar.value)
    }
    isRow = age == nil
  }
  return witnesses
}

/// The newest Unicode version that assigned a scalar.
func newestVersion() -> (major: Int, minor: Int) {
  let ages = (UInt32(0)...0x10FFFF).lazy.compactMap(Unicode.Scalar.init).compactMap(\.properties.age)
  return ages.max { $0 < $1 } ?? (0, 0)
}
