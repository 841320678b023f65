import Foundation

/// Groups of figures as bars, for a README: a picture in SVG 1.1 that needs nothing else.
struct Chart {
    private let groups: [Report.Group]
    private let caption: String

    private static let (width, labels, bars, line) = (900.0, 360.0, 420.0, 22.0)

    init(_ report: Report, _ machine: Machine) {
        groups = report.groups.filter { $0.rows.count > 1 }
        caption = "\(machine.rows) rows of \(machine.row); \(machine.processor); \(machine.libraries)"
    }

    var svg: String {
        var (y, shapes) = (28.0, [String]())
        for group in groups {
            // What it should be is for those who make it faster.
            let title = group.title.split(separator: " (target").first.map(String.init) ?? group.title
            shapes.append(Self.text(title, x: 10, y: y, isTitle: true))
            y += Self.line
            let longest = group.rows.map(\.median).max() ?? 1
            for (index, row) in group.rows.enumerated() {
                shapes += Self.bar(
                    row,
                    y: y,
                    share: row.median / max(longest, .leastNonzeroMagnitude),
                    index == 0 || row.name.hasPrefix("RemoteData")
                )
                y += Self.line
            }
            y += Self.line / 2
        }
        shapes.append(Self.text(caption, x: 10, y: y))
        let size = "width=\"\(Int(Self.width))\" height=\"\(Int(y + Self.line))\""
        let style = "font-family=\"sans-serif\" font-size=\"13\""
        return
            (["<svg xmlns=\"http://www.w3.org/2000/svg\" \(size) \(style)>"]
            + ["<rect width=\"100%\" height=\"100%\" fill=\"white\"/>"] + shapes + ["</svg>", ""])
            .joined(separator: "\n")
    }

    private static func bar(_ row: Report.Row, y: Double, share: Double, _ isOurs: Bool) -> [String] {
        let length = max(1, bars * share)
        let figure = row.median < 1 ? "%.2f µs" : "%.1f ms"
        let time = String(format: figure, row.median < 1 ? row.median * 1_000 : row.median)
        let rectangle = String(
            format: "<rect x=\"%.0f\" y=\"%.0f\" width=\"%.1f\" height=\"14\" fill=\"%@\"/>",
            labels,
            y - 11,
            length,
            isOurs ? "#c2410c" : "#9ca3af"
        )
        return [text(row.name, x: 20, y: y), rectangle, text(time, x: labels + length + 8, y: y)]
    }

    private static func text(_ text: String, x: Double, y: Double, isTitle: Bool = false) -> String {
        let escaped = text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
        let weight = isTitle ? " font-weight=\"bold\"" : ""
        return "<text x=\"\(Int(x))\" y=\"\(Int(y))\"\(weight)>\(escaped)</text>"
    }
}
