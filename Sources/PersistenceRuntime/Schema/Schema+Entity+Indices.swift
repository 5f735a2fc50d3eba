extension Schema.Entity {
  /// The elements of ``indices`` that are B-tree indexes.
  package var binaryIndices: [[String]] {
    var spatial = rtreeIndices
    return indices.filter { names in
      guard let index = spatial.firstIndex(of: names) else { return true }
      spatial.remove(at: index)
      return false
    }
  }

  /// Removes the indexes that a superentity has.
  package func removeIndices(binary: Set<[String]>, rtree: Set<[String]>) {
    guard !binary.isEmpty || !rtree.isEmpty else { return }
    let kept = binaryIndices.filter { !binary.contains($0) }
    rtreeIndices.removeAll { rtree.contains($0) }
    indices = kept + rtreeIndices
  }
}
