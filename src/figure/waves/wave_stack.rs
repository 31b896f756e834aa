//! Queries and keys of a head as waves along position, one pair of columns per row (Yamamoto & Matsuzaki 2023, Fig. 5).

use crate::{
    analysis::{HeadWaveDetail, WavePair},
    figure::{
        Axis, AxisScale, Ink, PlotAxis, Series, StackedPlot, Strip, Table, number, scale::extent,
    },
    math::period,
};

/// Plots the leading columns of the redefined queries and keys, each pair on a scale of its own that is symmetric around
/// zero. `None` if the head has no waves.
#[must_use]
pub fn wave_stack(detail: &HeadWaveDetail) -> Option<StackedPlot> {
    let positions = detail.waves.first()?.query.len();
    let strip = |(at, wave): (usize, &WavePair)| {
        let line = |name: &str, ink, values: &[f32]| {
            let values = values.iter().map(|&value| f64::from(value)).collect();
            let line = Series::new(name, 0, values).ink(Ink::Category(ink));
            line.width(1.2).in_legend()
        };
        let lines = vec![line("query", 0, &wave.query), line("key", 1, &wave.key)];
        let values = lines.iter().flat_map(|line| &line.values).copied();
        let most = extent(values, 0.0).map_or(1.0, |r| r.start().abs().max(r.end().abs()));
        let period = wave.frequency.and_then(|f| period(positions, f));
        Strip {
            name: format!("{}: s = {}", at + 1, number(detail.singular_values[at])),
            note: match (period, wave.partner) {
                (Some(period), Some(partner)) => {
                    format!("period {}, ↔ {}", number(period), partner + 1)
                }
                (Some(period), None) => format!("period {}", number(period)),
                (None, _) => "does not vary".to_owned(),
            },
            lines,
            range: (-most, most),
            ticks: vec![(0.0, String::new())],
        }
    };
    let last = positions.saturating_sub(1) as f64;
    Some(StackedPlot {
        x: PlotAxis::with_name(Axis::Position.title(), AxisScale::Whole).between(0.0, last),
        strips: detail.waves.iter().enumerate().map(strip).collect(),
        strip_height: StackedPlot::STRIP_HEIGHT,
        table: table(detail, positions),
        summary: in_words(detail, positions),
    })
}

fn in_words(detail: &HeadWaveDetail, positions: usize) -> String {
    let waves = &detail.waves;
    let pairs = waves.iter().filter(|wave| wave.partner.is_some()).count() / 2;
    let periods: Vec<String> = waves
        .iter()
        .filter_map(|wave| period(positions, wave.frequency?))
        .map(number)
        .collect();
    format!(
        "The {} leading columns of queries and keys; {pairs} pairs of sine and cosine. Periods in tokens: {}.",
        waves.len(),
        periods.join(", ")
    )
}

/// `component,singular_value,position,query,key,period,partner`. The period of a component that does not vary is
/// NaN. A component without a partner has the partner 0.
fn table(detail: &HeadWaveDetail, n: usize) -> Table {
    let waves = &detail.waves;
    let rows: Vec<(usize, usize)> = (waves.iter().enumerate())
        .flat_map(|(at, wave)| (0..wave.query.len()).map(move |i| (at, i)))
        .collect();
    let number = |of: &dyn Fn(usize, usize) -> f64| rows.iter().map(|&(at, i)| of(at, i)).collect();
    let period_of = |frequency| period(n, frequency);
    let periods = waves.iter().map(|wave| wave.frequency.and_then(period_of));
    let periods: Vec<f64> = periods.map(|period| period.unwrap_or(f64::NAN)).collect();
    let partner = |at: usize| waves[at].partner.map_or(0, |partner| partner as i64 + 1);
    Table::new()
        .with("component", rows.iter().map(|(at, _)| *at + 1).collect())
        .with(
            "singular_value",
            number(&|at, _| detail.singular_values[at]),
        )
        .with("position", rows.iter().map(|(_, i)| *i).collect())
        .with("query", number(&|at, i| f64::from(waves[at].query[i])))
        .with("key", number(&|at, i| f64::from(waves[at].key[i])))
        .with("period", number(&|at, _| periods[at]))
        .with("partner", rows.iter().map(|(at, _)| partner(*at)).collect())
}
