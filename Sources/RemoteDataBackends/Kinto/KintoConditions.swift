import RemoteData

/// What Kinto is asked about the columns of rows, all of which has to hold.
///
/// As text they are the parameters of a request. None of those is ever there twice: Kinto makes a list of such a one, and lists
/// are filtered by their text.
struct KintoConditions: Sendable, Equatable {
    private struct Column: Sendable, Equatable {
        let name: String
        var condition: KintoCondition

        /// Whether its text sorts by bytes everywhere: ids do.
        var isOrdered: Bool { name == "id" }
    }

    private var columns: [Column] = []

    /// All rows.
    init() {}

    /// Rows by one column.
    init(_ name: String, _ condition: KintoCondition) { columns = [Column(name: name, condition: condition)] }

    /// No row: none has an empty id.
    static let never = KintoConditions("id", .any(of: [""]))

    /// Whether no row satisfies them.
    var isNever: Bool { columns.contains { $0.condition.isNever } || self == .never }

    /// Whether every row does.
    var isAlways: Bool { columns.isEmpty }

    /// The column and its values, where they speak of one column, and say nothing but what its values are.
    var list: (name: String, values: [Value])? {
        guard columns.count == 1, let column = columns.first, let values = column.condition.allowed,
            column.condition == .any(of: values)
        else { return nil }
        return (column.name, values)
    }

    /// Adds others, so that both hold.
    mutating func add(_ others: KintoConditions, sortsTextByBytes: Bool) {
        for other in others.columns {
            guard let index = columns.firstIndex(where: { $0.name == other.name }) else {
                columns.append(other)
                continue
            }
            let isOrdered = sortsTextByBytes || other.isOrdered
            columns[index].condition = columns[index].condition.and(
                other.condition,
                sortsTextByBytes: isOrdered
            )
        }
    }

    /// The same, and more, in fewer words: stretches in place of lists of many values.
    func widened(sortsTextByBytes: Bool) -> KintoConditions {
        var result = self
        for (index, column) in columns.enumerated() {
            if column.condition.excluded.count > Self.longList {
                result.columns[index].condition.excluded = []
            }
            guard column.condition.allowed?.count ?? 0 > Self.longList else { continue }
            let isOrdered = sortsTextByBytes || column.isOrdered
            guard let wide = column.condition.widened(sortsTextByBytes: isOrdered) else { continue }
            result.columns[index].condition = wide
        }
        return result
    }

    private static let longList = 8
}

// MARK: - As text

extension KintoConditions {
    /// The parameters, percent-encoded; empty for all rows.
    var text: String {
        guard !isNever else { return Self.parameter("eq", "id", "\"\"") }
        return columns.flatMap { Self.parameters($0.name, $0.condition) }.joined(separator: "&")
    }

    /// How many parameters there are.
    var count: Int { columns.reduce(0) { $0 + Self.parameters($1.name, $1.condition).count } }

    private static func parameters(_ name: String, _ condition: KintoCondition) -> [String] {
        var parameters: [String] = []
        if let values = condition.allowed {
            parameters.append(
                values.count == 1
                    ? parameter("eq", name, json(values[0])) : parameter("in", name, json(values))
            )
        }
        if let lower = condition.lower {
            parameters.append(parameter(lower.isIncluded ? "min" : "gt", name, json(lower.value)))
        }
        if let upper = condition.upper {
            parameters.append(parameter(upper.isIncluded ? "max" : "lt", name, json(upper.value)))
        }
        switch condition.excluded.count {
        case 0: break
        case 1: parameters.append(parameter("not", name, json(condition.excluded[0])))
        default: parameters.append(parameter("exclude", name, json(condition.excluded)))
        }
        return parameters
    }

    // Always with a word in front: a column may be called as if it had one.
    private static func parameter(_ word: String, _ name: String, _ value: String) -> String {
        "\(word)_\(PercentEncoding.query(name))=\(PercentEncoding.query(value))"
    }

    private static func json(_ value: Value) -> String { String(decoding: value.json, as: UTF8.self) }

    /// Kinto takes lists apart at every comma before it reads their values.
    private static func json(_ values: [Value]) -> String {
        let texts = values.map { value in
            value.json.flatMap { $0 == UInt8(ascii: ",") ? Array(#"\u002c"#.utf8) : [$0] }
        }
        return String(decoding: Array(texts.joined(separator: [UInt8(ascii: ",")])), as: UTF8.self)
    }

    /// Reads parameters that this type has written.
    init(_ text: String) {
        for parameter in text.split(separator: "&") {
            let parts = parameter.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, let mark = parts[0].firstIndex(of: "_"),
                let name = PercentEncoding.decoded(parts[0][parts[0].index(after: mark)...]),
                let value = PercentEncoding.decoded(parts[1])
            else { continue }
            take(String(parts[0][..<mark]), name, value)
        }
    }

    private mutating func take(_ word: String, _ name: String, _ text: String) {
        if !columns.contains(where: { $0.name == name }) {
            columns.append(Column(name: name, condition: KintoCondition()))
        }
        guard let index = columns.firstIndex(where: { $0.name == name }) else { return }
        switch word {
        case "eq": columns[index].condition.allowed = Self.values([text])
        case "in": columns[index].condition.allowed = Self.values(text.split(separator: ","))
        case "not": columns[index].condition.excluded = Self.values([text])
        case "exclude": columns[index].condition.excluded = Self.values(text.split(separator: ","))
        case "gt", "min": columns[index].condition.lower = Self.bound(text, isIncluded: word == "min")
        case "lt", "max": columns[index].condition.upper = Self.bound(text, isIncluded: word == "max")
        default: break
        }
    }

    private static func bound(_ text: String, isIncluded: Bool) -> KintoCondition.Bound? {
        values([text]).first.map { KintoCondition.Bound(value: $0, isIncluded: isIncluded) }
    }

    private static func values(_ texts: [some StringProtocol]) -> [Value] {
        texts.compactMap { Value(json: Array($0.utf8)[...]) }
    }
}
