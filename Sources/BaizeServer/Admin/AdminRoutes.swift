import BaizeHTTP
import BaizeSync
import BaizeTable
import BaizeTokens
import BaizeTransport

/// The answers at the operator's address.
///
/// Everything but health, readiness and the files of the page needs the token. An answer may wait for a shard; it runs on a
/// thread of its own, so that only other requests of operators wait with it.
struct AdminRoutes: HTTPRoutes {
  private let host: HTTPAccess
  private var access: AdminAccess
  private let files = WebFiles()
  private let daemon: AdminDaemon
  private var list = AdminTableList()
  private var tickets = AdminTickets()

  /// The parts of the daemon that the routes use.
  struct AdminDaemon: Sendable {
    let tables: TableOperator
    /// The path of the journal's file, if there is one.
    let journal: String?
    /// Returns whether the journal has a table.
    let isStored: @Sendable (String) throws -> Bool
    let metrics: @Sendable () -> String
    /// Returns whether every shard makes turns.
    let isHealthy: @Sendable () -> Bool
    /// Returns who takes what.
    let pressure: @Sendable () -> PressureReport
    /// Returns what the addresses that take the most have; `nil` if a shard does not answer soon.
    let accounts: @Sendable () -> [PeerLoad]?
    /// Returns whether clients can be served.
    let isReady: @Sendable () -> Bool
    let drain: @Sendable () -> Void
    /// Verifies signed tokens; `nil` if none are needed.
    let tokens: TokenService?
  }

  init(_ host: HTTPAccess, token: String, _ daemon: AdminDaemon) {
    (self.host, self.daemon) = (host, daemon)
    access = AdminAccess(token: token)
  }

  /// No request has a body: what an action needs is in its address, and the token in a header field.
  let bodyBytesMax = 0

  func isAuthorized(_ request: HTTPRequest) -> Bool { access.hasToken(request) }

  mutating func answer(_ request: HTTPRequest, from peer: SocketAddress, queuedBytes: Int) -> HTTPAnswer {
    if let refusal = host.refusal(of: request, isShared: false) { return .refusal(refusal, HTTPSecurity.own) }
    if request.hasUnreadBody { return refusal(.contentTooLarge, "no body is accepted") }
    if let file = file(at: request.path) { return answer(request, file) }
    if request.path == "/ws" { return webSocket(request) }
    guard let path = AdminPath(request.path) else { return refusal(.notFound, "there is no such page") }
    guard request.method == path.method else { return .notAllowed(path.method, HTTPSecurity.own) }
    if path.needsToken, let refused = access.refusal(of: request, from: peer.host, at: MonotonicClock.now()) {
      return .refusal(refused, HTTPSecurity.own + [HTTPField("WWW-Authenticate", "Bearer")])
    }
    if path == .health, access.hasToken(request) { return health() }
    return answer(path, AdminQuery(request.query), queuedBytes)
  }

  /// Answers an operator who asks whether all is well: who takes what, as far as shards answer.
  private func health() -> HTTPAnswer {
    let isHealthy = daemon.isHealthy()
    var report = daemon.pressure()
    if isHealthy { report.add(daemon.accounts() ?? []) }
    return response(report.json(isHealthy: isHealthy), "application/json", isHealthy ? .ok : .serviceUnavailable)
  }

  private mutating func answer(_ path: AdminPath, _ query: AdminQuery, _ queuedBytes: Int) -> HTTPAnswer {
    switch path {
    case .health: return state(daemon.isHealthy())
    case .readiness: return state(daemon.isReady())
    case .metrics: return text(daemon.metrics(), MetricsText.contentType)
    case .tables:
      guard let page = list.page(query, of: daemon.tables) else { return busy }
      return json(page)
    case .journal:
      guard let journal = daemon.journal else { return refusal(.notFound, "the daemon has no journal") }
      return text(journal + "\n", "text/plain; charset=utf-8")
    case .table(let table): return describe(table)
    case .drain:
      daemon.drain()
      return done
    case .revocations: return revocations()
    case .revoke:
      let seconds = query.number("seconds").map(Int64.init) ?? TokenLimits.validSecondsMax
      return changeRevocation(query) { $0.revoke($1, seconds: seconds, answer: $2) }
    case .restore: return changeRevocation(query) { $0.restore($1, answer: $2) }
    case .action(.export, let table):
      // Responses that operators do not read take no more memory than this limit and one export.
      return queuedBytes > ServerLimits.adminQueuedBytesMax ? busy : export(table, query)
    case .action(.kick, let table):
      guard let seat = query.number("seat").flatMap({ UInt32(exactly: $0) }), seat > 0 else {
        return refusal(.badRequest, "the query names no seat: ?seat=NUMBER")
      }
      return act(.kick(SeatNumber(rawValue: seat), table: table), on: table)
    case .action(.close, let table): return act(.close(table: table), on: table)
    case .action(.delete, let table):
      return act(on: table) { isStored in .delete(table: table, isStored: isStored) }
    case .action(.migrate, let table):
      let endsSessions = query["sessions"] == "end"
      return act(on: table) { isStored in .migrate(table: table, endsSessions: endsSessions, isStored: isStored) }
    case .action(.ticket, let table): return ticket(for: table)
    }
  }

