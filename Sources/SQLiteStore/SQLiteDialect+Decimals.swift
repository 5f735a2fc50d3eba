/// Decimals are texts of canonical digits, which SQLite's own comparison finds equal exactly when the numbers are. Their order is
/// that of a collation, in queries only, or that of keys.
///
/// A key is made by functions that every SQLite has, so any program can keep an index of keys in step. Compared byte by byte, as
/// SQLite compares texts, keys are in the order of the numbers, exactly:
///
/// - not-a-number: the empty text, before all others;
/// - a number from 0 on: a character for the length of its whole part, then the digits. Among numbers with whole parts of one
///   length the point is at the same place, and a text that goes on comes after one that ends;
/// - a negative number: a character that is less the longer the whole part is, then the digits as letters in reversed order, then
///   `~`, which is greater than letters and point, so that a text that goes on comes before one that ends;
/// - any other text, which only another program can have written: after all numbers.
///
/// The characters are U+03E8 plus or minus the length, which for numbers of any `Decimal` are two bytes in UTF-8.
extension SQLiteDialect {
  package func ordered(decimal: String) -> String { "\(decimal) COLLATE \(DecimalCollation.name)" }

  package func key(ofDecimal decimal: String) -> String {
    let end = "instr(\(decimal) || '.', '.')"
    let reversed = zip(0...9, "jihgfedcba").reduce(decimal) { "replace(\($0), '\($1.0)', '\($1.1)')" }
    // The first character tells a sign from a digit, and both from other texts.
    return "CASE WHEN \(decimal) < '.' THEN char(1000 - \(end)) || \(reversed) || '~' "
      + "WHEN \(decimal) < ':' THEN char(1000 + \(end)) || \(decimal) "
      + "WHEN \(decimal) = 'NaN' THEN '' ELSE char(2000) || \(decimal) END"
  }

  package func isKeyMember(_ decimal: String, ofList parameter: String) -> String {
    "\(key(ofDecimal: decimal)) IN (SELECT \(key(ofDecimal: "value")) FROM _osd_list(\(parameter)))"
  }
}
