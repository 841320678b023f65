import RemoteData

/// The named values of a request, from its query or its JSON body: each known, each there at most once.
struct Parameters: Sendable, Equatable {
    /// A value as it came: text from a query, or a JSON value.
    private enum Source: Equatable {
        case text(String)
        case json(ArraySlice<UInt8>)
    }

    private let values: [String: Source]
    /// The names whose value is null, which counts as none.
    private let nulls: Set<String>
    /// Whether the query had a `+`, which many programs write for a space.
    private let hasPlus: Bool

    /// Reads the query of a target.
    ///
    /// - Throws: ``HTTPRefusal`` for a name that is not one of `known`, or is there twice. Passing over one
    ///   could turn a mistyped `where` into a change of all rows.
    init(query: Substring?, known: Set<String>) throws(HTTPRefusal) {
        var values: [String: Source] = [:]
        for pair in query?.parts(between: "&") ?? [] where !pair.isEmpty {
            let parts = pair.parts(between: "=", most: 2)
            guard let name = PercentEncoding.decoded(parts[0]),
                let value = PercentEncoding.decoded(parts.count > 1 ? parts[1] : "")
            else { throw .unreadable("The query is not percent-encoded UTF-8.") }
            try Self.check(name, known, isThere: values[name] != nil)
            values[name] = .text(value)
        }
        (self.values, nulls) = (values, [])
        hasPlus = query?.utf8.contains(UInt8(ascii: "+")) ?? false
    }

    /// Reads a JSON object; nothing is as an empty one.
    init(body: ArraySlice<UInt8>, known: Set<String>) throws(HTTPRefusal) {
        var values: [String: Source] = [:]
        var nulls: Set<String> = []
        if !body.isEmpty {
            let members: [JSONObject.Member]
            do throws(RemoteDataError) {
                members = try JSONObject.members(of: body)
            } catch { throw .unreadable("The body is not a JSON object of parameters.") }
            for member in members {
                let isThere = values[member.name] != nil || nulls.contains(member.name)
                try Self.check(member.name, known, isThere: isThere)
                if Value(json: member.json) == .null {
                    nulls.insert(member.name)
                } else {
                    values[member.name] = .json(member.json)
                }
            }
        }
        (self.values, self.nulls) = (values, nulls)
        hasPlus = false
    }

    private static func check(_ name: String, _ known: Set<String>, isThere: Bool) throws(HTTPRefusal) {
        guard known.contains(name) else {
            let names = known.isEmpty ? "none" : known.sorted().joined(separator: ", ")
            throw .unreadable("There is no parameter \"\(name.prefix(100))\" here; known: \(names).")
        }
        guard !isThere else { throw .unreadable("The parameter \"\(name)\" is there twice.") }
    }

    /// A text.
    func text(_ name: String) throws(HTTPRefusal) -> String? {
        switch values[name] {
        case .none: return nil
        case .text(let text): return text
        case .json(let json):
            guard case .text(let text) = Value(json: json) else {
                throw .unreadable("\"\(name)\" has to be text.")
            }
            return text
        }
    }

    /// An integer in a range.
    func integer(_ name: String, in range: ClosedRange<Int>) throws(HTTPRefusal) -> Int? {
        let number: Int?
        switch values[name] {
        case .none: return nil
        case .text(""): return nil
        case .text(let text): number = text.utf8.allSatisfy({ (48...57).contains($0) }) ? Int(text) : nil
        case .json(let json):
            if case .integer(let integer) = Value(json: json) { number = Int(integer) } else { number = nil }
        }
        guard let number, range.contains(number) else {
            let upTo = range.upperBound == .max ? "or more" : "to \(range.upperBound)"
            throw .unreadable("\"\(name)\" has to be an integer, \(range.lowerBound) \(upTo).")
        }
        return number
    }

    /// The epoch of a revision beside it; nil where there is none.
    func epoch() throws(HTTPRefusal) -> Epoch? {
        guard let text = try text("epoch"), !text.isEmpty else { return nil }
        guard let epoch = Epoch(text) else { throw .unreadable("\"epoch\" has eight hexadecimal digits.") }
        return epoch
    }

    /// JSON text, encoded in a query or as it is in a body.
    func json(_ name: String) -> ArraySlice<UInt8>? {
        switch values[name] {
        case .none, .text(""): nil
        case .text(let text): Array(text.utf8)[...]
        case .json(let json): json
        }
    }
}

extension Parameters {
    /// The names of a request for a count.
    static let ofCount: Set<String> = ["where", "sortBy"]

    /// The names of a request for a page.
    static let ofPage: Set<String> = ["where", "sortBy", "pageSize", "offset", "after", "before"]

    /// The clause; nil for none.
    ///
    /// A blank one, or null, counts as none only where nothing is changed.
    /// - Throws: ``HTTPRefusal`` or `RemoteDataError`, like the next one.
    func clause(isRead: Bool) throws -> Where? {
        guard isRead || !nulls.contains("where") else {
            throw HTTPRefusal.unreadable("\"where\" is null; without it, all rows are meant.")
        }
        guard let text = try text("where") else { return nil }
        return try hinting { () throws(RemoteDataError) in isRead ? try Where.parse(text) : try Where(text) }
    }

    /// Reads a clause or sort order, and says what to do about a `+` when that fails.
    private func hinting<Result>(_ body: () throws(RemoteDataError) -> Result) throws(RemoteDataError)
        -> Result
    {
        do throws(RemoteDataError) {
            return try body()
        } catch {
            guard hasPlus, error.code == .invalidClause else { throw error }
            let message = error.message + " A + in a query is a plus sign; a space is written %20."
            throw RemoteDataError(error.code, message, position: error.position)
        }
    }

    /// The rows asked for, and their order.
    func query() throws -> Query {
        let order = try text("sortBy") ?? ""
        let sort = try hinting { () throws(RemoteDataError) in try SortTerm.parseAll(order) }
        return Query(try clause(isRead: true), sort: sort)
    }

    /// The page asked for.
    func pageRequest(maximum: Int) throws -> PageRequest {
        let query = try query()
        let limit = try integer("pageSize", in: 1...maximum) ?? min(100, maximum)
        return PageRequest(query, start: try start(query), limit: limit)
    }

    private func start(_ query: Query) throws -> PageRequest.Start {
        let offset = try integer("offset", in: 0...Int.max)
        let after = try json("after").map { try Key(json: $0, termCount: query.sort.count) }
        let before = try json("before").map { try Key(json: $0, termCount: query.sort.count) }
        switch (offset, after, before) {
        case (let offset, nil, nil): return .offset(offset ?? 0)
        case (nil, let after?, nil): return .after(after)
        case (let offset?, let after?, nil): return .beyond(after, offset: offset)
        case (nil, nil, let before?): return .before(before)
        default: throw HTTPRefusal.unreadable("before cannot be given together with offset or after.")
        }
    }
}

extension SortTerm {
    /// Reads a sort order that a client asks for; storage knows a limit of its own.
    ///
    /// - Throws: `RemoteDataError` with code `invalidClause`, also for more than 64 terms.
    static func parseAll(_ text: String) throws(RemoteDataError) -> [SortTerm] {
        let terms = try parse(text)
        guard terms.count <= 64 else {
            throw RemoteDataError(
                .invalidClause,
                "The sort order has \(terms.count) terms; at most 64 are taken.",
                position: 0
            )
        }
        return terms
    }
}
