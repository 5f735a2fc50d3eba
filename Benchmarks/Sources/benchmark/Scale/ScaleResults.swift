#if MEASURES_LIBRARY
  import BenchmarkCore

  /// The measurements of the command `scale`, and whether they are in proportion.
  struct ScaleResults {
    /// The measurements of one operation.
    struct Row {
      let operation: ScaleOperation
      /// The measurement for each size, in the order of the sizes; nil if the operation was not run.
      let points: [Point?]
    }

    struct Point {
      /// The time of one row or one operation, in milliseconds.
      let each: Double
      /// The ratio of this time to that of the next smaller size; nil for the smallest size.
      let ratio: Double?
      /// The growth of the peak memory, in bytes.
      let memory: Int
      /// Whether the memory has grown with the number of rows.
      let memoryGrows: Bool

      /// Whether the time or the memory is out of proportion.
      var isFault: Bool { memoryGrows || ratio.map { Budget.ofScale.verdict(on: $0) == .aboveLimit } ?? false }
    }

    let sizes: [Int]
    let rows: [Row]
    let clock: Clock

    init(_ reports: [ScaleReport], sizes: [Int], clock: Clock, only: [ScaleOperation]) {
      (self.sizes, self.clock) = (sizes, clock)
      rows = ScaleOperation.allCases.filter { only.isEmpty || only.contains($0) }.map { operation in
        let own = sizes.map { size in reports.first { $0.operation == operation && $0.rows == size } }
        return Row(operation: operation, points: own.indices.map { Self.point(at: $0, of: own, clock) })
      }
    }

    private static func point(at index: Int, of reports: [ScaleReport?], _ clock: Clock) -> Point? {
      guard let report = reports[index] else { return nil }
      let former = index > 0 ? reports[index - 1] : nil
      let each = report.each(clock.time)
      let memoryGrows = former.map { former in
        report.memory > Budget.memoryOfCaches(report.operation)
          && Double(report.memory) > Double(former.memory) * Budget.ofScale.limit
      }
      return Point(
        each: each, ratio: former.map { each / $0.each(clock.time) }, memory: report.memory,
        memoryGrows: memoryGrows ?? false)
    }

    /// A sentence for each measurement that is out of proportion.
    var faults: [String] {
      rows.flatMap { row in
        zip(sizes, row.points).flatMap { size, point -> [String] in
          guard let point else { return [] }
          var faults: [String] = []
          if let ratio = point.ratio, Budget.ofScale.verdict(on: ratio) == .aboveLimit {
            faults.append("out of proportion: \(row.operation.rawValue), \(size.grouped) rows, \(ratio.asRatio)")
          }
          if point.memoryGrows {
            faults.append(
              "memory grows: \(row.operation.rawValue), \(size.grouped) rows, \(Double(point.memory).asMebibytes)")
          }
          return faults
        }
      }
    }
  }

  extension Budget {
    /// The maximum ratio of the time of a row or an operation to that with a tenth of the rows.
    ///
    /// A tree of ten times as many rows is deeper by half a level, and its pages no longer fit into the caches of
    /// SQLite and of the processor. The tolerance of one half covers this. Work that grows with the square of the rows
    /// has a ratio of ten.
    static let ofScale = Budget(goal: 1.2, limit: 1.5)

    /// The memory that an operation may use with any number of rows: the page cache of SQLite (64 MiB), which fills as
    /// the file grows, and half as much for a batch of rows. SQLite groups rows without an index by sorting them, and
    /// the memory of its sorter has the limit of the page cache. It then continues in temporary files.
    static func memoryOfCaches(_ operation: ScaleOperation) -> Int { (operation == .group ? 160 : 96) << 20 }
  }
#endif
