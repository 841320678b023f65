extension Invocation {
    /// Reads the words of a command line.
    ///
    /// Options may stand anywhere, as `--limit 5` or `--limit=5`; `--` ends them.
    ///
    /// - Parameter words: The words after the program's name.
    /// - Returns: What to do.
    /// - Throws: A usage ``Failure`` that says what is wrong.
    static func parse(_ words: [String]) throws(Failure) -> Invocation {
        var plain: [String] = []
        var options: [(option: Option, value: String)] = []
        var rest = words[...]
        while let word = rest.popFirst() {
            if word == "--" {
                plain += rest
                break
            }
            guard word.hasPrefix("-"), word != "-" else {
                plain.append(word)
                continue
            }
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let option = try Option.named(String(parts[0]))
            guard option.takesValue else {
                guard parts.count == 1 else { throw .usage("\(option.rawValue) takes no value.") }
                if option == .help { return .help }
                options.append((option, ""))
                continue
            }
            guard let value = parts.count == 2 ? String(parts[1]) : rest.popFirst() else {
                throw .usage("\(option.rawValue) needs a value.")
            }
            options.append((option, value))
        }
        // Where a table or a command stands otherwise; what follows those may be any word.
        if plain.prefix(2).contains("help") { return .help }
        return .run(try Arguments(plain, options))
    }
}

extension Arguments {
    fileprivate init(_ words: [String], _ options: [(option: Option, value: String)]) throws(Failure) {
        guard let first = words.first else {
            throw .usage("Which table? live-table URL/TABLE COMMAND, or live-table --help.")
        }
        address = try TableAddress(first)
        guard words.count > 1 else {
            let names = Command.allCases.map(\.rawValue).joined(separator: ", ")
            throw .usage("What is to be done with \(address.table)? Add one of \(names).")
        }
        command = try Command.named(words[1])
        operands = Array(words.dropFirst(2))
        guard command.operands.contains(operands.count) else { throw .usage(command.usage) }
        var seen: Set<Option> = []
        for (option, value) in options {
            guard command.options.contains(option) else {
                throw .usage("\(command.rawValue) does not take \(option.rawValue).")
            }
            guard seen.insert(option).inserted else { throw .usage("\(option.rawValue) is given twice.") }
            try set(option, to: value)
        }
        if command == .removeAll, seen.contains(.clause), isForAllRows {
            throw .usage("--where is blank. Say which rows are removed, or --yes alone for all of them.")
        }
    }

    private mutating func set(_ option: Option, to value: String) throws(Failure) {
        switch option {
        case .clause: clause = value
        case .sort: sort = value
        case .limit: limit = try Self.positive(value, option)
        case .pageSize: pageSize = try Self.positive(value, option)
        case .columns:
            let names = value.split(separator: ",").map { $0.trimmed }.filter { !$0.isEmpty }
            guard !names.isEmpty else { throw .usage("--columns needs names, such as name,city.") }
            columns = names
        case .format:
            guard let format = Format(rawValue: value) else {
                throw .usage("--format is table, json or csv, not \(value).")
            }
            self.format = format
        case .seconds:
            guard let seconds = Double(value), seconds >= 0, seconds <= 1e9 else {
                throw .usage("--for needs a number of seconds, not \(value).")
            }
            self.seconds = seconds
        case .tokenFile: tokenFile = value
        case .accountFile: accountFile = value
        case .yes: isConfirmed = true
        case .help: break
        }
    }

    private static func positive(_ value: String, _ option: Option) throws(Failure) -> Int {
        guard let number = Int(value), number > 0 else {
            throw .usage("\(option.rawValue) needs a number above zero, not \(value).")
        }
        return number
    }
}

extension Substring {
    /// The text without white space at its ends.
    var trimmed: String {
        var text = self
        while text.first?.isWhitespace ?? false { text.removeFirst() }
        while text.last?.isWhitespace ?? false { text.removeLast() }
        return String(text)
    }
}
