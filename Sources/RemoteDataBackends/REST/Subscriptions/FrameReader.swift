import RemoteData
import RemoteDataNetwork

/// Reads the frames of a connection, each by what those before it tell.
struct FrameReader: Sendable {
    /// What the row of the next change is likely to be.
    private var row: LikelyRow
    /// The epoch of the last subscription that began; frames of changes do not repeat it.
    private var epoch: Epoch?

    /// - Parameter idColumn: The column that holds a row's id.
    init(idColumn: String) { row = LikelyRow(idColumn: idColumn) }

    /// Reads a message.
    mutating func read(_ message: WebSocketMessage) -> IncomingFrame {
        let frame = IncomingFrame(message, &row, epoch)
        if case .subscribed(_, let revision) = frame { epoch = revision?.epoch }
        return frame
    }
}
