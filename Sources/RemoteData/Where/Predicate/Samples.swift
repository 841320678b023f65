import Foundation

/// Made-up elements of a type, with their rows.
///
/// Values differ from property to property and from sample to sample, so that a column that holds a
/// property's value in all samples is that property's.
struct Samples {
    /// Enough that two Booleans, or two enums of two cases, are the same in all samples once in 16 million
    /// pairs.
    private static let count = 24

    /// The elements; empty when the type cannot be made up.
    private(set) var elements: [any Codable] = []
    /// Each element as the table would hold it.
    private(set) var values: [Value] = []
    /// Each element as a row; without members when it is no object.
    private(set) var rows: [Row] = []
    /// Every column of the rows.
    private(set) var paths: [ColumnPath] = []
    private let keys = SampleKeys()

    init(of type: any Codable.Type, encodedBy encoder: JSONEncoder) {
        var columns = ColumnSet()
        for number in 0..<Self.count {
            let decoder = SampleDecoder(Sample(number: number, keys: keys))
            guard let element = try? decoder.invent(type), let json = try? encoder.encode(element) else {
                (elements, values, rows) = ([], [], [])
                return
            }
            let row = Row(id: 0, json: Array(json)[...])
            elements.append(element)
            values.append(Value(json: row.json) ?? .null)
            rows.append(row)
            columns.insert(columnsOf: row)
        }
        paths = columns.paths
    }

    /// Whether the type decodes itself from an object with this member.
    func hasKey(_ name: String) -> Bool { keys.outermost?(name) == true }
}

/// What decoding a type told about its coding keys.
final class SampleKeys {
    /// Whether there is a coding key of a name, for the type's own container.
    var outermost: ((String) -> Bool)?
}
