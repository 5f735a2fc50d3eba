import _CSwiftRuntime

// What generated code of a subclass of a model calls. It reads its own columns apart from those that it inherits: those
// of a fetch by the superclass are not behind each other, and a class sets its own properties first.

extension RowReader {
  /// Moves to the columns of the class whose properties begin at a position.
  public mutating func enter(_ firstPosition: Int) {
    column = session.column(of: firstPosition)
  }

  package func integer(at column: Int32) -> Int64 { functions.pointee.integer(row, column) }

  /// Moves to the columns of the root, and lets the superclasses skip the initial values of their slots.
  public mutating func beginSupermodel() {
    column = 1
    osd_set_decoding(true)
  }
}
