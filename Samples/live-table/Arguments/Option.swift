/// An option of the command line.
enum Option: String, Sendable, CaseIterable {
    case clause = "--where"
    case sort = "--sort"
    case limit = "--limit"
    case columns = "--columns"
    case format = "--format"
    case seconds = "--for"
    case tokenFile = "--token-file"
    case accountFile = "--account-file"
    case yes = "--yes"
    case pageSize = "--page-size"
    case help = "--help"

    /// Whether a value follows.
    var takesValue: Bool { self != .yes && self != .help }

    /// The option a word names; the short form of `--help` too.
    static func named(_ word: String) throws(Failure) -> Option {
        if word == "-h" { return .help }
        if let option = Option(rawValue: word) { return option }
        let guess = word.nearest(among: allCases.map(\.rawValue)).map { "did you mean \($0)?" }
        throw .usage("There is no option \(word): \(guess ?? "see live-table --help.")")
    }
}