  // MARK: Tables

  private func act(_ action: OperatorRequest.Action, on table: String) -> HTTPAnswer {
    switch daemon.tables.ask(action, ofTable: table) {
    case .done?: done
    case .unchanged?: text("nothing to do\n", "text/plain; charset=utf-8")
    case .refused(.notFound)?: refusal(.notFound, action.looksInJournal ? "there is no such table" : notInMemory)
    case .refused(.freeSeat)?: refusal(.notFound, "nobody has that seat")
    case .refused(.tooLarge)?: refusal(.contentTooLarge, "the table is too large for this while others are served")
    case .refused(.noRoom)?: refusal(.contentTooLarge, "there is no room in memory for the table at the moment")
    case .refused(.unreadable)?:
      refusal(.internalServerError, "the table cannot be read from the journal; the log says why")
    case .refused(.obstacles(let obstacles))?:
      refusal(.conflict, obstacles.all.map(\.description).joined(separator: "\n"))
    case .refused(.busy)?, .tables?, .accounts?, .state?, .invite?, nil: busy
    }
  }

  /// Carries out what also concerns tables that are only in the journal.
  private func act(on table: String, _ action: (_ isStored: Bool) -> OperatorRequest.Action) -> HTTPAnswer {
    do {
      return act(action(try daemon.isStored(table)), on: table)
    } catch {
      return refusal(.internalServerError, "the journal cannot be read: \(error)")
    }
  }

  private let notInMemory = "there is no such table in memory"

  private func describe(_ table: String) -> HTTPAnswer {
    switch daemon.tables.ask(.summary(table: table), ofTable: table) {
    case .tables(let tables)?: json(AdminTableList.description(of: tables))
    case .refused(.notFound)?: refusal(.notFound, notInMemory)
    case .refused?, .done?, .unchanged?, .accounts?, .state?, .invite?, nil: busy
    }
  }

  private func export(_ name: String, _ query: AdminQuery) -> HTTPAnswer {
    guard let answer = daemon.tables.ask(.state(table: name), ofTable: name) else { return busy }
    guard case .state(let table, let state) = answer else { return refusal(.notFound, notInMemory) }
    guard state.contentBytes <= ServerLimits.exportBytesMax else {
      return refusal(.contentTooLarge, "the table is too large for this; use 'baized export' on the journal")
    }
    let view: TableExport.View
    switch query["view"] {
    case nil, "all": view = .all
    case "spectator": view = .seat(.spectator)
    case let text?:
      guard let seat = UInt32(text), seat > 0 else {
        return refusal(.badRequest, "a view is all, spectator or a seat's number")
      }
      view = .seat(SeatNumber(rawValue: seat))
    }
    do throws(DiffMismatch) {
      return json(
        try TableExport(state, name: name, typeText: table.typeText, epoch: table.epoch, view: view).bytes)
    } catch {
      return refusal(.internalServerError, "the table contradicts itself: \(error.detail)")
    }
  }

  // MARK: Signed tokens

  private let withoutTokens = "the daemon needs no signed tokens (--token-keys)"

  private func revocations() -> HTTPAnswer {
    guard let tokens = daemon.tokens else { return refusal(.notFound, withoutTokens) }
    if case .closedJournal = tokens.place { return busy("this node waits for the journal, which has them") }
    return json(tokens.revocations.json)
  }

