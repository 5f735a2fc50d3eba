#if PostgreSQL
  import ConformanceSupport
  import Foundation
  import PostgresSupport
  import Testing

  /// Processes write the same rows concurrently for five seconds. `OSD_SOAK` multiplies the time.
  @Suite("Sixteen processes that write the same rows", .serialized, .timeLimit(.minutes(10)))
  struct LostUpdateTests {
    private static let writers = 16
    private static let rows = 6

    /// A store that the program `RowWriter` has created, and the logged writes of its processes.
    private struct Run {
      let cluster: TestCluster
      let namespace = "Rows \(UUID().uuidString)"
      let gate = FileManager.default.temporaryDirectory.appending(path: "osd-gate-\(UUID().uuidString)").path
      var chains = VersionChains()
      /// The writers that have logged at least one successful or rejected save.
      var active: Set<Int> = []

      init() throws {
        cluster = try TestCluster.shared.get()
        let made = try ProgramProcess("RowWriter", ["make", cluster.url, namespace, "\(rows)"]).end()
        try #require(made.status == 0, "\(made.lines)")
      }

      /// Runs the processes. They begin to write when all are ready.
      mutating func run(_ command: String, seconds: Int) throws {
        defer { try? FileManager.default.removeItem(atPath: gate) }
        let processes = try (0..<writers).map {
          try ProgramProcess("RowWriter", [command, cluster.url, namespace, "\($0)", "\(seconds)", gate])
        }
        var (talking, ready) = (Set(processes.indices), 0)
        while !talking.isEmpty {
          for index in talking where !processes[index].listen({ hear($0, of: index, &ready) }) { talking.remove(index) }
          if ready == writers || talking.count < writers, access(gate, F_OK) != 0 {
            _ = FileManager.default.createFile(atPath: gate, contents: nil)
          }
          if let index = talking.first { processes[index].waitForOutput() }
        }
        for process in processes {
          let end = try process.end()
          #expect(end.status == 0)
        }
      }

      private mutating func hear(_ line: String, of writer: Int, _ ready: inout Int) {
        guard line != "ready" else {
          ready += 1
          return
        }
        chains.add(line: line)
        active.insert(writer)
      }

      func column(_ name: String) throws -> [String: Int] {
        let catalog = try TestCatalog(cluster, namespace: namespace)
        let found = try catalog.rows("SELECT number, \"\(name)\" FROM \"SharedRow\"")
        return Dictionary(uniqueKeysWithValues: found.map { ($0[0] ?? "", $0[1].flatMap { Int($0) } ?? -1) })
      }
    }

    private func run(_ command: String) throws -> Run {
      var run = try Run()
      try run.run(command, seconds: 5 * RandomTesting.soak)
      let (writes, refused) = (run.chains.count, run.chains.refused.count)
      print("\(Self.writers) processes, \(command): \(writes) writes acknowledged, \(refused) saves refused")
      RandomTesting.note("writes of the same rows by sixteen processes (\(command))", writes)
      RandomTesting.note("saves of sixteen processes refused for a conflict", refused)
      #expect(run.chains.others == [])
      #expect(run.active.count == Self.writers && writes >= 2 * Self.writers)
      return run
    }

    @Test("if conflicts throw, no update is lost: the acknowledged writes of each row are one chain")
    func thrown() throws {
      let run = try run("throw")
      // Checks that the processes did conflict.
      #expect(run.chains.refused.count > 5)
      #expect(run.chains.problems(stored: try run.column("version")) == [])
      // Each write also sets the attribute `base` to the version that it replaced.
      let bases = try run.column("base")
      for (row, version) in try run.column("version") {
        let last = run.chains.writes[row]?.first { $0.version == version }
        #expect(last?.replaced == bases[row])
      }
    }

    @Test("if conflicts are merged, no update is lost: each property has the last value whose writer was acknowledged")
    func merged() throws {
      let run = try run("merge")
      var stored: [String: Int] = [:]
      for writer in 0..<Self.writers {
        for (row, version) in try run.column("w\(writer)") { stored["\(row)/\(writer)"] = version }
      }
      #expect(stored.count == Self.rows * Self.writers)
      #expect(run.chains.problems(stored: stored) == [])
      // All processes write the property `version`. Its final value must be one that a process wrote.
      let all = Set(run.chains.writes.values.joined().map(\.version))
      for version in try run.column("version").values { #expect(all.contains(version)) }
    }
  }
#endif
