import RemoteData

#if SQLCipher
import CSQLCipher
#else
import CSQLite
#endif

/// A prepared statement; belongs to its connection and is used where that is.
final class Statement {
    private let handle: OpaquePointer
    private unowned let connection: Connection
    let sql: String
    /// When it was last used, for the cache it is in.
    var lastUse = 0
    /// Objects bound to parameters, where SQLite does not keep them itself.
    private var boxes: [AnyObject] = []

    init(_ sql: String, _ connection: Connection) throws(RemoteDataError) {
        var handle: OpaquePointer?
        let code = csqlite_prepare(connection.handle, sql, &handle)
        try connection.check(code)
        guard let handle else { throw RemoteDataError(.storage, "An empty statement was prepared.") }
        self.handle = handle
        self.connection = connection
        self.sql = sql
    }

    deinit { sqlite3_finalize(handle) }

    /// Starts over with new values for all parameters.
    func bind(_ bindings: [Binding]) throws(RemoteDataError) {
        sqlite3_reset(handle)
        for (index, binding) in bindings.enumerated() {
            try connection.check(bind(binding, at: Int32(index + 1)))
        }
    }

    /// Starts over; parameters keep their values until they get others.
    func reset() { sqlite3_reset(handle) }

    /// Gives a parameter, counted from one, a value.
    func set(_ index: Int32, _ binding: Binding) throws(RemoteDataError) {
        try connection.check(bind(binding, at: index))
    }

    /// Moves to the next row of the result; false at the end.
    func step() throws(RemoteDataError) -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code:
            let error = connection.error(code)
            sqlite3_reset(handle)
            throw error
        }
    }

    /// Runs a statement that has no result, with text that is not copied for it.
    ///
    /// - Parameters:
    ///   - bytes: The text, as UTF-8.
    ///   - index: The parameter, counted from one.
    /// - Throws: `RemoteDataError` with code `storage`.
    func run(with bytes: ArraySlice<UInt8>, at index: Int32) throws(RemoteDataError) {
        let error = bytes.withUnsafeBufferPointer { bytes in
            bytes.withMemoryRebound(to: CChar.self) { text -> RemoteDataError? in
                // SAFETY: the text outlives the statement's use of it, which ends with `finish`.
                defer { finish() }
                let code = bind(text: text, at: index, keeping: nil)
                guard code == SQLITE_OK else { return connection.error(code) }
                let result = sqlite3_step(handle)
                return result == SQLITE_DONE ? nil : connection.error(result)
            }
        }
        if let error { throw error }
    }

    /// Lets go of locks and of what is bound; to be called after the last step.
    func finish() {
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
        if !boxes.isEmpty { boxes = [] }
    }

    private func bind(_ binding: Binding, at index: Int32) -> Int32 {
        switch binding {
        case .null: sqlite3_bind_null(handle, index)
        case .integer(let value): sqlite3_bind_int64(handle, index, value)
        case .double(let value): sqlite3_bind_double(handle, index, value)
        case .text(let text): bind(text: text, at: index)
        case .utf8(let bytes): bind(text: bytes, at: index)
        case .blob(let bytes):
            // An empty buffer may have no address, which SQLite would take for null.
            bytes.isEmpty
                ? sqlite3_bind_zeroblob(handle, index, 0)
                : bytes.withUnsafeBytes {
                    sqlite3_bind_blob64(handle, index, $0.baseAddress, UInt64($0.count), csqlite_transient())
                }
        case .pattern(let pattern):
            bind(pointer: pattern, at: index, type: RowFunctions.patternType)
        case .elements(let elements): bind(pointer: elements, at: index, type: RowFunctions.elementsType)
        case .regex(let pattern): bind(pointer: pattern, at: index, type: RowFunctions.regexType)
        case .distance(let distance): bind(pointer: distance, at: index, type: RowFunctions.distanceType)
        case .clause(let clause): bind(pointer: clause, at: index, type: RowFunctions.clauseType)
        }
    }

    private func bind(text: String, at index: Int32) -> Int32 {
        var text = text
        return text.withUTF8 { utf8 in
            utf8.withMemoryRebound(to: CChar.self) { bind(text: $0, at: index) }
        }
    }

    private func bind(text bytes: ArraySlice<UInt8>, at index: Int32) -> Int32 {
        bytes.withUnsafeBufferPointer { bytes in
            bytes.withMemoryRebound(to: CChar.self) { bind(text: $0, at: index) }
        }
    }

    private func bind(
        text: UnsafeBufferPointer<CChar>,
        at index: Int32,
        keeping destructor: sqlite3_destructor_type? = csqlite_transient()
    ) -> Int32 {
        let utf8 = UInt8(SQLITE_UTF8)
        guard let address = text.baseAddress else {
            return sqlite3_bind_text(handle, index, "", 0, csqlite_transient())
        }
        return sqlite3_bind_text64(handle, index, address, UInt64(text.count), destructor, utf8)
    }

    /// One retain here; the release is the destructor SQLite calls when the parameter is bound anew or
    /// cleared.
    private func bind<Content>(pointer box: PointerBox<Content>, at index: Int32, type: StaticString) -> Int32
    {
        // SAFETY: a StaticString lives forever, as SQLite asks of the type's name.
        let name = UnsafeRawPointer(type.utf8Start).assumingMemoryBound(to: CChar.self)
        guard csqlite_keeps_pointers() else {
            boxes.append(box)
            let pointer = Unmanaged.passUnretained(box).toOpaque()
            return csqlite_bind_pointer(handle, index, pointer, name) { _ in }
        }
        return csqlite_bind_pointer(handle, index, Unmanaged.passRetained(box).toOpaque(), name) { pointer in
            guard let pointer else { return }
            Unmanaged<AnyObject>.fromOpaque(pointer).release()
        }
    }
}

// Columns of the current row, counted from zero.
extension Statement {
    func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

    func isText(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_TEXT }

    func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

    /// A revision of the store's own history.
    func revision(_ column: Int32) -> Revision { Revision(integer(column), epoch: connection.epoch) }

    /// An epoch; nil for null.
    func epoch(_ column: Int32) -> Epoch? {
        UInt32(exactly: integer(column)).flatMap { Epoch(rawValue: $0) }
    }

    func double(_ column: Int32) -> Double { sqlite3_column_double(handle, column) }

    func text(_ column: Int32) -> String {
        withBytes(column) { String(decoding: $0, as: UTF8.self) }
    }

    func bytes(_ column: Int32) -> [UInt8] { withBytes(column) { [UInt8]($0) } }

    /// Appends the bytes of text or a blob and returns where they are.
    func append(_ column: Int32, to buffer: inout [UInt8]) -> Range<Int> {
        let start = buffer.count
        withBytes(column) { buffer.append(contentsOf: $0) }
        return start..<buffer.count
    }

    func id(_ column: Int32) -> RowID { isText(column) ? .text(text(column)) : .integer(integer(column)) }

    func value(_ column: Int32) -> Value {
        switch sqlite3_column_type(handle, column) {
        case SQLITE_INTEGER: .integer(integer(column))
        case SQLITE_FLOAT: .double(double(column))
        case SQLITE_TEXT: .text(text(column))
        default: .null
        }
    }

    private func withBytes<Result>(_ column: Int32, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        // Asking for text first makes the count be of bytes, and NUL characters part of it.
        let start = sqlite3_column_blob(handle, column)
        return body(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column))))
    }
}
