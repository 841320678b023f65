import RemoteData

/// A value bound to a parameter of a statement.
enum Binding: Sendable {
    case null
    case integer(Int64)
    case double(Double)
    case text(String)
    /// Text given as UTF-8.
    case utf8(ArraySlice<UInt8>)
    case blob([UInt8])
    /// A pattern for `row_like`.
    case pattern(PointerBox<LikeMatcher>)
    /// Elements for `row_contains`.
    case elements(PointerBox<ElementMatcher>)
    /// A regular expression for `row_regex`.
    case regex(PointerBox<Where.RegexPattern>)
    /// A distance for `row_distance`.
    case distance(PointerBox<Where.Distance>)
    /// A clause for `row_matches`.
    case clause(PointerBox<Where.Matcher>)

    /// Binds a value as a table compares it: booleans as numbers, containers as text.
    init(_ value: Value) {
        switch value {
        case .null: self = .null
        case .bool(let value): self = .integer(value ? 1 : 0)
        case .integer(let value): self = .integer(value)
        case .double(let value): self = .double(value)
        case .text(let text), .json(let text): self = .text(text)
        }
    }

    init(_ id: RowID) { self.init(id.value) }

    /// Binds the number alone: the epoch is kept once, for the store or for what a table has of a server.
    init(_ revision: Revision) { self = .integer(revision.rawValue) }

    init(_ epoch: Epoch?) { self = epoch.map { .integer(Int64($0.rawValue)) } ?? .null }

    init(_ number: Int) { self = .integer(Int64(number)) }
}

/// A pattern, clause or the like on its way to a function: SQLite keeps it and releases it.
final class PointerBox<Content: Sendable>: Sendable {
    let content: Content

    init(_ content: Content) { self.content = content }
}
