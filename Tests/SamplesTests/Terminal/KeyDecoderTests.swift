import Testing

@testable import live_table

struct KeyDecoderTests {
    @Test(arguments: [
        ("j", Key.character("j")), (" ", .character(" ")), ("ü", .character("ü")), ("東", .character("東")),
        ("😀", .character("😀")), ("\r", .enter), ("\u{7F}", .backspace), ("\u{3}", .interrupt),
        ("\u{1A}", .suspend),
        ("\u{1B}[A", .up), ("\u{1B}OB", .down), ("\u{1B}[5~", .pageUp), ("\u{1B}[6~", .pageDown),
        ("\u{1B}[H", .home),
        ("\u{1B}[4~", .end), ("\u{1B}[1;5C", .right), ("\u{1B}[D", .left),
    ])
    func everySequenceIsItsKeyHoweverItIsCut(text: String, key: Key) {
        let bytes = Array(text.utf8)
        var whole = KeyDecoder()
        #expect(whole.keys(bytes) == [key])
        var pieces = KeyDecoder()
        #expect(bytes.flatMap { pieces.keys([$0]) } == [key])
    }

    @Test func whatMeansNothingIsLeftOut() {
        var decoder = KeyDecoder()
        #expect(decoder.keys("\u{1B}[99~\u{1B}[Z\u{0}\u{1F}j".utf8) == [.character("j")])
        #expect(decoder.keys([0xFF, 0x80, 0xC3, 0x6A]) == [.character("j")])
        #expect(decoder.keys([0xED, 0xA0, 0x80, 0x6A]) == [.character("j")])
    }

    @Test("An escape is a key of its own where nothing follows that it begins")
    func escape() {
        var decoder = KeyDecoder()
        #expect(decoder.keys([0x1B]).isEmpty)
        #expect(decoder.hasEscape)
        #expect(decoder.flush() == [.escape])
        #expect(decoder.flush().isEmpty)
        #expect(decoder.keys("\u{1B}q".utf8) == [.escape, .character("q")])
        #expect(decoder.keys("\u{1B}\u{1B}[A".utf8) == [.escape, .up])
        #expect(decoder.keys("\u{1B}[\u{3}".utf8) == [.interrupt])
    }

    @Test(
        arguments: [
            ("k", .up), ("j", .down), ("g", .home), ("G", .end), (" ", .pageDown), ("x", nil),
        ] as [(Character, Key?)]
    )
    func lettersMoveTheViewToo(letter: Character, key: Key?) {
        #expect(Key.character(letter).movement == key ?? .character(letter))
    }

    @Test func anEndlessSequenceIsGivenUp() {
        var decoder = KeyDecoder()
        let keys = decoder.keys([0x1B, 0x5B] + [UInt8](repeating: 0x31, count: 100))
        #expect(keys.allSatisfy { $0 == .character("1") } && keys.count < 90)
        #expect(decoder.keys("q".utf8) == [.character("q")])
    }
}
