/// What can be done with a table.
enum Command: String, Sendable, CaseIterable {
    case list, count, populate, watch, add, update, remove
    case removeAll = "remove-all"
    case browse

    /// The options that mean something to the command.
    var options: Set<Option> {
        switch self {
        case .list: [.tokenFile, .accountFile, .clause, .sort, .limit, .columns, .format, .pageSize]
        case .count: [.tokenFile, .accountFile, .clause]
        case .populate: [.tokenFile, .accountFile, .clause, .sort, .pageSize]
        case .watch: [.tokenFile, .accountFile, .clause, .sort, .columns, .seconds]
        case .add: [.tokenFile, .accountFile, .clause, .columns, .format]
        case .update: [.tokenFile, .accountFile, .columns, .format]
        case .remove: [.tokenFile, .accountFile, .clause]
        case .removeAll: [.tokenFile, .accountFile, .clause, .yes]
        case .browse: [.tokenFile, .accountFile, .clause, .sort, .columns, .pageSize, .seconds]
        }
    }

    /// Whether rows are only read.
    var isReading: Bool { [.list, .count, .populate, .watch, .browse].contains(self) }

    /// How many words follow the command.
    var operands: ClosedRange<Int> {
        switch self {
        case .add: 1...1
        case .update: 2...2
        case .remove: 1...Int.max
        default: 0...0
        }
    }

    /// What has to follow the command, in words.
    var usage: String {
        switch self {
        case .add: "add takes one argument: JSON, or - to read JSON from standard input."
        case .update: "update takes two arguments: the id of a row, and JSON with the members to change."
        case .remove: "remove takes the ids of the rows to remove."
        default: "\(rawValue) takes no arguments, only options."
        }
    }

    /// The command a word names.
    static func named(_ word: String) throws(Failure) -> Command {
        if let command = Command(rawValue: word) { return command }
        let names = allCases.map(\.rawValue)
        let guess = word.nearest(among: names).map { "did you mean \($0)?" }
        throw .usage(
            "There is no command \(word): \(guess ?? "use one of \(names.joined(separator: ", ")).")"
        )
    }
}
