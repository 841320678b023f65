import Foundation

/// A day in which everything happens that happens to shopping lists: three devices and a server, each a program of its own.
struct Day {
    private let folder = FileManager.default.temporaryDirectory.appending(
        path: "shopping-\(UUID().uuidString)"
    )
    private let isColourful = isatty(STDOUT_FILENO) == 1

    func play() async throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let users =
            #"{"users":[{"id":"ann","token":"ann's"},{"id":"bob","token":"bob's"}],"newRows":"private"}"#
        let file = folder.appending(path: "users.json").path
        let isWritten = FileManager.default.createFile(
            atPath: file,
            contents: Data(users.utf8),
            attributes: [.posixPermissions: 0o600]
        )
        guard isWritten else { throw Failure("\(file) cannot be written.") }
        try FileManager.default.createDirectory(
            at: folder.appending(path: "data"),
            withIntermediateDirectories: true
        )
        let server = try Device("server", serverArguments("127.0.0.1:0"))
        defer { server.stop() }
        guard let url = try server.readLine() else { throw Failure("table-server did not start.") }
        let phone = try device("ann's phone", url)
        let tablet = try device("ann's tablet", url)
        let bobs = try device("bob's phone", url)
        defer { for device in [phone, tablet, bobs] { device.stop() } }
        try morning(phone, tablet, bobs)
        try flight(phone, tablet, bobs)
        let again = try crash(phone, server, at: url)
        defer { again.stop() }
        try evening(phone, tablet, bobs)
    }

    private func serverArguments(_ address: String) -> [String] {
        [
            "table-server", "--listen", address, "--data", folder.appending(path: "data").path, "--users",
            folder.appending(path: "users.json").path, "--quiet",
        ]
    }

    private func device(_ name: String, _ url: String) throws -> Device {
        try Device(name, ["shopping-list", folder.appending(path: name).path, url])
    }

    // MARK: Hours

    private func morning(_ phone: Device, _ tablet: Device, _ bobs: Device) throws {
        title("Morning: a list is written before anybody has logged in")
        try type(phone, "new Groceries")
        try type(phone, "add milk, bread, apples")
        title("Ann logs in; what she wrote is hers now, and on her tablet")
        try type(phone, "login ann ann's")
        try type(phone, "sync")
        try type(tablet, "login ann ann's")
        try type(tablet, "sync")
        try type(tablet, "lists")
        title("She shares it with Bob")
        try type(phone, "share bob")
        try type(phone, "sync")
        try type(bobs, "login bob bob's")
        try type(bobs, "sync")
        try type(bobs, "open groceries")
    }

    private func flight(_ phone: Device, _ tablet: Device, _ bobs: Device) throws {
        title("Noon: Ann is in an aeroplane, and writes on")
        try type(phone, "flight on")
        try type(phone, "count milk 2")
        try type(phone, "add coffee")
        try type(phone, "move coffee before milk")
        try type(phone, "status")
        title("Bob is in the shop meanwhile, and changes the same things")
        try type(bobs, "tick milk")
        try type(bobs, "add cheese")
        try type(bobs, "sync")
        title("She lands: what both have changed is put together")
        try type(phone, "flight off")
        try type(phone, "sync")
        try type(bobs, "sync")
        try type(bobs, "")
        try compare(phone, tablet, bobs)
    }

    /// - Returns: The server after it was started again.
    private func crash(_ phone: Device, _ server: Device, at url: String) throws -> Device {
        title(
            "Afternoon: the server is gone, and the phone's battery with it, just after Ann wrote something"
        )
        server.crash()
        try type(phone, "add tea, honey")
        phone.crash()
        note("the phone was ended by kill -9")
        try phone.start()
        try type(phone, "login ann ann's")
        try type(phone, "")
        title("The server is back")
        let address = url.replacingOccurrences(of: "http://", with: "")
        let again = try Device("server", serverArguments(address))
        _ = try again.readLine()
        try type(phone, "sync")
        return again
    }

    private func evening(_ phone: Device, _ tablet: Device, _ bobs: Device) throws {
        title("Evening: Bob borrows the tablet, and sees what is his")
        try type(tablet, "sync")
        try type(tablet, "flight on")
        try type(tablet, "new Ann's presents")
        try type(tablet, "login bob bob's")
        try type(tablet, "flight off")
        try type(tablet, "sync")
        try type(tablet, "lists")
        title("What Ann wrote there waited for her")
        try type(tablet, "login ann ann's")
        try type(tablet, "sync")
        try type(phone, "sync")
        try type(phone, "lists")
        try type(bobs, "sync")
        try compare(phone, tablet, bobs)
        title("All is bought")
        try type(phone, "drop groceries")
        try type(phone, "sync")
        try type(bobs, "sync")
        try type(bobs, "lists")
        title("Good night")
    }

    // MARK: Telling

    private func title(_ text: String) { say("\n" + (isColourful ? "\u{1B}[1m\(text)\u{1B}[0m" : text)) }

    private func note(_ text: String) { say("   (\(text))") }

    private func type(_ device: Device, _ line: String) throws {
        let name = isColourful ? "\u{1B}[2m\(device.name)>\u{1B}[0m" : "\(device.name)>"
        say("\(name) \(line)")
        for answer in try device.tell(line).split(separator: "\n") { say("   \(answer)") }
    }

    /// Every device shows the same list.
    private func compare(_ devices: Device...) throws {
        var shown: Set<String> = []
        for device in devices {
            _ = try device.tell("sync")
            shown.insert(try device.tell("open groceries"))
        }
        guard shown.count == 1 else {
            throw Failure("The devices show different lists:\n\(shown.joined(separator: "\n"))")
        }
        note("the list is the same on \(devices.map(\.name).joined(separator: ", "))")
    }
}
