import _CSwiftRuntime

// Called by generated code of subclasses. A class reads its own columns apart from the inherited ones: they are not
// adjacent in a fetch of the superclass, and an initialiser sets its own properties first.

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
