import BaizeSync
import BaizeTable
import BaizeTransport

/// Everything that is measured of a daemon, for one page of metrics.
struct ServerMetrics {
  var statistics: ServerStatistics
  var shards = ShardMetrics()
  var shardCount = 1
  /// The limit of the clients' memory, in bytes.
  var memoryBytesMax: Int
  /// The measures against a shortage of memory.
  var mark = MemoryMark.normal
  /// The connections of the address that has the most.
  var connectionsOfAddressMost = 0
  /// The number of times that an address had as many as it may, as logged.
  var connectionSharesExceeded = 0
  /// `nil` without TLS.
  var tls: TLSFigures?
  /// `nil` if no signed tokens are needed.
  var tokens: TokenFigures?
  /// Whether the daemon is a node that waits for the journal; `nil` if it is no node.
  var isWaiting: Bool?
  var process = ProcessMetrics.current

  /// The page, in Prometheus' text format.
  var text: String {
    var text = MetricsText()
    addProcess(to: &text)
    addConnections(to: &text)
    if let tls { add(tls, to: &text) }
    if let tokens { add(tokens, to: &text) }
    addOperations(to: &text)
    addTurns(to: &text)
    addJournal(to: &text)
    addMemory(to: &text)
    addAccounts(to: &text)
    return text.text
  }

  private func addProcess(to text: inout MetricsText) {
    text.add(
      .gauge, "baize_build_info", "Always 1, with the version of the daemon.",
      MetricsText.Sample("version", BaizeVersion.text, 1))
    if let isWaiting {
      text.add(
        .gauge, "baize_node_waiting", "Whether the node waits while another one serves (--node).",
        .init(isWaiting ? 1 : 0))
    }
    text.add(.gauge, "baize_shards", "Threads that hold tables.", .init(shardCount))
    text.add(
      .counter, "process_cpu_seconds_total", "Processor time of the process.", .init(process.processorSeconds))
    text.add(.gauge, "process_resident_memory_bytes", "Resident memory of the process.", .init(process.residentBytes))
    text.add(.gauge, "process_open_fds", "Open descriptors of the process.", .init(process.descriptors))
    text.add(.gauge, "process_max_fds", "Most descriptors that the process may open.", .init(process.descriptorsMax))
    text.add(
      .gauge, "process_start_time_seconds", "Start of the process, in seconds since 1970.", .init(process.startSeconds))
  }

  private func addConnections(to text: inout MetricsText) {
    text.add(.gauge, "baize_connections", "Open connections.", .init(statistics.connections))
    text.add(
      .counter, "baize_connections_accepted_total", "Accepted connections, rejected ones included.",
      .init(statistics.connectionsAccepted))
    text.add(
      .counter, "baize_connections_rejected_total", "Connections rejected at once by a limit.",
      .init(statistics.connectionsRejected))
    text.add(
      .counter, "baize_tables_expired_total", "Tables that were deleted because nobody used them (--expire).",
      .init(statistics.tablesExpired))
    text.add(
      .gauge, "baize_sessions", "Sessions of the tables in memory, absent ones included.", .init(statistics.sessions))
    text.add(.gauge, "baize_members", "Connections that have joined a table.", .init(statistics.members))
    text.add(.counter, "baize_received_bytes_total", "Bytes received in frames.", .init(statistics.bytesReceived))
    text.add(.counter, "baize_sent_bytes_total", "Bytes queued for sending.", .init(statistics.bytesSent))
    text.add(.counter, "baize_received_frames_total", "Frames received.", .init(statistics.framesReceived))
    text.add(.counter, "baize_sent_frames_total", "Frames queued for sending.", .init(statistics.framesSent))
    text.add(
      .gauge, "baize_outbox_connections", "Connections with much unsent output, which is watched.",
      .init(statistics.backlogs))
  }

  private func add(_ tls: TLSFigures, to text: inout MetricsText) {
    text.add(
      .counter, "baize_tls_handshakes_total", "Handshakes of TLS, by their outcome.",
      .init("outcome", "established", tls.established), .init("outcome", "failed", tls.failed))
    text.add(
      .gauge, "baize_tls_newcomers", "Connections without TLS yet, by what they are doing.",
      .init("state", "waiting", tls.waiting), .init("state", "handshake", tls.handshakes))
    text.add(
      .gauge, "baize_tls_certificate_seconds",
      "Time for which the certificate is still valid, negative once it has expired.",
      .init(tls.secondsValid))
  }

  private func add(_ tokens: TokenFigures, to text: inout MetricsText) {
    let counts = tokens.counts
    text.add(
      .counter, "baize_signed_tokens_total", "Signed tokens that clients have shown, by what was found.",
      .init("outcome", "verified", counts.verified), .init("outcome", "remembered", counts.remembered),
      .init("outcome", "expired", counts.expired), .init("outcome", "refused", counts.refused),
      .init("outcome", "postponed", counts.postponed))
    text.add(.gauge, "baize_revocations", "Persons and signed tokens that are revoked.", .init(tokens.revocations))
    text.add(
      .gauge, "baize_signed_tokens", "Signed tokens, by whether they are to be verified or are remembered.",
      .init("state", "waiting", tokens.waiting), .init("state", "remembered", tokens.remembered))
  }

