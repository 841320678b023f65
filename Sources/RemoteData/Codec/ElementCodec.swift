import Foundation
import Synchronization

/// Turns rows into elements and back.
///
/// The id column of a table (`objectId` natively) need not be a coding key of the element: when the element calls it
/// `id`, the name is changed on the way. Which it is, the first row that decodes to an element with the right id tells.
package final class ElementCodec<Element: Codable & Identifiable & Sendable>: Sendable {
    private enum IDName: Sendable { case same, renamed }

    package let idColumn: String
    private let decoder = JSONDecoder()
    private let encoder = JSONEncoder()
    private let idName = Mutex<IDName?>(nil)
    private let emptyDates: EmptyDates?
    private let dateScale: Double?
    /// Decoders that nobody uses at the moment.
    private let idle = Mutex<[RowDecoder]>([])
    private static var idleLimit: Int { 4 }

    package init(idColumn: String, dates: DateConvention) {
        self.idColumn = idColumn
        dateScale = dates.scale
        emptyDates = dates.hasEmptyText ? EmptyDates() : nil
        decoder.dateDecodingStrategy = dates.decoding
        encoder.dateEncodingStrategy = dates.encoding
        encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
    }

    /// Decodes a row.
    ///
    /// - Throws: ``RemoteDataError`` with code `invalidRow` that names the row and the key.
    package func decode(_ row: Row) throws(RemoteDataError) -> Element {
        if let name = idName.withLock({ $0 }) { return try decode(row, name) }
        do throws(RemoteDataError) {
            let element = try decode(row, .same)
            if idColumn == "id" || RowID(identifier: element.id)?.isSame(as: row.id) ?? false {
                idName.withLock { $0 = .same }
                return element
            }
        } catch let error {
            // Without the other name nothing is said about the other columns.
            guard idColumn != "id", Self.missesID(error) else { throw error }
        }
        return try learned(try decode(row, .renamed), row)
    }

    private static func missesID(_ error: RemoteDataError) -> Bool {
        guard case .keyNotFound(let key, let context)? = error.cause as? DecodingError else { return false }
        return key.stringValue == "id" && context.codingPath.isEmpty
    }

    private func learned(_ element: Element, _ row: Row) throws(RemoteDataError) -> Element {
        guard RowID(identifier: element.id)?.isSame(as: row.id) ?? false else {
            throw RemoteDataError(
                .invalidRow,
                "The id of \(Element.self) is not what the table has in \(idColumn); give its CodingKeys"
                    + " `case id = \"\(idColumn)\"`."
            )
        }
        idName.withLock { $0 = .renamed }
        return element
    }

    private func decode(_ row: Row, _ name: IDName) throws(RemoteDataError) -> Element {
        let json = emptyDates?.nulled(row) ?? row.json
        if let element = lending(name, { $0.decode(Element.self, from: json) }) { return element }
        return try decodeByFoundation(row, name)
    }

    private func decodeByFoundation(_ row: Row, _ name: IDName) throws(RemoteDataError) -> Element {
        while true {
            let nulled = emptyDates?.nulled(row)
            var json = nulled ?? row.json
            if name == .renamed { json = JSONObject.renaming(idColumn, to: "id", in: json) }
            do { return try decoder.decode(Element.self, from: Data(json)) } catch {
                // Somebody else may have learned it meanwhile.
                if let emptyDates, emptyDates.learn(from: error, row), emptyDates.nulled(row) != nulled {
                    continue
                }
                throw RemoteDataError(.invalidRow, Self.explain(error, row), cause: error)
            }
        }
    }

    /// Decodes the rows of a chunk; those that do not decode keep none of the others from it.
    func decode(_ rows: [Row]) -> DecodedChunk<Element> {
        var elements: [Element] = []
        elements.reserveCapacity(rows.count)
        var failures: [Int: RemoteDataError] = [:]
        func keep(
            _ offset: Int,
            in elements: inout [Element],
            _ decode: (Row) throws(RemoteDataError) -> Element
        ) {
            do throws(RemoteDataError) { elements.append(try decode(rows[offset])) } catch {
                failures[offset] = error
            }
        }
        var known = 0
        // Until one of them has told what the id is called.
        while known < rows.count, idName.withLock({ $0 == nil }) {
            keep(known, in: &elements, decode)
            known += 1
        }
        guard let name = idName.withLock({ $0 }) else {
            return DecodedChunk(elements: elements, failures: failures)
        }
        lending(name) { plain in
            plain.decode(
                known..<rows.count,
                copy: { range, batch in
                    guard let emptyDates else { return batch.append(rows, range) }
                    for row in range where !batch.isFull {
                        batch.append(emptyDates.nulled(rows[row]) ?? rows[row].json)
                    }
                },
                into: &elements
            ) { offset, elements in
                keep(offset, in: &elements) { row throws(RemoteDataError) in
                    try decodeByFoundation(row, name)
                }
            }
        }
        return DecodedChunk(elements: elements, failures: failures)
    }

    /// Lends a decoder that has decoded such rows before, where there is one.
    private func lending<Result>(_ name: IDName, _ body: (inout RowDecoder) -> Result) -> Result {
        let column = name == .renamed ? idColumn : nil
        var known = idle.withLock { $0.popLast() }
        // One from when the column's name was not known is of no use any more.
        if known?.idColumn != column { known = nil }
        var plain = known.take() ?? RowDecoder(decoder, dateScale: dateScale, idColumn: column)
        defer { idle.withLock { if $0.count < Self.idleLimit, plain.isSmall { $0.append(plain) } } }
        return body(&plain)
    }
}

// MARK: - Encoding

