/// What has to be written into a row.
package struct RowPatch: Sendable {
    /// The members to be put in place of the row's own.
    package let json: ArraySlice<UInt8>
    /// Whether one of them is an object of which a part is taken from the row as it was known.
    package let mergesObjects: Bool

    /// Whether nothing is to be put in place.
    package var isEmpty: Bool { json.elementsEqual("{}".utf8) }
}

extension JSONObject {
    /// The changes of the members of an object of which only a part was read, when that part changes.
    ///
    /// - Parameters:
    ///   - old: The part that was read.
    ///   - new: What is in its place.
    ///   - members: The members of the object.
    /// - Returns: The members that are others then, as they are; those that are left out are null.
    /// - Throws: ``RemoteDataError`` with code `invalidRow` when what was read is not valid.
    static func changes(
        from old: [Member],
        to new: [Member],
        in members: [Member]
    ) throws(RemoteDataError) -> RowPatch {
        var (changed, mergesObjects) = ([Member](), false)
        for member in new {
            let before = json(of: member.name, in: old)
            guard member.json != before, !(before == nil && member.isNull) else { continue }
            var change = member
            if let merged = try merged(from: before, to: member, into: json(of: member.name, in: members)) {
                (change.json, mergesObjects) = (merged, true)
            }
            changed.append(change)
        }
        for member in old where json(of: member.name, in: new) == nil && !member.isNull {
            changed.append(Member(name: member.name, json: "null".utf8Array[...]))
        }
        return RowPatch(json: joined(changed), mergesObjects: mergesObjects)
    }

    /// An object with the changes that were made to the part of it that was read; nil unless all are objects.
    private static func merged(
        from old: ArraySlice<UInt8>?,
        to new: Member,
        into whole: ArraySlice<UInt8>?
    ) throws(RemoteDataError) -> ArraySlice<UInt8>? {
        let brace = UInt8(ascii: "{")
        guard new.isObject, let old, old.first == brace, let whole,
            var result = try? members(of: whole)
        else { return nil }
        let (before, after) = (try members(of: old), try members(of: new.json))
        for var member in after {
            let known = json(of: member.name, in: before)
            guard member.json != known else { continue }
            let index = result.firstIndex { $0.name.hasSameBytes(as: member.name) }
            if let merged = try merged(from: known, to: member, into: index.map { result[$0].json }) {
                member.json = merged
            }
            if let index { result[index] = member } else { result.append(member) }
        }
        result.removeAll { member in
            json(of: member.name, in: before) != nil && json(of: member.name, in: after) == nil
        }
        return joined(result)
    }
}
