//! The table as a picture: for every kind of work, the page's speed relative to each other racer.

use diagonal::figure::{Anchor, Ink, Mark, PRINT, Scene, svg::svg as written};

use super::Racer;
use super::report::Row;

const WIDTH: f64 = 860.0;
/// Left and right end of the axis.
const AXIS: (f64, f64) = (330.0, 830.0);
const TOP: f64 = 52.0;
const ROW: f64 = 24.0;
const TEXT: f64 = 13.0;

/// Draws the rows with more than one racer. `caption` names the machine.
pub(super) fn svg(rows: &[Row], caption: &str) -> String {
    let raced: Vec<&Row> = rows.iter().filter(|row| row.times.len() > 1).collect();
    let bottom = TOP + ROW * raced.len() as f64;
    let mut scene = Scene::new(WIDTH, bottom + 62.0);
    let others = || Racer::ALL.into_iter().enumerate().skip(1);
    let ratios = || {
        raced
            .iter()
            .flat_map(|row| others().filter_map(|(_, racer)| row.ratio(racer)))
    };
    // Whole powers of ten around all ratios and around one.
    let low = ratios().fold(0.9, f64::min).log10().floor();
    let high = ratios().fold(9.9, f64::max).log10().ceil();
    let x = |ratio: f64| AXIS.0 + (AXIS.1 - AXIS.0) * (ratio.log10() - low) / (high - low);
    let text = |at, words: String, anchor, ink| Mark::Text {
        text: words,
        at,
        size: TEXT,
        anchor,
        ink,
    };
    let rule = |x: f64, stroke, width| Mark::Line {
        points: vec![(x, TOP - 8.0), (x, bottom)],
        stroke,
        width,
        dash: None,
    };
    for power in low as i32..=high as i32 {
        let at = 10_f64.powi(power);
        scene.marks.push(rule(
            x(at),
            if power == 0 {
                Ink::Muted
            } else {
                Ink::Hairline
            },
            1.0,
        ));
        scene.marks.push(text(
            (x(at), bottom + 14.0),
            format!("{at}×"),
            Anchor::Middle,
            Ink::Muted,
        ));
    }
    let middle = f64::midpoint(AXIS.0, AXIS.1);
    let axis = "how many times as fast Diagonal is, to the right of 1× faster".to_owned();
    scene.marks.push(text(
        (middle, bottom + 32.0),
        axis,
        Anchor::Middle,
        Ink::Ink,
    ));
    scene.marks.push(text(
        (12.0, bottom + 50.0),
        caption.to_owned(),
        Anchor::Start,
        Ink::Muted,
    ));
    let mut left = 12.0;
    for (at, racer) in others() {
        if raced.iter().any(|row| row.times.contains_key(&racer)) {
            scene.marks.push(dot((left + 5.0, 18.0), at - 1));
            scene.marks.push(text(
                (left + 16.0, 18.0),
                racer.title().to_owned(),
                Anchor::Start,
                Ink::Ink,
            ));
            left += 150.0;
        }
    }
    for (place, row) in raced.iter().enumerate() {
        let y = TOP + ROW * (place as f64 + 0.5);
        scene
            .marks
            .push(text((12.0, y), row.what.clone(), Anchor::Start, Ink::Ink));
        for (at, racer) in others() {
            if let Some(ratio) = row.ratio(racer) {
                scene.marks.push(dot((x(ratio), y), at - 1));
            }
        }
    }
    written(&scene, &PRINT, "Diagonal beside other libraries", |_| {
        String::new()
    })
}

fn dot(at: (f64, f64), category: usize) -> Mark {
    Mark::Dot {
        at,
        radius: 5.0,
        fill: Ink::Category(category),
        stroke: Ink::Paper,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn everybody_who_raced_is_in_the_picture() {
        let mut row = Row::new("work".to_owned());
        row.times = BTreeMap::from([
            (Racer::Ours, 1.0),
            (Racer::Onnxruntime, 0.5),
            (Racer::Numpy, 250.0),
        ]);
        let mut alone = Row::new("alone".to_owned());
        alone.times = BTreeMap::from([(Racer::Ours, 1.0)]);
        let picture = svg(&[row, alone], "here");
        // One in the legend, one in the row.
        assert_eq!(picture.matches("<circle").count(), 4, "{picture}");
        for words in ["work", "here", "0.1×", "1000×", "NumPy"] {
            assert!(picture.contains(words), "{words}");
        }
        assert!(!picture.contains("alone") && !picture.contains("tfjs"));
    }
}