  private func changeRevocation(
    _ query: AdminQuery,
    _ change: (TokenService, Revocation, @escaping @Sendable (Result<Bool, RevocationError>) -> Void) -> Void
  ) -> HTTPAnswer {
    guard let tokens = daemon.tokens else { return refusal(.notFound, withoutTokens) }
    let issuer = query["issuer"] ?? (tokens.issuers.count == 1 ? tokens.issuers.first : nil)
    guard let issuer, tokens.issuers.contains(issuer) else {
      return refusal(.badRequest, "the query names none of the daemon's issuers: ?issuer=TEXT")
    }
    let revocation: Revocation
    switch (query["subject"], query["token"]) {
    case (let subject?, nil): revocation = .subject(issuer: issuer, subject: subject)
    case (nil, let id?): revocation = .token(issuer: issuer, id: id)
    case (nil, nil), (.some, .some):
      return refusal(.badRequest, "the query names neither a person nor a token: ?subject=TEXT or ?token=ID")
    }
    guard (query["subject"] ?? query["token"] ?? "").utf8.count <= TokenLimits.claimBytesMax else {
      return refusal(.badRequest, "no token has a subject or an id of more than \(TokenLimits.claimBytesMax) bytes")
    }
    // Without descriptors left there is no answer to wait for.
    guard let reply = try? OperatorReply<Result<Bool, RevocationError>>() else { return busy }
    change(tokens, revocation, reply.resolve)
    let answer =
      reply.wait(nanoseconds: daemon.tables.nanosecondsMax) { daemon.tables.haveEnded } ?? .failure(.unanswered)
    switch answer {
    case .success(let hasChanged): return hasChanged ? done : refusal(.notFound, "that is not revoked")
    case .failure(let error):
      return error.mayPass ? busy(error.description) : refusal(.conflict, error.description)
    }
  }

  // MARK: Watching

  private mutating func ticket(for table: String) -> HTTPAnswer {
    switch daemon.tables.ask(.invite(table: table), ofTable: table) {
    case .invite(let invite)?:
      var json = JSONWriter()
      json.object { json in
        json.field("ticket", tickets.issue(at: MonotonicClock.now()))
        json.field("invite", invite)
      }
      return self.json(json.bytes)
    case .refused(.notFound)?: return refusal(.notFound, notInMemory)
    case .refused?, .tables?, .accounts?, .state?, .done?, .unchanged?, nil: return busy
    }
  }

  /// Answers the handshake of a WebSocket, which brings a ticket: a page cannot send a header field with it.
  private mutating func webSocket(_ request: HTTPRequest) -> HTTPAnswer {
    guard request.method == "GET" else { return .notAllowed("GET", HTTPSecurity.own) }
    guard let ticket = AdminQuery(request.query)["ticket"], tickets.use(ticket, at: MonotonicClock.now()) else {
      return refusal(.unauthorized, "the ticket is unknown, used or too old")
    }
    switch WebSocketHandshake.answer(request) {
    case .success(let response): return .webSocket(response)
    case .failure(let refused): return .refusal(refused, HTTPSecurity.own)
    }
  }

  // MARK: The page

  /// Returns a file of the page. Its own files are in a folder; the library is where the daemon has it.
  private func file(at path: String) -> WebFiles.File? {
    switch path {
    case "/": files["/admin/index.html"]
    case "/icon.svg": files["/table/icon.svg"]
    case "/admin.js", "/admin.css", "/words.js": files["/admin" + path]
    case _: path == "/baize.js" || path.hasPrefix("/baize/") ? files[path] : nil
    }
  }

  private func answer(_ request: HTTPRequest, _ file: WebFiles.File) -> HTTPAnswer {
    guard request.method == "GET" || request.method == "HEAD" else { return .notAllowed("GET, HEAD", HTTPSecurity.own) }
    let fields = [HTTPField("Content-Type", file.contentType), HTTPField("Cache-Control", "no-cache")]
    return .response(HTTPResponse(.ok, HTTPSecurity.own + fields), .permanent(file.bytes))
  }

  // MARK: Responses

  private var busy: HTTPAnswer { busy("the table or its shard is busy; try again") }

  private func busy(_ detail: String) -> HTTPAnswer {
    .refusal(HTTPRefusal(.serviceUnavailable, detail), HTTPSecurity.own + [HTTPField("Retry-After", "1")])
  }

  private var done: HTTPAnswer { .response(HTTPResponse(.noContent, HTTPSecurity.own), .none) }

  private func state(_ isGood: Bool) -> HTTPAnswer {
    isGood ? text("ok\n", "text/plain; charset=utf-8") : refusal(.serviceUnavailable, "not now")
  }

  private func refusal(_ status: HTTPStatus, _ detail: String) -> HTTPAnswer {
    .refusal(HTTPRefusal(status, detail), HTTPSecurity.own)
  }

  private func text(_ text: String, _ type: String) -> HTTPAnswer { response(Array(text.utf8), type) }

  private func json(_ bytes: [UInt8]) -> HTTPAnswer { response(bytes, "application/json") }

  private func response(_ bytes: [UInt8], _ type: String, _ status: HTTPStatus = .ok) -> HTTPAnswer {
    let fields = [HTTPField("Content-Type", type), HTTPField("Cache-Control", "no-store")]
    return .response(HTTPResponse(status, HTTPSecurity.own + fields), .bytes(bytes))
  }
}