  private func addOperations(to text: inout MetricsText) {
    let operations = statistics.operations
    text.add(.gauge, "baize_tables", "Tables in memory.", .init(statistics.tables))
    text.add(
      .counter, "baize_operations_total", "Operations by verdict.",
      .init("verdict", "accepted", operations.accepted), .init("verdict", "unchanged", operations.unchanged),
      .init("verdict", "refused", operations.refused), .init("verdict", "retry", operations.retried))
    text.add(
      .counter, "baize_refusals_total", "Operations refused, or to be sent again, by reason.",
      shards.reasons.sorted { $0.key.rawValue < $1.key.rawValue }.map { .init("reason", $0.key.rawValue, $0.value) })
    text.add(
      .counter, "baize_operations_rebased_total", "Accepted operations whose destination was rebased.",
      .init(operations.rebased))
    text.add(
      .counter, "baize_operations_redirected_total", "Accepted operations that landed elsewhere, or in part.",
      .init(operations.redirected))
    text.add(
      .counter, "baize_deliveries_total", "Deliveries of a diff to a connection.", .init(operations.deliveries))
    text.add(
      .counter, "baize_resumed_total", "Sessions resumed, by what they received.",
      .init("by", "diffs", operations.resumedByDiffs), .init("by", "snapshot", operations.resumedBySnapshot))
    text.add(.counter, "baize_snapshots_total", "Snapshots sent.", .init(operations.snapshots))
    text.add(
      .counter, "baize_divergences_total", "Snapshots requested because a replica differed from the table.",
      .init(operations.resynchronized))
  }

  private func addTurns(to text: inout MetricsText) {
    text.add(
      .counter, "baize_work_units_total", "Work of turns, in units of their budget.", .init(statistics.workUnits))
    text.add("baize_turn_seconds", "Duration of a shard's turn.", shards.turns)
    text.add(
      "baize_publish_seconds", "Time from an operation's arrival to the sending of its diff, commit included.",
      shards.publications)
  }

  private func addJournal(to text: inout MetricsText) {
    let journal = statistics.journal
    text.add(.counter, "baize_journal_turns_total", "Committed turns.", .init(journal.turns))
    text.add(.counter, "baize_journal_rows_total", "Committed rows.", .init(journal.rows))
    text.add(.counter, "baize_journal_bytes_total", "Committed bytes.", .init(journal.bytes))
    text.add(.counter, "baize_journal_tables_loaded_total", "Tables loaded.", .init(journal.tablesLoaded))
    text.add(
      .counter, "baize_journal_failures_total", "Times that the disk stopped accepting writes.", .init(journal.failures)
    )
    text.add(.gauge, "baize_journal_writable", "Whether the journal accepts writes.", .init(journal.isFailing ? 0 : 1))
    text.add("baize_journal_commit_seconds", "Duration of a commit.", journal.durations)
    text.add(
      .gauge, "baize_journal_lag_seconds", "Age of the oldest turn that a shard waits for.",
      .init(Double(statistics.journalLagNanoseconds) / 1e9))
  }

  private func addMemory(to text: inout MetricsText) {
    let memory = statistics.memory
    text.add(
      .gauge, "baize_memory_bytes", "Memory that clients make the daemon use, by what holds it.",
      memory.holders.map { .init("holder", $0.name, $0.bytes) })
    text.add(.gauge, "baize_memory_limit_bytes", "Limit of that memory (--memory-max).", .init(memoryBytesMax))
    text.add(
      .gauge, "baize_memory_mark", "Measures against a shortage of that memory, each with those before it.",
      MemoryMark.allCases.dropFirst().map { .init("mark", "\($0)", mark >= $0 ? 1 : 0) })
  }

  /// No address is named: a metric is for more people than the operator.
  private func addAccounts(to text: inout MetricsText) {
    text.add(.gauge, "baize_accounts", "Addresses with an account, counted for each shard.", .init(shards.accounts))
    text.add(
      .gauge, "baize_account_most",
      "The most of one address: of connections and memory in all, of others on one shard.",
      .init("of", "connections", connectionsOfAddressMost), .init("of", "tables", shards.most.tables),
      .init("of", "memory_bytes", shards.most.bytes), .init("of", "content_bytes", shards.most.contentBytes),
      .init("of", "written_bytes", shards.most.writtenBytes))
    text.add(
      .counter, "baize_shares_exceeded_total", "Times that an address had used up a share, as the log says.",
      .init("of", "connections", connectionSharesExceeded), .init("of", "others", shards.sharesExceeded))
  }
}
