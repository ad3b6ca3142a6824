import BaizeClient
import BaizeDriver
import BaizeLaboratory
import BaizeSync
import BaizeTable
import Foundation
import TestSupport
import Testing

@testable import BaizeServer

/// What is measured, and the page that shows it (I8: no client can create a time series).
@Suite struct MetricsTests {
  @Test func `the text has a header for each metric, and exact numbers`() {
    var durations = DurationCounts()
    durations.record(nanoseconds: 16_384, times: 2)
    durations.record(nanoseconds: 16_385)
    durations.record(nanoseconds: 60_000_000_000)
    var text = MetricsText()
    text.add(.gauge, "tables", "Tables.", .init(3))
    text.add(
      .counter, "operations_total", "Operations.", .init("verdict", "accepted", 5), .init("verdict", "refused", 0))
    text.add(.gauge, "lag_seconds", "Lag.", .init(0.25))
    text.add("turn_seconds", "Turns.", durations)
    let lines = text.text.split(separator: "\n")
    #expect(
      lines.prefix(9) == [
        "# HELP tables Tables.", "# TYPE tables gauge", "tables 3",
        "# HELP operations_total Operations.", "# TYPE operations_total counter",
        "operations_total{verdict=\"accepted\"} 5", "operations_total{verdict=\"refused\"} 0",
        "# HELP lag_seconds Lag.", "# TYPE lag_seconds gauge",
      ])
    #expect(lines[9] == "lag_seconds 0.25" && lines[11] == "# TYPE turn_seconds histogram")
    #expect(lines[12] == "turn_seconds_bucket{le=\"0.000016384\"} 2")
    #expect(lines[13] == "turn_seconds_bucket{le=\"0.000032768\"} 3")
    #expect(lines.suffix(4).first == "turn_seconds_bucket{le=\"8.589934592\"} 3")
    #expect(
      lines.suffix(3) == [
        "turn_seconds_bucket{le=\"+Inf\"} 4", "turn_seconds_sum 60.000049153", "turn_seconds_count 4",
      ])
  }

  /// Each duration is in the first bucket whose limit it does not exceed.
  @Test func `durations are counted at the edges of their buckets`() {
    for index in 0..<DurationCounts.bucketCount {
      let limit = DurationCounts.limit(ofBucket: index)
      for (value, bucket) in [(limit - 1, index), (limit, index), (limit + 1, index + 1)] {
        var counts = DurationCounts()
        counts.record(nanoseconds: value)
        #expect(counts.buckets.firstIndex(of: 1) == bucket, "\(value) ns")
      }
    }
    for value in [0, 1, UInt64.max] {
      var counts = DurationCounts()
      counts.record(nanoseconds: value)
      #expect(counts.buckets.firstIndex(of: 1) == (value == .max ? DurationCounts.bucketCount : 0))
    }
  }

  @Test func `every reason in the sources is a standard one, and a table type's is not`() throws {
    let source = try Repository.text("Sources/BaizeTable/Model/Refusal.swift")
    let codes = source.matches(of: /public static let \w+ = Reason\("(\w+)"\)/).map { String($0.output.1) }
    #expect(codes.count > 35)
    for code in codes { #expect(Reason(rawValue: code).isStandard, "\(code)") }
    #expect(!Reason(rawValue: "RANK_MISMATCH").isStandard)
  }

  @Test func `a daemon counts what its clients do, and its metrics have no text from them`() async throws {
    try await withServer({ $0.shardCount = 1 }) { server in
      let client = try await server.joinAsApp("evil", "list?items=3", name: "mallory")
      _ = try await client.move(fromOffsets: [0], toOffset: 3, in: "items").outcome
      _ = try await client.move(fromOffsets: [0], toOffset: 3, in: "items").outcome
      let expected = [
        "baize_tables 1", "baize_connections 1", "baize_sessions 1", "baize_members 1", "baize_snapshots_total 1",
        "baize_operations_total{verdict=\"accepted\"} 2", "baize_publish_seconds_count 2", "baize_journal_writable 1",
      ]
      // The sweep counts sessions about once a second.
      #expect(try await eventually { Set(expected).isSubset(of: Self.lines(server)) }, "\(server.metrics)")
      #expect(!server.metrics.contains("evil") && !server.metrics.contains("mallory"))
      #expect(
        Self.lines(server).contains { $0.hasPrefix("baize_memory_bytes{holder=\"tables\"} ") && !$0.hasSuffix(" 0") })
      #expect(Self.lines(server).contains { $0.hasPrefix("process_resident_memory_bytes ") && !$0.hasSuffix(" 0") })
      await client.leave()
    }
  }

  @Test func `a turn is measured once if it did something, whether or not it sent anything`() {
    var metrics = ShardMetrics()
    var turn = TurnMeasurement()
    turn.finish(begunAt: 5, clock: { 20_000 }, &metrics)
    #expect(metrics.turns.count == 0)
    turn.note()
    turn.note()
    turn.finish(begunAt: 5, clock: { 20_000 }, &metrics)
    turn.finish(begunAt: 20_000, clock: { 30_000 }, &metrics)
    #expect(metrics.turns.count == 1 && metrics.turns.sumNanoseconds == 19_995 && metrics.publications.count == 0)
  }

  /// The frame is not complete.
  @Test func `a turn that only reads is measured`() async throws {
    try await withServer({ $0.shardCount = 1 }) { server in
      let client = try BlockingClient(server.address)
      client.write([100])
      #expect(
        try await eventually {
          Self.lines(server).contains { $0.hasPrefix("baize_turn_seconds_count ") && !$0.hasSuffix(" 0") }
        })
      #expect(Self.lines(server).contains("baize_sent_frames_total 0"))
    }
  }

  private static func lines(_ server: Server) -> Set<String> {
    Set(server.metrics.split(separator: "\n").map(String.init))
  }

  @Test(.needs(.promtool))
  func `promtool finds nothing wrong with the metrics`() async throws {
    try await withServer { server in
      let check = try EndedProcess([Tool.promtool.path, "check", "metrics"], input: Data(server.metrics.utf8))
      #expect(check.code == 0, "\(check.output)")
    }
  }
}
