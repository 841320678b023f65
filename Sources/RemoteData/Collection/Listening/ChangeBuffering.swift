/// What waits for a reader of changes that is slower than the changes come.
///
/// Whatever the choice, what waits is bounded, and a reader that missed something is told so:
/// ``CollectionChange/hasMissed``. It then has to look at the collection again, and goes on from there.
public enum ChangeBuffering: Sendable, Hashable {
    /// At most so many changes wait, at least one, in order and with their positions.
    ///
    /// One more, and a single change of type ``EventType/dataLoaded``, with nothing else in it, takes the place of all that
    /// wait.
    case buffer(Int)

    /// Only the newest change waits; it takes the place of one that does already.
    ///
    /// For readers that look at the collection whenever something has changed.
    case latest

    /// One change for each row waits, for at most so many rows, at least one.
    ///
    /// What happens to a row while a change of it waits becomes one change with that: created and updated is created,
    /// updated and deleted is deleted, deleted and created is updated, created and deleted is nothing. (It is deleted
    /// for a reader that may have met the row in the collection: before it took its first change, and before it took the
    /// one behind a `dataLoaded`.) A deletion of many rows is one of each.
    ///
    /// They come in the order of each row's last change: a reader of one has read all that were made before
    /// it.
    ///
    /// Such changes have no positions, since those count in a collection that the reader has not seen. ``CollectionChange/isOwn``
    /// means that all of it was the collection's own doing, and the revision is the last one.
    ///
    /// Changes of more rows, and deletions of rows whose ids are not known, become a single change of type
    /// ``EventType/dataLoaded`` that takes the place of all that wait, as does one that the collection tells.
    case coalescing(limit: Int)
}
