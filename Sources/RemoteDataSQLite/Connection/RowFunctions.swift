import RemoteData

#if SQLCipher
import CSQLCipher
#else
import CSQLite
#endif

/// The functions that read rows inside SQLite exactly as `Where` does in memory.
///
/// SQLite's own `json_extract` differs in small things from version to version: escaped or odd names, doubled
/// names, the last digit of decimals. These cannot differ, as they run the same code.
enum RowFunctions {
    static let patternType: StaticString = "RemoteData.LikePattern"
    static let elementsType: StaticString = "RemoteData.Elements"
    static let regexType: StaticString = "RemoteData.RegexPattern"
    static let distanceType: StaticString = "RemoteData.Distance"
    static let clauseType: StaticString = "RemoteData.Where"

    /// Makes the functions known to a connection.
    ///
    /// - `row_value(json, name, …)`: the value at a path
    /// - `row_like(pattern, json, name, …)`: whether that value is text that fits
    /// - `id_like(pattern, id)`: the same for an id
    /// - `row_contains(elements, json, name, …)`: whether that value is an array that has them
    /// - `row_regex(pattern, json, name, …)`: whether that value is text in which it is found
    /// - `row_distance(distance, latitude, longitude)`: whether two values are a point so near, or so far
    /// - `row_matches(clause, json)`: a whole clause: 1, 0 or null
    static func register(on handle: OpaquePointer) -> Int32 {
        let functions: [(String, Int32, Function)] = [
            ("row_value", -1, rowValue), ("row_like", -1, rowLike), ("id_like", 2, idLike),
            ("row_contains", -1, rowContains), ("row_regex", -1, rowRegex),
            ("row_distance", 3, rowDistance), ("row_matches", 2, rowMatches),
        ]
        let flags = csqlite_function_flags()
        for (name, count, function) in functions {
            let code = sqlite3_create_function_v2(handle, name, count, flags, nil, function, nil, nil, nil)
            if code != SQLITE_OK { return code }
        }
        return SQLITE_OK
    }

    /// After how many of its instructions a statement is counted to have taken how many steps.
    private static let instructions = (stride: 4_096, steps: 40_960)

    /// Has the instructions of statements counted, and those ended for which there is no work left to be
    /// done.
    static func countInstructions(on handle: OpaquePointer) {
        sqlite3_progress_handler(
            handle,
            Int32(instructions.stride),
            { _ in WorkBudget.current?.take(RowFunctions.instructions.steps) ?? true ? 0 : 1 },
            nil
        )
    }

    private typealias Function =
        @convention(c) (
            OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?
        ) -> Void

    private static let rowValue: Function = { context, count, arguments in
        guard let arguments, count > 1 else { return sqlite3_result_null(context) }
        withField(arguments, from: 0, count: Int(count)) { field, json in
            guard mayGoOn(context, json.count) else { return }
            switch field {
            case .null: sqlite3_result_null(context)
            case .bool(let value): sqlite3_result_int(context, value ? 1 : 0)
            case .integer(let value): sqlite3_result_int64(context, value)
            case .double(let value): sqlite3_result_double(context, value)
            case .plainText(let range): setText(context, UnsafeRawBufferPointer(rebasing: json[range]))
            case .text(var text), .container(var text):
                text.withUTF8 { setText(context, UnsafeRawBufferPointer($0)) }
            }
        }
    }

    private static let rowLike: Function = { context, count, arguments in
        guard let arguments, count > 2, let pattern = pattern(arguments[0]) else {
            return sqlite3_result_null(context)
        }
        setTruth(context, ofText: arguments, count: Int(count)) { pattern.matches($0) }
    }

    private static let rowRegex: Function = { context, count, arguments in
        guard let arguments, count > 2,
            let pattern = content(arguments[0], of: Where.RegexPattern.self, regexType)
        else { return sqlite3_result_null(context) }
        setTruth(context, ofText: arguments, count: Int(count)) { pattern.matches($0) }
    }

    private static let idLike: Function = { context, count, arguments in
        guard let arguments, count == 2, let pattern = pattern(arguments[0]) else {
            return sqlite3_result_null(context)
        }
        guard sqlite3_value_type(arguments[1]) == SQLITE_TEXT else { return sqlite3_result_int(context, 0) }
        let text = bytes(arguments[1]).bindMemory(to: UInt8.self)
        setTruth(context, Truth(pattern.matches(text.span)), bytes: text.count)
    }

    private static let rowContains: Function = { context, count, arguments in
        guard let arguments, count > 2,
            let elements = content(arguments[0], of: ElementMatcher.self, elementsType)
        else { return sqlite3_result_null(context) }
        let json = bytes(arguments[1]).bindMemory(to: UInt8.self).span
        guard let position = position(arguments, from: 1, count: Int(count)) else {
            return sqlite3_result_null(context)
        }
        setTruth(context, elements.truth(in: json, at: position), bytes: json.count)
    }

