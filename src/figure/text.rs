//! Text measurement, and layout based on it: line breaking, shortening of names, and overlap of text boxes.
//!
//! Figures are laid out without a browser, so text is measured with a table of character widths, the same natively and
//! on the page. Each width is the greater one of the two Inter fonts in `www/fonts`: the font of canvases, and the font
//! whose outlines exported pictures use. `tests/it/figure/text_boxes.rs` checks the table against the fonts.

use super::Rect;

/// Font size of figures, in CSS pixels.
pub(crate) const TEXT: f64 = 12.0;

/// Position of text relative to its point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    /// The text starts at the point.
    Start,
    /// The text is centred on the point.
    Middle,
    /// The text ends at the point.
    End,
}

/// Widths of U+0020 to U+007E in thousandths of an em.
const ASCII: [u16; 95] = [
    282, 288, 466, 634, 642, 982, 645, 300, 365, 365, 501, 662, 289, 461, 289, 361, 631, 465, 610,
    637, 646, 608, 624, 572, 619, 624, 289, 302, 662, 662, 662, 512, 966, 690, 655, 731, 722, 602,
    591, 747, 744, 269, 571, 672, 566, 904, 754, 765, 639, 765, 644, 642, 646, 745, 690, 986, 683,
    679, 629, 365, 361, 365, 472, 457, 498, 564, 621, 572, 621, 584, 371, 614, 592, 243, 243, 549,
    243, 876, 591, 600, 613, 613, 377, 528, 364, 592, 563, 819, 546, 563, 553, 427, 333, 427, 662,
];

/// Width of a character in thousandths of an em. Characters outside ASCII that figures use have their own width. Any
/// other has the greatest width of its block, or that of a CJK character if the fonts lack the block.
fn letter(c: char) -> u16 {
    match c {
        ' '..='~' => ASCII[c as usize - 0x20],
        '−' | '×' | '±' | '÷' | '≤' | '≥' | '≠' | '≈' => 662,
        '…' => 865,
        '·' | '’' | '‘' => 289,
        '–' => 649,
        '°' | '²' | '³' | '¹' => 456,
        '½' => 927,
        'Δ' => 682,
        'Σ' | '∑' => 689,
        'α' | 'σ' | 'θ' | 'λ' | 'π' | '∂' => 665,
        'ω' => 812,
        '\u{300}'..='\u{36f}' => 0,
        '⁰'..='\u{208e}' => 460,
        '←'..='↓' | '↕' => 955,
        '↔' => 1341,
        '\u{370}'..='\u{3ff}' => 904,
        '\u{a0}'..='\u{24f}' => 1005,
        '\u{400}'..='\u{45f}' => 1130,
        '\u{1f00}'..='\u{2e7f}' => 1700,
        _ => 1000,
    }
}

/// Returns the width of a line of text at font size `size`.
#[must_use]
pub fn width(text: &str, size: f64) -> f64 {
    let thousandths: u64 = text.chars().map(|c| u64::from(letter(c))).sum();
    thousandths as f64 / 1000.0 * size
}

/// Returns the box of a line of text: its width, the font size as height, vertically centred on `at`.
#[must_use]
pub fn line_box(text: &str, at: (f64, f64), anchor: Anchor, size: f64) -> Rect {
    let width = width(text, size);
    let left = match anchor {
        Anchor::Start => 0.0,
        Anchor::Middle => width / 2.0,
        Anchor::End => width,
    };
    Rect {
        x: at.0 - left,
        y: at.1 - size / 2.0,
        width,
        height: size,
    }
}

/// Returns whether two rectangles overlap.
#[must_use]
pub fn overlap(a: &Rect, b: &Rect) -> bool {
    a.x < b.right() && b.x < a.right() && a.y < b.bottom() && b.y < a.bottom()
}

/// Cuts the middle of a name until it fits a width at the font size of figures, since names of checkpoints differ at
/// their ends. Empty if not even one character, an ellipsis and one character fit.
pub(crate) fn fit_name(name: &str, room: f64) -> String {
    if width(name, TEXT) <= room {
        return name.to_owned();
    }
    let letters: Vec<char> = name.chars().collect();
    let cut = |most: usize| -> String {
        let tail = (most - 1) / 2;
        let head = most - 1 - tail;
        let ends = letters[..head].iter().chain(&['…']);
        ends.chain(&letters[letters.len() - tail..]).collect()
    };
    let shorter = (3..letters.len()).rev().map(cut);
    let mut fitting = shorter.filter(|cut| width(cut, TEXT) <= room);
    fitting.next().unwrap_or_default()
}

/// Breaks a text at its spaces into lines no wider than `room`, at the font size of figures. A word that is wider is
/// cut.
pub(crate) fn break_lines(text: &str, room: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        if let Some(line) = lines.last_mut() {
            let longer = format!("{line} {word}");
            if width(&longer, TEXT) <= room {
                *line = longer;
                continue;
            }
        }
        lines.push(fit_name(word, room));
    }
    lines
}
