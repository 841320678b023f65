import RemoteDataExecution

/// Hands on the changes of a table as long as the user and their roles are the same, and then subscribes anew.
struct AccessFeed: Sendable {
    let table: AccessTable
    let query: Query

    /// Begins.
    ///
    /// - Parameters:
    ///   - source: The feed of a user.
    ///   - user: The user.
    /// - Returns: A feed that ends the other one when it is cancelled or released.
    func start(_ source: ChangeFeed, as user: AccessUser) -> ChangeFeed {
        let stop = AccessFeedStop(source)
        let feed = ChangeFeed { stop.cancel() }
        Task(executorPreference: WorkerExecutor.shared) { [weak feed, self] in
            await run(stop, as: user) { events in
                guard let feed else { return false }
                feed.handOn(events)
                return true
            }
            feed?.finish()
        }
        return feed
    }

    private func run(
        _ stop: AccessFeedStop,
        as user: AccessUser,
        _ send: ([ChangeEvent]) -> Bool
    ) async {
        var user = user
        var isNew = false
        while let source = stop.source {
            while true {
                let events = await source.nextBatch()
                if events.isEmpty { return }
                do throws(RemoteDataError) {
                    let current = try await table.user()
                    guard current == user else {
                        user = current
                        break
                    }
                } catch {
                    // Nobody knows whose rights these are now.
                    _ = send([.interrupted(error)])
                    return
                }
                guard send(isNew ? [.reset] + events : events) else { return }
                isNew = false
            }
            source.cancel()
            do throws(RemoteDataError) {
                guard stop.replace(by: try await table.view(user).subscribe(to: query, since: nil)) else {
                    return
                }
                isNew = true
            } catch {
                _ = send([.interrupted(error)])
                return
            }
        }
    }
}