    private static let rowDistance: Function = { context, count, arguments in
        guard let arguments, count == 3,
            let distance = content(arguments[0], of: Where.Distance.self, distanceType)
        else { return sqlite3_result_null(context) }
        setTruth(context, distance.truth(number(arguments[1]), number(arguments[2])), bytes: 16)
    }

    private static let rowMatches: Function = { context, count, arguments in
        guard let arguments, count == 2,
            let clause = content(arguments[0], of: Where.Matcher.self, clauseType)
        else { return sqlite3_result_null(context) }
        // The id is read from the JSON like any column, so the row's own is not needed.
        let row = Row(id: 0, json: ArraySlice(bytes(arguments[1])))
        setTruth(context, clause.truth(of: row), bytes: row.json.count)
    }
}

extension RowFunctions {
    private typealias Arguments = UnsafeMutablePointer<OpaquePointer?>

    private static func cString(_ text: StaticString) -> UnsafePointer<CChar> {
        UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
    }

    private static func pattern(_ argument: OpaquePointer?) -> LikeMatcher? {
        content(argument, of: LikeMatcher.self, patternType)
    }

    /// What is in the box that an argument points to; nil for an argument that is no pointer of the name.
    private static func content<Content: Sendable>(
        _ argument: OpaquePointer?,
        of type: Content.Type,
        _ name: StaticString
    ) -> Content? {
        guard let pointer = csqlite_value_pointer(argument, cString(name)) else { return nil }
        // SAFETY: the pointer has this type by its name, and the statement's parameter keeps it while it
        // runs.
        return Unmanaged<PointerBox<Content>>.fromOpaque(pointer).takeUnretainedValue().content
    }

    /// An argument that is a number or null; other values as one that is no number.
    private static func number(_ argument: OpaquePointer?) -> Value {
        switch sqlite3_value_type(argument) {
        case SQLITE_NULL: .null
        case SQLITE_INTEGER: .integer(sqlite3_value_int64(argument))
        case SQLITE_FLOAT: .double(sqlite3_value_double(argument))
        default: ""
        }
    }

    /// Whether there is work left to be done behind a result that took so many bytes to find; else the
    /// statement ends.
    private static func mayGoOn(_ context: OpaquePointer?, _ bytes: Int) -> Bool {
        let isLeft = WorkBudget.current?.take(bytes) ?? true
        if !isLeft { sqlite3_result_error_code(context, SQLITE_INTERRUPT) }
        return isLeft
    }

    private static func setTruth(_ context: OpaquePointer?, _ truth: Truth, bytes: Int) {
        guard mayGoOn(context, bytes) else { return }
        switch truth {
        case .true: sqlite3_result_int(context, 1)
        case .false: sqlite3_result_int(context, 0)
        case .unknown: sqlite3_result_null(context)
        }
    }

    /// The bytes of an argument that is text, valid until the function returns.
    private static func bytes(_ argument: OpaquePointer?) -> UnsafeRawBufferPointer {
        let start = sqlite3_value_text(argument)
        return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(argument)))
    }

    private static func setText(_ context: OpaquePointer?, _ text: UnsafeRawBufferPointer) {
        guard let start = text.bindMemory(to: CChar.self).baseAddress, !text.isEmpty else {
            return sqlite3_result_text(context, "", 0, csqlite_transient())
        }
        sqlite3_result_text64(context, start, UInt64(text.count), csqlite_transient(), UInt8(SQLITE_UTF8))
    }

    /// Tests text whose row is the second argument: unknown for null, false for what is not text.
    private static func setTruth(
        _ context: OpaquePointer?,
        ofText arguments: Arguments,
        count: Int,
        _ test: (borrowing Span<UInt8>) -> Bool
    ) {
        withField(arguments, from: 1, count: count) { field, json in
            switch field {
            case .null: sqlite3_result_null(context)
            case .plainText(let range):
                let text = UnsafeBufferPointer(rebasing: json.bindMemory(to: UInt8.self)[range])
                setTruth(context, Truth(test(text.span)), bytes: json.count)
            case .text(var text):
                text.withUTF8 { setTruth(context, Truth(test($0.span)), bytes: json.count) }
            case .bool, .integer, .double, .container: setTruth(context, .false, bytes: json.count)
            }
        }
    }

    /// Finds the value whose row is argument `from` and whose path is the arguments behind it.
    private static func withField(
        _ arguments: Arguments,
        from: Int,
        count: Int,
        _ body: (JSONField, UnsafeRawBufferPointer) -> Void
    ) {
        let json = bytes(arguments[from])
        guard let position = position(arguments, from: from, count: count) else { return body(.null, json) }
        body(JSONField(in: json.bindMemory(to: UInt8.self).span, at: position), json)
    }

    /// Where that value starts; nil when the row does not have it.
    private static func position(_ arguments: Arguments, from: Int, count: Int) -> Int? {
        let json = bytes(arguments[from]).bindMemory(to: UInt8.self).span
        var position = 0
        for index in (from + 1)..<count {
            let name = bytes(arguments[index]).bindMemory(to: UInt8.self)
            guard let found = JSONField.find(name.span, in: json, at: position) else { return nil }
            position = found
        }
        return position
    }
}
