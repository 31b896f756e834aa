//! Text as outlines of the shipped font.

use super::{font, words};
use diagonal::{
    export::{TextOutlines, TextPlacement},
    url_state::FigureId,
};

#[test]
fn text_is_set_where_it_is_asked_for() {
    let font = font();
    let letters = TextOutlines::read(&font).expect("a font");
    let corners = |upwards, anchor| {
        let place = TextPlacement {
            at: (100.0, 50.0),
            size: 12.0,
            anchor,
            upwards,
        };
        let path = letters.outline("H", place).expect("a letter");
        let numbers: Vec<f64> = path
            .split(|c: char| c.is_ascii_uppercase() || c == ' ')
            .filter_map(|number| number.parse().ok())
            .collect();
        let range = |from: usize| {
            let values = numbers.iter().skip(from).step_by(2).copied();
            values.fold((f64::MAX, f64::MIN), |(a, b), v| (a.min(v), b.max(v)))
        };
        (range(0), range(1))
    };
    use diagonal::figure::Anchor::{End, Middle, Start};
    // Capitals are centred vertically on the point.
    let ((left, right), (top, bottom)) = corners(false, Start);
    assert!((top + bottom - 100.0).abs() < 0.05 && (8.0..9.5).contains(&(bottom - top)));
    assert!(left > 100.0 && right < 112.0);
    let ((left, right), _) = corners(false, End);
    assert!(left > 88.0 && right < 100.0);
    // Rotated text runs upwards: width and height are exchanged.
    let ((left, right), (top, bottom)) = corners(true, Middle);
    assert!((left + right - 200.0).abs() < 0.05 && (8.0..9.5).contains(&(right - left)));
    assert!((top + bottom - 100.0).abs() < 0.5);
    assert_eq!(letters.width("模型", 12.0), None);
    assert!(TextOutlines::read(b"no font").is_none());
}

#[test]
fn the_font_has_every_letter_that_figures_write() {
    let font = font();
    let letters = TextOutlines::read(&font).expect("a font");
    for text in [
        "−·×≤≥≠≈±√²ᵃ…’“”–—→λΔωΣ∑",
        "λ 6.283 · f(Δy, Δx), |k| ≤ 64: R² −0.25",
        "Zwölf Boxkämpfer, ça, Łódź, Привет, αβγ",
    ] {
        assert!(letters.width(text, 12.0).is_some(), "{text}");
    }
    for figure in FigureId::ALL {
        for query in [
            "",
            "?compare=cosine&cells=causal&sort=peak&added=head&mode=computed",
        ] {
            let words = words(figure.id(), query);
            let legend = words.legend.iter().map(|(_, text)| text.as_str());
            let notes = words.notes.iter().map(String::as_str);
            let all = [figure.title(), words.down, words.across];
            for text in all.into_iter().chain(legend).chain(notes) {
                assert!(letters.width(text, 12.0).is_some(), "{text}");
            }
        }
    }
}
