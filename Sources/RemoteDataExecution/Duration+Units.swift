package import Dispatch

extension Duration {
    /// In seconds, rounded to what a `Double` holds.
    package var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) * 1e-18
    }

    /// In whole milliseconds, rounded up, so that a wait is never cut short.
    package var milliseconds: Int {
        let (seconds, attoseconds) = components
        let whole = seconds.multipliedReportingOverflow(by: 1_000)
        guard !whole.overflow else { return seconds < 0 ? 0 : .max }
        return Int(clamping: whole.partialValue + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }

    /// The same length for Dispatch, in nanoseconds and at most some three centuries.
    package var dispatchInterval: DispatchTimeInterval {
        let (seconds, attoseconds) = components
        guard seconds < 9_000_000_000 else { return .nanoseconds(.max) }
        return .nanoseconds(Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000))
    }
}
