/// What the command line asks for.
struct Arguments: Equatable {
    /// Where rows are kept.
    enum Storage: Equatable {
        case folder(String)
        case defaultFolder
        case memory
    }

    /// A file to bring in.
    struct Import: Equatable {
        var file: String
        var table: String?
        var idColumn: String?
    }

    /// What is to be done.
    enum Action: Equatable { case serve, help, version }

    var action = Action.serve
    var host = "127.0.0.1"
    var port = 8080
    var storage = Storage.defaultFolder
    /// Whether the tables are a backup that was put back.
    var beginsNewEpoch = false
    var imports: [Import] = []
    var tokenFile: String?
    var usersFile: String?
    var letsGuestsWrite = false
    var hasFixedTables = false
    var isQuiet = false
    /// How long the work on a query may take.
    var queryTime: Duration?

    /// Why a command line is not understood, in one line.
    struct Misuse: Error, Equatable {
        let message: String
    }

    /// Reads a command line without the program's name; options may be written `--name value` or
    /// `--name=value`.
    ///
    /// - Throws: ``Misuse``.
    init(_ words: [String]) throws(Misuse) {
        var rest = words.flatMap(Self.parts)[...]
        var isStorageGiven = false
        var seen: Set<String> = []
        while let word = rest.popFirst() {
            if Self.once.contains(word), !seen.insert(word).inserted {
                throw Misuse(message: "\(word) is given twice")
            }
            if Self.flags.contains(word), let value = rest.first, value.hasPrefix("=") {
                throw Misuse(message: "\(word) takes no value")
            }
            switch word {
            case "--help", "-h", "help":
                action = .help
                return
            case "--version":
                action = .version
                return
            case "--listen": (host, port) = try Self.address(try Self.value(of: word, &rest))
            case "--data", "--memory":
                guard !isStorageGiven else {
                    throw Misuse(message: "--data and --memory are given together or twice")
                }
                isStorageGiven = true
                storage = word == "--memory" ? .memory : .folder(try Self.value(of: word, &rest))
            case "--new-epoch": beginsNewEpoch = true
            case "--import": imports.append(Import(file: try Self.value(of: word, &rest)))
            case "--as": try amendImport(\.table, try Self.value(of: word, &rest), word)
            case "--id": try amendImport(\.idColumn, try Self.value(of: word, &rest), word)
            case "--token-file": tokenFile = try Self.value(of: word, &rest)
            case "--users": usersFile = try Self.value(of: word, &rest)
            case "--query-time": queryTime = try Self.seconds(of: word, &rest)
            case "--guests-may-write": letsGuestsWrite = true
            case "--fixed-tables": hasFixedTables = true
            case "--quiet": isQuiet = true
            default:
                let kind = word.hasPrefix("-") ? "option" : "argument"
                throw Misuse(message: "there is no \(kind) \(word)")
            }
        }
        if beginsNewEpoch, storage == .memory {
            throw Misuse(
                message: "--new-epoch is of no use with --memory, where every start begins a new one"
            )
        }
    }

    private static let once: Set<String> = ["--listen", "--token-file", "--users", "--query-time"]
    private static let flags: Set<String> = [
        "--help", "--version", "--memory", "--new-epoch", "--guests-may-write", "--fixed-tables", "--quiet",
    ]

    /// Splits `--name=value`; the value is marked so that it is never taken for an option.
    private static func parts(_ word: String) -> [String] {
        guard word.hasPrefix("--"), let equals = word.firstIndex(of: "=") else { return [word] }
        return [String(word[..<equals]), String(word[equals...])]
    }

    private static func value(of option: String, _ rest: inout ArraySlice<String>) throws(Misuse) -> String {
        guard let word = rest.popFirst(), !word.isEmpty, !word.hasPrefix("--") else {
            throw Misuse(message: "\(option) needs a value")
        }
        let value = word.hasPrefix("=") ? String(word.dropFirst()) : word
        guard !value.isEmpty else { throw Misuse(message: "\(option) needs a value") }
        return value
    }

    /// A number of seconds, at most a day.
    private static func seconds(
        of option: String,
        _ rest: inout ArraySlice<String>
    ) throws(Misuse) -> Duration {
        let text = try value(of: option, &rest)
        guard let seconds = Double(text), seconds > 0, seconds <= 86_400 else {
            throw Misuse(message: "\(option) takes a number of seconds, such as 20, not \(text)")
        }
        return .seconds(seconds)
    }

    private mutating func amendImport(
        _ part: WritableKeyPath<Import, String?>,
        _ value: String,
        _ option: String
    ) throws(Misuse) {
        guard let last = imports.indices.last, imports[last][keyPath: part] == nil else {
            throw Misuse(message: "\(option) belongs behind an --import, once")
        }
        imports[last][keyPath: part] = value
    }

    /// Reads `host:port`, `[host]:port` or a port alone.
    private static func address(_ text: String) throws(Misuse) -> (String, Int) {
        let digits = text.split(separator: ":", omittingEmptySubsequences: false).last ?? ""
        guard let port = UInt16(digits), digits.utf8.allSatisfy({ (48...57).contains($0) }) else {
            throw Misuse(message: "--listen takes HOST:PORT, such as 127.0.0.1:8080, not \(text)")
        }
        let host = String(text.dropLast(digits.count))
        if host.isEmpty || host == ":" { return ("127.0.0.1", Int(port)) }
        let name = String(host.dropLast())
        let isBracketed = name.hasPrefix("[") && name.hasSuffix("]") && name.count > 2
        guard isBracketed || !name.contains(":") && !name.contains("[") else {
            throw Misuse(
                message: "--listen takes an IPv6 address in brackets, such as [::1]:8080, not \(text)"
            )
        }
        return (isBracketed ? String(name.dropFirst().dropLast()) : name, Int(port))
    }

    /// How to call the program.
    static let usage = """
        usage: table-server [--listen 127.0.0.1:8080] [--data DIR | --memory] [--new-epoch]
                            [--import FILE.csv|FILE.json [--as TABLE] [--id COLUMN]]...
                            [--token-file FILE] [--users FILE] [--query-time SECONDS]
                            [--guests-may-write] [--fixed-tables] [--quiet] [--help] [--version]

          --listen HOST:PORT  where to listen; port 0 picks a free one. Beyond this machine only with a token.
          --data DIR          keep the tables in this folder; by default in one of its own in your data folder
          --memory            keep the tables in memory only
          --new-epoch         the tables are a backup that was put back: clients read everything anew
          --import FILE       bring rows in before serving; may be given several times
            --as TABLE        into this table; by default the file's name
            --id COLUMN       this column's value is the row's id; rows with the same id are replaced
          --token-file FILE   ask every client for the token in this file; with --users, it sees everything
          --users FILE        let the users in this file see and change what the column ACL of each row lets them
          --query-time SECONDS
                              how long the work on a query may take, 20 by default; 503 beyond
          --guests-may-write  let guests who may write do so beyond this machine too
          --fixed-tables      do not let clients make tables
          --quiet             do not log requests to standard error

        The file of users: {"users":[{"id":"ann","token":"...","roles":["editors"]}],
        "guests":"write"|"read"|"none", "newRows":"read"|"private"|"write"}. Guests, who send no token, may do
        what rows let everybody do: all of it, reading alone, or nothing. New rows without an ACL may be read by
        everybody and written by who made them, or be private, or be everybody's. A row's ACL looks like
        {"*":{"read":true},"ann":{"read":true,"write":true},"role:editors":{"write":true}}; a row without one
        is everybody's.

        The first line on standard output is the base URL. SIGTERM and SIGINT finish what is under way.
        """
}
