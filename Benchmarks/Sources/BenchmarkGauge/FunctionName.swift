/// The name in the table of a function that callgrind found.
enum FunctionName {
  /// Libraries of the compiler. Their functions have symbols in every installation.
  private static let compilersLibraries = ["libswift", "libFoundation", "lib_Foundation", "libdispatch"]

  /// The function's own name, or that of its library in brackets. All functions of a system library count as one,
  /// because their symbols depend on the debug packages of the machine.
  static func of(_ function: Substring, in object: Substring) -> String {
    let file = object.split(separator: "/").last ?? object
    let isNamed = !function.hasPrefix("0x") && function != "???"
    return isNamed && !isOfSystem(file) ? String(withoutDepth(function)) : "[\(file)]"
  }

  private static func isOfSystem(_ file: Substring) -> Bool {
    file.contains(".so") && !compilersLibraries.contains { file.hasPrefix($0) }
  }

  /// Callgrind appends `'2` to the name of a function that was called recursively.
  private static func withoutDepth(_ function: Substring) -> Substring {
    guard let mark = function.lastIndex(of: "'") else { return function }
    let depth = function[function.index(after: mark)...]
    return Int(depth) == nil ? function : function[..<mark]
  }
}
