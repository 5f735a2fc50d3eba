/// The names under which the table of counts lists functions.
enum FunctionName {
  /// The libraries that belong to the compiler. Their functions have symbols in every installation, so they are listed
  /// by name.
  private static let compilersLibraries = ["libswift", "libFoundation", "lib_Foundation", "libdispatch"]

  /// The function's own name, or the name of its library in brackets if the library belongs to the system or the
  /// function has no symbol. All functions of a system library count as one, because their symbols depend on the debug
  /// packages that are installed.
  static func of(_ function: Substring, in object: Substring) -> String {
    let file = object.split(separator: "/").last ?? object
    let isNamed = !function.hasPrefix("0x") && function != "???"
    return isNamed && !isOfSystem(file) ? String(withoutDepth(function)) : "[\(file)]"
  }

  private static func isOfSystem(_ file: Substring) -> Bool {
    file.contains(".so") && !compilersLibraries.contains { file.hasPrefix($0) }
  }

  /// Removes the suffix, such as `'2`, that callgrind appends to the name of a function that was called recursively.
  private static func withoutDepth(_ function: Substring) -> Substring {
    guard let mark = function.lastIndex(of: "'") else { return function }
    let depth = function[function.index(after: mark)...]
    return Int(depth) == nil ? function : function[..<mark]
  }
}
