// Prints the C header with the table.

let table = FormTable()
let version = newestVersion()

/// The rows of an array, each with as many elements as fit.
func rows(_ elements: [String]) -> String {
  var rows = [" "]
  for element in elements {
    if rows[rows.count - 1].count + element.count + 2 > 120 { rows.append(" ") }
    rows[rows.count - 1] += " \(element),"
  }
  return rows.joined(separator: "\n")
}

func hexadecimal(_ value: some BinaryInteger) -> String { "0x" + String(value, radix: 16, uppercase: true) }

func bytes(_ name: String, _ numbers: [Int]) -> String {
  guard numbers.allSatisfy({ $0 < 256 }) else { fatalError("\(name) has numbers that no byte holds: use two bytes") }
  return "static const uint8_t \(name)[\(numbers.count)] = {\n\(rows(numbers.map(String.init)))\n};"
}

func pages(_ name: String, _ pages: [Page]) -> String {
  let elements = pages.map { "{\(hexadecimal($0.plain)), \(hexadecimal($0.marks))}" }
  return "static const struct form_page \(name)[\(pages.count)] = {\n\(rows(elements))\n};"
}

func words(_ name: String, _ numbers: [UInt32]) -> String {
  "static const uint32_t \(name)[\(numbers.count)] = {\n\(rows(numbers.map(hexadecimal)))\n};"
}

print(
  """
  // Written by Scripts/write-form-table. See StoredForm.c.

  #define FORM_TABLE_MAJOR \(version.major)
  #define FORM_TABLE_MINOR \(version.minor)

  // Scalars of two bytes: pages by the first byte.
  \(pages("two_bytes", table.two))

  // Scalars of three bytes: the number of a page by the first two bytes.
  \(bytes("three_bytes", table.three))
  \(pages("three_byte_pages", table.threePages.elements))

  // Scalars of four bytes: the number of a block by the first two bytes, in it the number of a page by the third.
  \(bytes("four_bytes", table.four))
  \(bytes("four_byte_blocks", table.blocks.elements.flatMap { $0 }))
  \(pages("four_byte_pages", table.fourPages.elements))

  // Combining classes in the lower eight bits, above them the first of the marks that have it.
  \(words("mark_classes", markClasses()))

  // One scalar of each version of Unicode, and the first of each row of scalars that are not assigned.
  \(words("version_witnesses", versionWitnesses()))
  """)
