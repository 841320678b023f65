import Foundation

/// Figures in groups, printed as a table or as JSON.
struct Report {
    struct Group: Encodable {
        let title: String
        let rows: [Row]
    }

    struct Row: Encodable {
        let name: String
        let median: Double
        let fastest: Double
        let slowest: Double
        let ratio: Double
        let note: String
    }

    private(set) var groups: [Group] = []

    /// Adds a group of rivals; ratios are to the first of them.
    mutating func add(_ title: String, _ measurements: [Measurement]) {
        let reference = measurements.first?.median ?? 1
        let rows = measurements.map { measurement in
            Row(
                name: measurement.name,
                median: measurement.median * 1_000,
                fastest: (measurement.seconds.min() ?? 0) * 1_000,
                slowest: (measurement.seconds.max() ?? 0) * 1_000,
                ratio: measurement.median / reference,
                note: measurement.note
            )
        }
        groups.append(Group(title: title, rows: rows))
        if let group = groups.last { progress(group) }
    }

    private func progress(_ group: Group) {
        FileHandle.standardError.write(Data("measured: \(group.title)\n".utf8))
    }

    var text: String { groups.map(Self.text).joined(separator: "\n") }

    private static func text(_ group: Group) -> String {
        let width = group.rows.map(\.name.count).max() ?? 0
        let unit = (group.rows.first?.median ?? 1) < 1 ? ("µs", 1_000.0) : ("ms", 1.0)
        let lines = group.rows.map { row in
            let name = row.name.padding(toLength: width, withPad: " ", startingAt: 0)
            // In one unit in a group, that of its first line.
            let (unit, factor) = unit
            let median = String(format: "%10.2f \(unit)", row.median * factor)
            let spread = String(format: "%.1f–%.1f", row.fastest * factor, row.slowest * factor)
            let ratio = String(format: "%7.2fx", row.ratio)
            return "  \(name)  \(median)  \(ratio)  [\(spread)]  \(row.note)"
        }
        return ([group.title] + lines).joined(separator: "\n") + "\n"
    }

    /// The machine and the figures as JSON; times in milliseconds.
    func json(_ machine: Machine) throws -> String {
        struct Whole: Encodable {
            let machine: Machine
            let groups: [Group]
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(Whole(machine: machine, groups: groups)), as: UTF8.self)
    }
}
