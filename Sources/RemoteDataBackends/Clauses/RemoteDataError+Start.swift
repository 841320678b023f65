import RemoteData

extension RemoteDataError {
    /// For a page beyond a key, where nobody can ask for one.
    static let noPagesBeyondKeys = RemoteDataError(
        .invalidRequest,
        "This server has no pages that start a number of rows behind a key."
    )
}
