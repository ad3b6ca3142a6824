import BaizeLaboratory
import BaizeTable
import Foundation
import TestSupport
import Testing

extension DaemonProgramTests {
  /// The configuration file, the environment, `baized config` and `baized completion`.
  @Suite struct Configuration {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func file(_ text: String, in folder: TemporaryFolder) throws {
      try text.write(toFile: folder.path("baize.json"), atomically: true, encoding: .utf8)
    }

    private func run(
      _ arguments: String..., in folder: TemporaryFolder, environment: [String: String?] = [:]
    ) throws -> Ended {
      try ChildProcess.run(arguments, in: folder, environment: environment)
    }

    private func row(_ flag: String, of output: String) -> [Substring] {
      output.split(separator: "\n").first { $0.hasPrefix(flag + " ") }?.split(separator: " ") ?? []
    }

    @Test func `config prints each setting with its place, and creates nothing`() throws {
      try file(#"{"shards": 3, "keep": 5, "grace": 7, "open": true}"#, in: folder)
      let ended = try run(
        "config", "--keep", "9", "--create", "token", in: folder,
        environment: ["BAIZE_CONFIG": "baize.json", "BAIZE_GRACE": "8", "BAIZE_KEEP": "10", "BAIZE_PORT": "tcp://x"])
      #expect(ended.code == 0 && ended.errors.isEmpty, "\(ended.errors)")
      #expect(row("--shards", of: ended.output) == ["--shards", "3", "baize.json:1:12"])
      #expect(row("--grace", of: ended.output) == ["--grace", "8", "BAIZE_GRACE"])
      #expect(row("--keep", of: ended.output) == ["--keep", "9", "command", "line"])
      #expect(row("--open", of: ended.output) == ["--open", "true", "baize.json:1:46"])
      #expect(row("--closed", of: ended.output) == ["--closed", "false", "default"])
      #expect(row("--unload", of: ended.output) == ["--unload", "300", "default"])
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["baize.json"])
    }

    @Test func `a variable that is no setting is refused`() throws {
      for words in [[], ["config"]] {
        let ended = try ChildProcess.run(words, in: folder, environment: ["BAIZE_OPNE": "true"])
        #expect(
          ended.code == 2
            && ended.errors.contains("unknown environment variable 'BAIZE_OPNE'; did you mean 'BAIZE_OPEN'?"))
      }
    }

    @Test func `the daemon takes its settings from the file and the environment`() throws {
      try file(#"{"listen": "127.0.0.1:0", "closed": true, "journal": "kept.sqlite"}"#, in: folder)
      let program = try ChildProcess(
        "baized", ["--config", "baize.json"], marker: ChildProcess.daemonMarker, in: folder,
        environment: ["BAIZE_LOG_LEVEL": "info"])
      #expect(program.errors.contains("joining a table requires an invite"))
      #expect(program.stop() == 0)
      #expect(FileManager.default.fileExists(atPath: folder.path("kept.sqlite")))
    }

    @Test(arguments: [
      (#"{"shards": 0}"#, "baize.json:1:12: shards: cannot be '0'; expected a number from 1 to 256"),
      (#"{"lisen": "x"}"#, "baize.json:1:2: lisen: unknown key 'lisen'; did you mean 'listen'?"),
      (#"{"open": 1}"#, "baize.json:1:10: open: expected true or false, found a number"),
      (#"{"shards": [1]}"#, "baize.json:1:12: shards: expected a text or a whole number (--shards N), found a list"),
      (#"{"config": "x"}"#, "baize.json:1:2: config: unknown key 'config'"),
      (#"{"shards": 1, "shards": 2}"#, "baize.json:1:15: shards: the key 'shards' appears twice"),
      ("[]", "baize.json:1:1: expected an object, found a list"),
      ("{", "baize.json:1:2: expected a key in quotation marks"),
      (#"{"open": true, "closed": true}"#, "'--open' and '--closed' exclude each other"),
      (#"{"listen": 7777}"#, "baize.json:1:12: listen: cannot be '7777'; expected HOST:PORT"),
    ])
    func `a mistake in the file has its position, and nothing starts`(_ text: String, _ words: String) throws {
      try file(text, in: folder)
      for arguments in [["config", "--config", "baize.json"], ["--config", "baize.json"]] {
        let ended = try ChildProcess.run(arguments, in: folder)
        #expect(ended.code == 2 && ended.output.isEmpty && ended.errors.contains(words), "\(ended.errors)")
        #expect(ended.errors.count { $0 == "\n" } == 1, "\(ended.errors)")
      }
    }

    @Test func `what overrides --open is not in conflict with it`() throws {
      try file(#"{"open": true}"#, in: folder)
      #expect(try run("config", "--config", "baize.json", "--closed", in: folder).code == 0)
      #expect(try run("config", "--open", "--closed", in: folder).code == 2)
    }

    @Test(.needs(.bash)) func `bash can read its script`() throws { try expectReadable(by: .bash, "bash") }
    @Test(.needs(.fish)) func `fish can read its script`() throws { try expectReadable(by: .fish, "fish") }
    @Test(.needs(.zsh)) func `zsh can read its script`() throws { try expectReadable(by: .zsh, "zsh") }

    private func expectReadable(by shell: Tool, _ name: String) throws {
      let script = try run("completion", name, in: folder).output
      try script.write(toFile: folder.path(name), atomically: true, encoding: .utf8)
      let checked = try EndedProcess([shell.path, "-n", folder.path(name)])
      #expect(checked.code == 0, "\(checked.output)")
    }

    @Test(.needs(.bash)) func `bash completes every flag of the help`() throws {
      let help = try run("--help", in: folder).output
      let flags = Set(
        help.split { " \n".contains($0) }.filter { $0.hasPrefix("--") }.map { $0.prefix { !"=.,)".contains($0) } })
      #expect(flags.count > 40)
      let script = try run("completion", "bash", in: folder).output
      try script.write(toFile: folder.path("bash"), atomically: true, encoding: .utf8)
      let complete =
        "source '\(folder.path("bash"))'; COMP_WORDS=(baized --); COMP_CWORD=1; _baized; echo \"${COMPREPLY[@]}\""
      let offered = try EndedProcess([Tool.bash.path, "-c", complete])
      #expect(Set(offered.output.split { " \n".contains($0) }).isSuperset(of: flags))
      let choices =
        "source '\(folder.path("bash"))'; COMP_WORDS=(baized --durability m); COMP_CWORD=2; _baized; echo $COMPREPLY"
      #expect(try EndedProcess([Tool.bash.path, "-c", choices]).output == "memory\n")
    }

    @Test func `completion needs the name of a shell`() throws {
      let ended = try run("completion", "tcsh", in: folder)
      #expect(ended.code == 2 && ended.errors.contains("one of bash, zsh, fish is needed"), "\(ended.errors)")
    }
  }
}
