import Testing

@testable import live_table

struct DisplayWidthTests {
    @Test(arguments: [
        ("", 0), ("abc", 3), ("Zürich", 6), ("Zu\u{308}rich", 6), ("東京", 4), ("서울", 4), ("ｱ", 1), ("ｆ", 2),
        ("😀", 2),
        ("❤️", 2), ("👨‍👩‍👧", 2), ("▸", 1), ("…", 1),
    ])
    func widthIsWhatATerminalGives(text: String, width: Int) { #expect(text.displayWidth == width) }

    @Test(arguments: 0...8) func fittedTextIsNeverTooWide(width: Int) {
        for text in ["東京国際空港", "abcdefghijk", "a東b京c", "x"] {
            #expect(text.fitted(to: width).displayWidth <= width)
            #expect(text.filled(to: width).displayWidth == width)
        }
    }

    @Test func cutsShowAnEllipsis() {
        #expect("abcdef".fitted(to: 4) == "abc…")
        #expect("東京国際".fitted(to: 4) == "東…")
        #expect("abcd".fitted(to: 4) == "abcd")
    }

    @Test func commandsAndDirectionsAreTakenOut() {
        #expect("a\u{1B}]0;x\u{7}b\u{202E}c\td".printable == "a\u{FFFD}]0;x\u{FFFD}b\u{FFFD}c d")
    }

    @Test func theEndOfATextIsCutToo() {
        #expect("abcdef".fittedAtEnd(to: 4) == "…def")
        #expect("東京国際".fittedAtEnd(to: 4) == "…際")
        #expect("abcd".fittedAtEnd(to: 4) == "abcd")
    }
}
