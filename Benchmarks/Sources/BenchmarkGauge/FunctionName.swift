/// What the table calls a function that callgrind found.
enum FunctionName {
  /// Libraries that come with the compiler, whose functions have names wherever the compiler is.
  private static let compilersLibraries = ["libswift", "libFoundation", "lib_Foundation", "libdispatch"]

  /// The function's own name, or that of its library in brackets. Functions of the system's libraries are one: whether
  /// they have names depends on the packages of symbols that a machine has.
  static func of(_ function: Substring, in object: Substring) -> String {
    let file = object.split(separator: "/").last ?? object
    let isNamed = !function.hasPrefix("0x") && function != "???"
    return isNamed && !isOfSystem(file) ? String(withoutDepth(function)) : "[\(file)]"
  }

  private static func isOfSystem(_ file: Substring) -> Bool {
    file.contains(".so") && !compilersLibraries.contains { file.hasPrefix($0) }
  }

  /// Callgrind writes `name'2` for a function that was called by itself.
  private static func withoutDepth(_ function: Substring) -> Substring {
    guard let mark = function.lastIndex(of: "'") else { return function }
    let depth = function[function.index(after: mark)...]
    return Int(depth) == nil ? function : function[..<mark]
  }
}