extension ElementCodec {
    /// The element as a row to be written; without an id when it has none yet (nil, or empty text).
    ///
    /// - Throws: ``RemoteDataError`` with code `invalidRow` when it does not encode as an object.
    package func encode(_ element: Element) throws(RemoteDataError) -> Draft {
        let json = try json(of: element)
        var members = try JSONObject.members(of: json)
        let id = RowID(identifier: element.id)
        if let index = indexOfID(members, id) {
            // An encoder writes each member once.
            if members[index].name == idColumn, let id, id != .text(""),
                RowID(JSONObject.value(of: members[index].json)) == id
            {
                return Draft(checked: json, id: id)
            }
            members[index] = JSONObject.Member(name: idColumn, json: members[index].json)
        }
        members.removeAll { $0.name == idColumn && JSONObject.value(of: $0.json) == .text("") }
        let draft = try Draft(JSONObject.joined(members), idColumn: idColumn)
        guard draft.id == nil, let id, id != .text("") else { return draft }
        return try Draft(draft.row(id: id, idColumn: idColumn).json, idColumn: idColumn)
    }

    /// What has to be written so that a row that holds `old` holds `new`.
    ///
    /// The members that differ, those that `new` leaves out as null; with `isWhole` also those that do not differ.
    package func patch(
        from old: Element?,
        to new: Element,
        isWhole: Bool = false
    ) throws(RemoteDataError) -> ArraySlice<UInt8> {
        let before = try old.map { element throws(RemoteDataError) in try columns(of: element) } ?? []
        let after = try columns(of: new)
        var changed = after.filter { member in
            isWhole || !before.contains { $0.name == member.name && $0.json == member.json }
        }
        for member in before where !after.contains(where: { $0.name == member.name }) {
            changed.append(JSONObject.Member(name: member.name, json: "null".utf8Array[...]))
        }
        return JSONObject.joined(changed)
    }

    /// What has to be written into a row so that what was changed between two elements is changed in it.
    ///
    /// What they do not take from the row stays, also in the objects that it has. An object is written as a
    /// whole, as the row has it but for what was changed.
    ///
    /// - Parameters:
    ///   - row: The row.
    ///   - old: An element of the row or of an earlier version; nil writes all columns of the other one.
    ///   - new: What the element was changed to.
    ///   - omitted: Columns that are not to be written.
    /// - Returns: The members that are to be others.
    /// - Throws: ``RemoteDataError`` with code `invalidRow` when an element does not encode as an object.
    package func patch(
        of row: Row,
        from old: Element?,
        to new: Element,
        omitting omitted: Set<String> = []
    ) throws(RemoteDataError) -> RowPatch {
        let before = try old.map { element throws(RemoteDataError) in try columns(of: element) } ?? []
        let after = try columns(of: new)
        return try JSONObject.changes(
            from: before.filter { !omitted.contains($0.name) },
            to: after.filter { !omitted.contains($0.name) },
            in: JSONObject.members(of: row.json)
        )
    }

    /// The values that an element writes, without its id.
    func leaves(of element: Element) throws(RemoteDataError) -> JSONLeaves {
        try JSONObject.leaves(of: columns(of: element))
    }

    /// The members without the id.
    private func columns(of element: Element) throws(RemoteDataError) -> [JSONObject.Member] {
        var members = try members(of: element)
        if let index = indexOfID(members, RowID(identifier: element.id)) { members.remove(at: index) }
        return members
    }

    /// Which member is the id, by the column's name or, where the element calls it so, as `id`.
    private func indexOfID(_ members: [JSONObject.Member], _ id: RowID?) -> Int? {
        if let index = members.firstIndex(where: { $0.name == idColumn }) { return index }
        guard let id, idName.withLock({ $0 }) != .same else { return nil }
        return members.firstIndex { $0.name == "id" && RowID(JSONObject.value(of: $0.json)) == id }
    }

    private func members(of element: Element) throws(RemoteDataError) -> [JSONObject.Member] {
        try JSONObject.members(of: json(of: element))
    }

    private func json(of element: Element) throws(RemoteDataError) -> ArraySlice<UInt8> {
        do { return [UInt8](try encoder.encode(element))[...] } catch { throw Self.refusal(error) }
    }
}

// MARK: - Errors

extension ElementCodec {
    /// Says which row and which key, and never what the row holds.
    private static func explain(_ error: any Error, _ row: Row) -> String {
        let what = "Row \(row.id) is no \(Element.self)"
        guard let error = error as? DecodingError else { return "\(what)." }
        switch error {
        case .keyNotFound(let key, _): return "\(what): \(key.stringValue) is missing."
        case .valueNotFound(let type, let context):
            return "\(what): \(path(context)) is null, \(type) expected."
        case .typeMismatch(let type, let context): return "\(what): \(path(context)) is no \(type)."
        case .dataCorrupted(let context): return "\(what): \(path(context)) cannot be read."
        @unknown default: return "\(what)."
        }
    }

    private static func path(_ context: DecodingError.Context) -> String { path(context.codingPath) }

    private static func path(_ keys: [any CodingKey]) -> String {
        keys.isEmpty ? "the row" : keys.map(\.stringValue).joined(separator: ".")
    }

    /// Says which key cannot be written, and not what it holds, which the cause does not tell either.
    private static func refusal(_ error: any Error) -> RemoteDataError {
        guard case EncodingError.invalidValue(_, let context) = error else {
            return RemoteDataError(.invalidRow, "\(Element.self) could not be encoded.", cause: error)
        }
        let problem = "\(path(context.codingPath)) cannot be written."
        let untold = EncodingError.Context(codingPath: context.codingPath, debugDescription: problem)
        return RemoteDataError(
            .invalidRow,
            "\(Element.self) could not be encoded: \(problem)",
            cause: EncodingError.invalidValue("(not told)", untold)
        )
    }
}
