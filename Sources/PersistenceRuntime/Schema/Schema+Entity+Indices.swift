extension Schema.Entity {
  /// The members of ``indices`` that are to be plain indexes.
  package var binaryIndices: [[String]] {
    var spatial = rtreeIndices
    return indices.filter { names in
      guard let index = spatial.firstIndex(of: names) else { return true }
      spatial.remove(at: index)
      return false
    }
  }

  /// Takes out what a superentity has already.
  package func removeIndices(binary: Set<[String]>, rtree: Set<[String]>) {
    guard !binary.isEmpty || !rtree.isEmpty else { return }
    let kept = binaryIndices.filter { !binary.contains($0) }
    rtreeIndices.removeAll { rtree.contains($0) }
    indices = kept + rtreeIndices
  }
}
