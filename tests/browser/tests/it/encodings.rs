//! The encodings view: every scheme on one axis, flat lines, rotating pairs.

use browser::session::key;
use browser::{Page, Result, scenarios};
use diagonal::analysis::SCHEMES;
use serde_json::json;
use std::collections::BTreeSet;

use crate::checkpoints::open;
use crate::golden::near;

scenarios! {
    in_chromium: [
        every_scheme_is_on_one_axis,
        schemes_come_and_go,
        parameters_move_the_schemes,
        a_t5_checkpoint_is_its_scheme,
        a_sinusoids_lines_are_flat,
        a_learned_tables_lines_bend,
        hands_turn_and_angles_stay,
        a_link_restores_the_encodings,
    ],
}

const FIGURES: [&str; 3] = ["encoding-profile", "flat-lines", "phasors"];

fn field(name: &str) -> String {
    format!("input[aria-label='{name}, exact']")
}

/// Expands a scheme's numbers.
fn unfold(page: &Page, title: &str) -> Result {
    page.click(&format!("button[aria-label='About {title}']"))
}

fn text(page: &Page, id: &str, css: &str) -> Result<String> {
    page.text(&format!("{} {css}", browser::page::figure(id)))
}

fn every_scheme_is_on_one_axis(page: &Page) -> Result {
    page.open("?view=encodings&model=minilm-l6&encodings=n:256")?;
    for figure in FIGURES {
        page.figure(figure)?;
    }
    // The open head's curve arrives last.
    page.wait_until(
        "document.querySelector(\"figure[data-figure='encoding-profile'] .summary\").textContent.includes('Open head')",
    )?;
    let table = page.csv("encoding-profile")?;
    let offsets = table.numbers("offset")?;
    assert_eq!((offsets.len(), offsets[0]), (2 * 256 - 1, -255.0));
    for scheme in SCHEMES {
        let f = table.numbers(scheme.id)?;
        let scaled = table.numbers(&format!("{}_scaled", scheme.id))?;
        // FIRE has no score for keys ahead.
        let seen = if scheme.id == "fire" {
            &f[..256]
        } else {
            &f[..]
        };
        assert!(seen.iter().all(|v| v.is_finite()), "{} has gaps", scheme.id);
        near(scheme.id, scaled[255], 0.0, 1e-12)?;
    }
    // ALiBi head 4 of 8 falls by 2⁻⁴ per step; the sinusoidal table has d/2 on the diagonal.
    let (alibi, sinusoidal) = (table.numbers("alibi")?, table.numbers("sinusoidal")?);
    near("ALiBi at −16", alibi[255 - 16], -1.0, 1e-12)?;
    near("sinusoidal at 0", sinusoidal[255], 64.0, 1e-9)?;
    let (mean, envelope) = (table.numbers("rotary")?, table.numbers("rotary_envelope")?);
    let within = mean
        .iter()
        .zip(&envelope)
        .all(|(m, e)| m.abs() <= e + 1e-12);
    assert!(within, "the envelope bounds the mean");
    // No positions, and the bias that depends on the query.
    assert!(table.numbers("nope")?.iter().all(|f| *f == 0.0));
    let (row, r2) = (table.numbers("fire")?, table.numbers("fire_r2")?);
    near("FIRE’s last query, farthest key", row[0], -1.0, 1e-12)?;
    assert!(r2[0] > 0.5 && r2[0] < 1.0, "{}", r2[0]);
    Ok(())
}

fn schemes_come_and_go(page: &Page) -> Result {
    page.open("?view=encodings&model=sinusoidal")?;
    page.figure("encoding-profile")?;
    let before = page.painted_at("encoding-profile")?;
    page.click("button[data-scheme='t5']")?;
    page.painted_since("encoding-profile", before)?;
    assert_eq!(
        page.attribute("button[data-scheme='t5']", "aria-pressed")?
            .as_deref(),
        Some("false")
    );
    let columns = page.csv("encoding-profile")?.columns;
    assert!(!columns.contains(&"t5".to_owned()) && columns.contains(&"alibi".to_owned()));
    page.wait_until("location.search.includes('encodings=show:')")?;
    page.click("button[data-scheme='t5']")?;
    page.wait_until("!location.search.includes('encodings=')")?;
    // Overlaid, with the same numbers.
    let before = page.painted_at("encoding-profile")?;
    page.click("[aria-label='Arrangement'] button:last-child")?;
    page.painted_since("encoding-profile", before)?;
    page.wait_until("location.search.includes('together')")?;
    Ok(())
}

