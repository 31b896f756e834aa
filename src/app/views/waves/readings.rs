//! Cursor readout of the frequency and its period.

use crate::{
    analysis::TableWaves,
    app::{figure::readout::Readout, query_client::Query},
    figure::Cursor,
    math::period,
};
use leptos::prelude::*;

/// Readout: frequency, its period in tokens, and its mean amplitude.
#[component]
pub(super) fn FrequencyReadout(table: Query<TableWaves>) -> impl IntoView {
    let read = move |cursor: Option<Cursor>| {
        let frequency = match cursor {
            Some(Cursor::Frequency(f)) => Some(f),
            _ => None,
        };
        table.with(|waves| {
            let spectrum = waves.and_then(|waves| waves.spectrum.as_ref().ok());
            let at = frequency.zip(spectrum);
            let mean = at.and_then(|(f, spectrum)| spectrum.mean.get(f).copied());
            let period = at.and_then(|(f, spectrum)| period(spectrum.n, f));
            vec![
                ("frequency", frequency.map(|f| f as f64)),
                ("period in tokens", period),
                ("mean amplitude", mean),
            ]
        })
    };
    view! { <Readout read/> }
}
