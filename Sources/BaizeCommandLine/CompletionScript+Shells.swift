extension CompletionScript {
  // MARK: Bash

  var bash: [String] {
    var lines = [
      "# Completes \(program) in bash: source this, or put it in ~/.local/share/bash-completion/completions/\(program).",
      "_\(program)() {",
      "  local current=${COMP_WORDS[COMP_CWORD]} last= command= flags=",
      "  if (( COMP_CWORD > 0 )); then last=${COMP_WORDS[COMP_CWORD-1]}; fi",
      "  if (( COMP_CWORD > 1 )); then",
      "    case ${COMP_WORDS[1]} in \(words.joined(separator: "|"))) command=${COMP_WORDS[1]} ;; esac",
      "  fi",
      "  case $command:$last in",
    ]
    for subcommand in all {
      for option in subcommand.command.allOptions {
        guard let action = bashAction(option) else { continue }
        lines.append("    \(subcommand.word):\(option.flag)) \(action); return ;;")
      }
    }
    lines += ["  esac", "  case $command in"]
    for subcommand in all {
      let flags = subcommand.command.allOptions.map(\.flag) + (subcommand.word.isEmpty ? words : [])
      let pattern = subcommand.word.isEmpty ? "''" : subcommand.word
      lines.append("    \(pattern)) flags='\(flags.joined(separator: " "))' ;;")
    }
    lines += [
      "  esac",
      "  COMPREPLY=($(compgen -W \"$flags\" -- \"$current\"))",
      "  if [[ -n $command && $current != -* ]]; then",
      "    COMPREPLY=($(compgen -W \"$(_\(program)_operands \"$command\")\" -- \"$current\") $(compgen -f -- \"$current\"))",
      "  fi",
      "}",
      "_\(program)_operands() {",
      "  case $1 in",
    ]
    for subcommand in subcommands where !subcommand.command.operandChoices.isEmpty {
      lines.append("    \(subcommand.word)) echo '\(subcommand.command.operandChoices.joined(separator: " "))' ;;")
    }
    return lines + ["  esac", "}", "complete -o filenames -F _\(program) \(program)"]
  }

  private func bashAction(_ option: CommandOption) -> String? {
    switch option.values {
    case .none: nil
    case .words(let words): "COMPREPLY=($(compgen -W '\(words.joined(separator: " "))' -- \"$current\"))"
    case .files: "COMPREPLY=($(compgen -f -- \"$current\"))"
    case .directories: "COMPREPLY=($(compgen -d -- \"$current\"))"
    case .other: "COMPREPLY=()"
    }
  }

  // MARK: Zsh

  var zsh: [String] {
    var lines = [
      "#compdef \(program)",
      "# Completes \(program) in zsh: put this as _\(program) in a directory of $fpath.",
      "_\(program)() {",
      "  local -a commands",
      "  commands=(",
    ]
    lines += subcommands.map { "    " + "\($0.word):\($0.command.title)".quotedForShell }
    lines += [
      "  )",
      "  if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then _describe command commands; return; fi",
      "  case $words[2] in",
    ]
    for subcommand in subcommands + [Subcommand("*", main)] {
      lines.append("    \(subcommand.word)) _arguments \\")
      lines += subcommand.command.allOptions.map { "      \(zshSpecification($0)) \\" }
      let choices = subcommand.command.operandChoices
      let operands = choices.isEmpty ? "*:file:_files" : "*:word:(\(choices.joined(separator: " ")))"
      lines += ["      \(operands.quotedForShell)", "      ;;"]
    }
    return lines + [
      "  esac", "}",
      "if [[ $funcstack[1] == _\(program) ]]; then _\(program) \"$@\"; elif (( $+functions[compdef] )); then",
      "  compdef _\(program) \(program)", "fi",
    ]
  }

  private func zshSpecification(_ option: CommandOption) -> String {
    let title = option.title.map { "[]\\:".contains($0) ? "\\\($0)" : String($0) }.joined()
    let name = option.placeholder ?? ""
    let action: String
    switch option.values {
    case .none: return "\(option.flag)[\(title)]".quotedForShell
    case .words(let words): action = "(\(words.joined(separator: " ")))"
    case .files: action = "_files"
    case .directories: action = "_files -/"
    case .other: action = " "
    }
    return "\(option.flag)=[\(title)]:\(name.map { $0 == ":" ? "\\:" : String($0) }.joined()):\(action)".quotedForShell
  }

  // MARK: Fish

  var fish: [String] {
    var lines = [
      "# Completes \(program) in fish: put this in ~/.config/fish/completions/\(program).fish.",
      "complete -c \(program) -f",
    ]
    let none = "not __fish_seen_subcommand_from \(words.joined(separator: " "))"
    for subcommand in subcommands {
      lines.append(
        "complete -c \(program) -n \(none.quotedForFish) -a \(subcommand.word) -d \(subcommand.command.title.quotedForFish)"
      )
    }
    for subcommand in all {
      let condition = subcommand.word.isEmpty ? none : "__fish_seen_subcommand_from \(subcommand.word)"
      let beginning = "complete -c \(program) -n \(condition.quotedForFish)"
      for option in subcommand.command.allOptions {
        lines.append(
          "\(beginning) -l \(option.flag.dropFirst(2))\(fishValues(option)) -d \(option.title.quotedForFish)")
      }
      let choices = subcommand.command.operandChoices
      if !choices.isEmpty {
        lines.append("\(beginning) -a \(choices.joined(separator: " ").quotedForFish)")
      } else if subcommand.command.operands != nil {
        lines.append("\(beginning) -F")
      }
    }
    return lines
  }

  private func fishValues(_ option: CommandOption) -> String {
    switch option.values {
    case .none: ""
    case .words(let words): " -x -a \(words.joined(separator: " ").quotedForFish)"
    case .files: " -r -F"
    case .directories: " -x -a '(__fish_complete_directories)'"
    case .other: " -x"
    }
  }
}

extension String {
  /// The text in single quotation marks for fish, in which a backslash escapes.
  fileprivate var quotedForFish: String { "'" + map { "'\\".contains($0) ? "\\\($0)" : String($0) }.joined() + "'" }
}