fn parameters_move_the_schemes(page: &Page) -> Result {
    page.open("?view=encodings&model=sinusoidal&encodings=n:64")?;
    page.figure("encoding-profile")?;
    unfold(page, "Shaw, clipped")?;
    page.fill(&field("Shaw’s reach K"), "5")?;
    unfold(page, "ALiBi")?;
    page.fill(&field("ALiBi’s head"), "1")?;
    page.wait_until("location.search.includes('shaw:5') && location.search.includes('alibi:1:8')")?;
    let table = page.csv("encoding-profile")?;
    let (offsets, shaw) = (table.numbers("offset")?, table.numbers("shaw")?);
    let alibi = table.numbers("alibi")?;
    for (at, k) in offsets.iter().enumerate() {
        near(&format!("Shaw at {k}"), shaw[at], -k.abs().min(5.0), 0.0)?;
        near(&format!("ALiBi at {k}"), alibi[at], -k.abs() / 2.0, 1e-12)?;
    }
    // A longer axis, by slider.
    let before = page.painted_at("encoding-profile")?;
    page.script(
        "document.querySelector(\"input[type='range'][aria-label='length n']\").focus()",
        vec![],
    )?;
    page.keys(&[key::RIGHT])?;
    page.painted_since("encoding-profile", before)?;
    let longer = page.csv("encoding-profile")?.rows.len();
    assert!(longer > 127, "{longer} offsets");
    Ok(())
}

fn a_t5_checkpoint_is_its_scheme(page: &Page) -> Result {
    page.open("?model=sinusoidal")?;
    open(page, "t5")?;
    page.wait_until(
        "document.querySelector('[data-model][aria-current]')?.textContent.includes('T5')",
    )?;
    page.figure("offset-profile")?;
    let stored = page.csv("offset-profile")?.numbers("mean")?;
    page.view("encodings")?;
    page.figure("encoding-profile")?;
    let table = page.csv("encoding-profile")?;
    let (offsets, t5) = (table.numbers("offset")?, table.numbers("t5")?);
    assert!(!table.columns.contains(&"learned".to_owned()));
    let middle = stored.len() / 2;
    for (k, value) in offsets.iter().zip(t5) {
        let at = usize::try_from(*k as i64 + middle as i64);
        match at.ok().and_then(|at| stored.get(at)) {
            Some(expected) => near(&format!("T5 at {k}"), value, *expected, 1e-9)?,
            None => assert!(value.is_nan(), "nothing is stored at {k}"),
        }
    }
    Ok(())
}

fn a_sinusoids_lines_are_flat(page: &Page) -> Result {
    page.open("?view=encodings&model=sinusoidal&encodings=lines:100")?;
    page.figure("flat-lines")?;
    let table = page.csv("flat-lines")?;
    assert_eq!(
        table.columns,
        [
            "distance",
            "start",
            "inner_product",
            "mean",
            "closed_form",
            "largest_deviation"
        ]
    );
    let (distance, product) = (table.numbers("distance")?, table.numbers("inner_product")?);
    let closed = table.numbers("closed_form")?;
    for at in 0..distance.len() {
        let sum: f64 = (0..64)
            .map(|m| (distance[at] * 10_000_f64.powf(-f64::from(m) / 64.0)).cos())
            .sum();
        near("closed form", closed[at], sum, 1e-9)?;
        near("inner product", product[at], sum, 1e-5)?;
    }
    assert!(distance.contains(&1.0) && distance.contains(&64.0));
    for (name, value) in [("d model", "32"), ("base of the frequencies", "500")] {
        let (before, was) = (
            page.painted_at("flat-lines")?,
            text(page, "flat-lines", ".summary")?,
        );
        page.fill(&field(name), value)?;
        page.painted_since("flat-lines", before)?;
        page.wait_until(&format!(
            "document.querySelector(\"figure[data-figure='flat-lines'] .summary\").textContent !== {}",
            json!(was)
        ))?;
    }
    let table = page.csv("flat-lines")?;
    let first = table.numbers("closed_form")?[0];
    let sum: f64 = (0..16)
        .map(|m| 500_f64.powf(-f64::from(m) / 16.0).cos())
        .sum();
    near("closed form of the other table", first, sum, 1e-9)?;
    // Distances as numbers, also in the link.
    let before = page.painted_at("flat-lines")?;
    page.fill("input[aria-label='Distances d']", "3 1")?;
    page.painted_since("flat-lines", before)?;
    page.wait_until("decodeURIComponent(location.search).includes('distances:1,3')")?;
    let distances: BTreeSet<u64> = (page.csv("flat-lines")?.numbers("distance")?.iter())
        .map(|distance| *distance as u64)
        .collect();
    assert_eq!(distances, BTreeSet::from([1, 3]));
    Ok(())
}

