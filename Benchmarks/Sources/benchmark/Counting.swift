#if MEASURES_LIBRARY
  import BenchmarkCore
  import BenchmarkGauge
  import Foundation
  import OurContender

  /// Counts the instructions of workloads, for the library and for hand-written code.
  struct Counting {
    let workloads: [Workload]
    let rows: Int

    func run(under conditions: [Condition]) throws -> GaugeTable {
      let directory = FileManager.default.temporaryDirectory.appendingPathComponent("gauge-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: directory) }
      let executable = try makeReadable(in: directory)
      let raw = try count(Contenders.base, executable, in: directory)
      let ours = try count(OurContender(), executable, in: directory)
      let names = Set(ours.values.flatMap { $0.counts.keys })
      let demangling = try Demangling(of: names, in: directory)
      let counts = workloads.compactMap { workload in
        ours[workload].map { profile in
          WorkloadCount(
            workload: workload.rawValue, ours: profile.total, raw: raw[workload]?.total ?? 0,
            functions: demangling.apply(to: profile).counts)
        }
      }
      return GaugeTable(conditions: conditions, workloads: counts)
    }

    /// Copies this program without its debug information, which Valgrind cannot read. The names of functions are kept.
    private func makeReadable(in directory: URL) throws -> URL {
      let copy = directory.appendingPathComponent("benchmark")
      let original = Bundle.main.executableURL?.path ?? ""
      _ = try ChildProcess.run(["objcopy", "--strip-debug", original, copy.path])
      return copy
    }

    private func count(
      _ contender: any Contender, _ executable: URL, in directory: URL
    ) throws -> [Workload: Profile] {
      let progress = Progress()
      defer { progress.clear() }
      progress.show("counting \(contender.title)")
      let round = CountedRound(
        contender: contender, workloads: workloads, rows: rows,
        directory: directory.appendingPathComponent(contender.name))
      return try round.run(executable)
    }
  }
#endif
