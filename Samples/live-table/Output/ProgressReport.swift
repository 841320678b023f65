import RemoteData

/// How the progress of loading is shown: a bar that is drawn again and again on a terminal, some lines elsewhere.
struct ProgressReport: Sendable {
    private let isTerminal: Bool
    private var nextTenth = 1

    init(isTerminal: Bool) { self.isTerminal = isTerminal }

    /// What to write now that so much is loaded; maybe nothing.
    mutating func text(_ progress: LoadProgress, after time: Duration, width: Int) -> String {
        let rate = Self.rate(progress.loaded, time)
        let rows = "\(progress.loaded.grouped) of \(progress.total.grouped) rows"
        guard isTerminal else {
            let tenth = Int(progress.fraction * 10)
            guard tenth >= nextTenth else { return "" }
            nextTenth = tenth + 1
            return "\(tenth * 10) %, \(rows), \(Int(rate).grouped) rows/s\n"
        }
        let left = rate > 0 ? Double(progress.total - progress.loaded) / rate : 0
        let text = " \(rows), \(Int(rate).grouped) rows/s, \(Self.clock(left)) left"
        let line = Self.bar(progress.fraction, width: width - 1 - text.displayWidth) + text
        // A line that wraps would stay when the next one is drawn.
        return "\r\(line.fitted(to: max(1, width - 1)))\u{1B}[K"
    }

    /// What to write in the end.
    func end(_ count: Int, after time: Duration) -> String {
        let seconds = (Self.seconds(time) * 100).rounded() / 100
        let rate = Int(Self.rate(count, time)).grouped
        return (isTerminal ? "\r\u{1B}[K" : "") + "\(count.grouped) rows in \(seconds) s, \(rate) rows/s\n"
    }

    private static func bar(_ fraction: Double, width: Int) -> String {
        let inner = min(40, width - 2)
        guard inner > 2 else { return "" }
        let full = min(inner, max(0, Int((fraction * Double(inner)).rounded())))
        return "[" + String(repeating: "#", count: full) + String(repeating: ".", count: inner - full) + "]"
    }

    private static func seconds(_ time: Duration) -> Double { time / .seconds(1) }

    private static func rate(_ rows: Int, _ time: Duration) -> Double {
        let seconds = seconds(time)
        return seconds > 0 ? min(Double(rows) / seconds, 1e12) : 0
    }

    private static func clock(_ seconds: Double) -> String {
        let seconds = Int(min(seconds, 359_999).rounded(.up))
        let minutes = seconds / 60
        return "\(minutes):" + (seconds % 60 < 10 ? "0" : "") + "\(seconds % 60)"
    }
}

extension Int {
    /// The number with its digits in groups of three.
    var grouped: String {
        var text = ""
        for (index, digit) in String(magnitude).reversed().enumerated() {
            if index > 0, index.isMultiple(of: 3) { text.append(",") }
            text.append(digit)
        }
        return (self < 0 ? "-" : "") + String(text.reversed())
    }
}