fn a_learned_tables_lines_bend(page: &Page) -> Result {
    page.open("?view=encodings&model=minilm-l6")?;
    page.model("minilm-l6")?;
    page.figure("flat-lines")?;
    page.click("[aria-label='Table'] button:last-child")?;
    page.wait_until(
        "document.querySelector(\"figure[data-figure='flat-lines'] .caption\").textContent.includes('minilm-l6')",
    )?;
    let table = page.csv("flat-lines")?;
    assert_eq!(
        table.columns[..4],
        ["distance", "start", "inner_product", "mean"]
    );
    let (distance, product) = (table.numbers("distance")?, table.numbers("inner_product")?);
    let mean = table.numbers("mean")?;
    let near_by = distance.iter().filter(|d| **d == 1.0).count();
    assert_eq!(near_by, 511);
    let sum: f64 = product[..511].iter().sum();
    near("the mean", mean[0], sum / 511.0, 1e-9)?;
    let off = product.iter().zip(&mean).map(|(p, m)| (p - m).abs());
    assert!(off.fold(0.0, f64::max) > 0.01, "a learned table bends");
    Ok(())
}

fn hands_turn_and_angles_stay(page: &Page) -> Result {
    page.open("?view=encodings&model=sinusoidal&encodings=phasors:3:5")?;
    page.figure("phasors")?;
    let before = page.csv("phasors")?;
    assert_eq!(before.rows.len(), 64);
    let painted = page.painted_at("phasors")?;
    page.fill(&field("position i of the phasors"), "90")?;
    page.painted_since("phasors", painted)?;
    let after = page.csv("phasors")?;
    assert_eq!(before.numbers("cosine")?, after.numbers("cosine")?);
    assert_ne!(
        before.numbers("angle_first")?,
        after.numbers("angle_first")?
    );
    // Animated until paused.
    page.click(".play")?;
    page.wait_until("+document.querySelector(\"input[aria-label='position i of the phasors, exact']\").value > 91")?;
    page.click(".play")?;
    page.wait_until("document.querySelector('.play').textContent !== 'Rest'")?;
    Ok(())
}

fn a_link_restores_the_encodings(page: &Page) -> Result {
    page.open("?view=encodings&model=sinusoidal&encodings=n:128;show:alibi,rotary;rotary:32:500000;ntk:4;alibi:2:12;lines:64")?;
    page.figure("encoding-profile")?;
    let table = page.csv("encoding-profile")?;
    let expected = [
        "offset",
        "alibi",
        "alibi_scaled",
        "rotary",
        "rotary_scaled",
        "rotary_envelope",
    ];
    assert_eq!(table.columns, expected);
    assert_eq!(table.rows.len(), 255);
    let base = 500_000.0 * 4_f64.powf(32.0 / 30.0);
    let mean: f64 = (0..16)
        .map(|m| (9.0 * f64::powf(base, -f64::from(m) / 16.0)).cos())
        .sum::<f64>()
        / 16.0;
    near("rotary at 9", table.numbers("rotary")?[127 + 9], mean, 1e-9)?;
    near("ALiBi at 8", table.numbers("alibi")?[127 + 8], -2.0, 1e-12)?;
    let link = page.link("encoding-profile")?;
    assert!(
        link.contains("encodings=n:128;show:alibi,rotary;"),
        "{link}"
    );

    // An invalid part of a link is reported; the rest is applied.
    page.open("?view=encodings&model=sinusoidal&encodings=n:100000;shaw:3")?;
    page.message_with("n:100000")?;
    let shaw = page.csv("encoding-profile")?.numbers("shaw")?;
    assert_eq!((shaw.len(), shaw[0]), (1023, -3.0));
    Ok(())
}
