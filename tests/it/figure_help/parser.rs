//! The format of the help: sections, lines that are left out, and texts that are not in the format.

use diagonal::figure_help::{HelpError, Paper, PositionFamily, Source, parse};
use proptest::prelude::*;

const TEXT: &str = "\
[table, rotary]
question: Of a table?
reading: Rows: positions.
look for: Streaks.
source: tisa | Figure 1 | Heatmaps.
source: learned | section “A” | A | B.

[grid]
look for: Stripes.
source: waves | equation 4 | Sines.

[offset,window]
question: Of offsets?
source: none
";

#[test]
fn a_section_has_the_lines_of_the_first_that_it_leaves_out() {
    let table = parse(TEXT, PositionFamily::Table).expect("help");
    assert_eq!(table.question, "Of a table?");
    assert_eq!(table.reading, "Rows: positions.");
    assert_eq!(table.look_for, "Streaks.");
    let source = |paper, place, says| Source { paper, place, says };
    let sources = [
        source(Paper::Tisa, "Figure 1", "Heatmaps."),
        source(Paper::LearnedEmbeddings, "section “A”", "A | B."),
    ];
    assert_eq!(table.sources, sources);
    // Its heading names it too.
    assert_eq!(parse(TEXT, PositionFamily::Rotary).as_ref(), Ok(&table));
    // No heading names it, so the first section is for it.
    assert_eq!(parse(TEXT, PositionFamily::Computed).as_ref(), Ok(&table));

    let grid = parse(TEXT, PositionFamily::Grid).expect("help");
    assert_eq!(
        (grid.question, grid.reading),
        (table.question, table.reading)
    );
    assert_eq!(grid.look_for, "Stripes.");
    assert_eq!(
        grid.sources,
        [source(Paper::SinusoidLikeWaves, "equation 4", "Sines.")]
    );

    for family in [PositionFamily::Offset, PositionFamily::Window] {
        let offset = parse(TEXT, family).expect("help");
        assert_eq!(
            (offset.question, offset.look_for),
            ("Of offsets?", "Streaks.")
        );
        assert!(offset.sources.is_empty());
    }
}

#[test]
fn all_names_every_family() {
    let text = "[all]\nquestion: Q?\nreading: R.\nlook for: L.\n";
    for family in PositionFamily::ALL {
        let guide = parse(text, family).expect("help");
        assert_eq!((guide.question, guide.sources.len()), ("Q?", 0));
        assert_eq!(PositionFamily::from_name(family.name()), Some(family));
    }
}

#[test]
fn a_text_that_is_not_in_the_format_is_refused_at_its_line() {
    let whole = "[all]\nquestion: Q?\nreading: R.\nlook for: L.\n";
    for (text, line) in [
        (String::new(), 0),
        ("question: Q?".to_owned(), 1),
        ("[all]\nquestion: Q?\nreading: R.".to_owned(), 3),
        ("[table\nquestion: Q?".to_owned(), 1),
        ("[sphere]\nquestion: Q?".to_owned(), 1),
        (format!("{whole}[]"), 5),
        (format!("{whole}reading: Again."), 5),
        (format!("{whole}hint: Look."), 5),
        (format!("{whole}no name"), 5),
        (format!("{whole}source: tisa | Figure 1"), 5),
        (format!("{whole}source: nobody | Figure 1 | Heatmaps."), 5),
        // Sections of other families are read, too.
        (format!("{whole}[grid]\nhint: Look."), 6),
    ] {
        let HelpError { line: at, reason } = parse(&text, PositionFamily::Table).expect_err(&text);
        assert_eq!(at, line, "{text}: {reason}");
    }
}

proptest! {
    #[test]
    fn no_text_breaks_the_parser(text in "(\\[(all|grid|x)\\]\n|question: .{0,9}\n|source: .{0,20}\n|.{0,20}\n){0,12}") {
        for family in PositionFamily::ALL {
            let _ = parse(&text, family);
        }
    }
}
