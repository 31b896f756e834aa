//! Title of the page's tab.

use diagonal::url_state::{VIEWS, View, page_title};
use proptest::prelude::*;

#[test]
fn a_title_names_view_model_and_page() {
    assert_eq!(
        page_title(View::Positions, "minilm-l6"),
        "Positions · minilm-l6 · Diagonal"
    );
    assert_eq!(
        page_title(View::Heads, "BERT 2"),
        "Heads · BERT 2 · Diagonal"
    );
    assert_eq!(page_title(View::Training, " "), "Training · Diagonal");
}

#[test]
fn a_name_is_text_and_short() {
    let markup = "<img src=x onerror=alert(1)>&amp;";
    assert_eq!(
        page_title(View::Compare, markup),
        format!("Compare · {markup} · Diagonal")
    );
    assert_eq!(
        page_title(View::Heads, "a\u{202e}txt.\nexe\u{200f}\u{7}b"),
        "Heads · atxt.exeb · Diagonal"
    );
    let sixty = "é".repeat(60);
    assert_eq!(
        page_title(View::Heads, &sixty),
        format!("Heads · {sixty} · Diagonal")
    );
    let cut = format!("Heads · {}… · Diagonal", "é".repeat(59));
    assert_eq!(page_title(View::Heads, &"é".repeat(61)), cut);
    assert_eq!(page_title(View::Heads, &"é".repeat(100_000)), cut);
}

proptest! {
    #[test]
    fn any_name_makes_one_short_line(name: String, at in 0..VIEWS.len()) {
        let (view, _, title) = VIEWS[at];
        let text = page_title(view, &name);
        prop_assert!(text.starts_with(title) && text.ends_with(" · Diagonal"), "{}", text);
        prop_assert!(text.chars().count() <= 90 && !text.contains(char::is_control), "{:?}", text);
    }
}
