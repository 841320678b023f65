import RemoteData
import RemoteDataBackends

/// The table at an address; asks the server nothing yet.
///
/// - Parameters:
///   - address: Where it is.
///   - access: What the server is to be shown.
///   - isNew: Whether it may not be there yet, as when its first row is to be added.
/// - Returns: The table.
/// - Throws: A usage ``Failure`` when the address is not one of a table.
func openTable(_ address: TableAddress, _ access: Access, isNew: Bool) throws(Failure) -> any Table {
    var configuration = RESTConfiguration()
    configuration.attempts = 3
    configuration.treatsMissingTablesAsEmpty = isNew
    if let token = access.token { configuration.credentials = { _ in token } }
    if address.kind == nil, access.account != nil {
        throw .usage("A server of this package has no accounts: give a token with --token-file FILE.")
    }
    do throws(RemoteDataError) {
        switch address.kind {
        case nil: return try RESTTable(address.url, configuration: configuration)
        case .backendless:
            let account = access.account.map { BackendlessAuthentication($0.name, password: $0.password) }
            return try BackendlessServer(address.server, as: account, configuration: configuration)
                .table(address.table)
        case .kinto:
            let (server, bucket) = address.bucket
            let account = access.account.map { KintoAuthentication($0.name, password: $0.password) }
            return try KintoServer(server, bucket: bucket, as: account, configuration: configuration)
                .table(address.table)
        case .pocketBase:
            let account = access.account.map { account in
                let parts = account.name.split(separator: "/", maxSplits: 1).map(String.init)
                return parts.count == 2
                    ? PocketBaseAuthentication(parts[1], password: account.password, collection: parts[0])
                    : PocketBaseAuthentication(account.name, password: account.password)
            }
            return try PocketBaseServer(address.server, as: account, configuration: configuration)
                .table(address.table)
        }
    } catch { throw .usage(error.message) }
}
