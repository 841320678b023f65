import RemoteData
import RemoteDataBackends

/// The table at an address; asks the server nothing yet.
///
/// - Parameters:
///   - address: Where it is.
///   - token: What the server is to be shown with each request.
///   - isNew: Whether it may not be there yet, as when its first row is to be added.
/// - Returns: The table.
/// - Throws: A usage ``Failure`` when the address is not one of a table.
func openTable(_ address: TableAddress, token: String?, isNew: Bool) throws(Failure) -> any Table {
    var configuration = RESTConfiguration()
    configuration.attempts = 3
    configuration.treatsMissingTablesAsEmpty = isNew
    if let token { configuration.credentials = { _ in token } }
    do throws(RemoteDataError) {
        return try RESTTable(address.url, configuration: configuration)
    } catch { throw .usage(error.message) }
}
