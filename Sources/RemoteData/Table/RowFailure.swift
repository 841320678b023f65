/// A row of a page that could not be read: it has no id, one of a wrong type, or is no object.
public struct RowFailure: Sendable {
    /// Where the row was among all rows of the page as the table delivered them, those that could be read included; from 0.
    public let position: Int
    /// Why it could not be read.
    public let error: RemoteDataError

    /// Creates a failure.
    public init(position: Int, error: RemoteDataError) {
        self.position = position
        self.error = error
    }
}
