//! Queries and keys of a head as waves along position, one pair of columns per row (Yamamoto & Matsuzaki 2023, Fig. 5).

use crate::{
    analysis::HeadWaveDetail,
    figure::{
        Anchor, AxisScale, Figure, Ink, PlotAxis, Rect, Scene, Table,
        heatmap::RIGHT,
        number,
        plot::{Scale, frame::BELOW, scale::extent},
        text::fit_name,
    },
    math::period,
};

const HEAD: f64 = 20.0;
const ROW: f64 = 52.0;
/// Width of the row labels; at most half of the figure.
const LABELS: f64 = 118.0;

/// The leading columns of the redefined queries and keys.
#[derive(Debug, Clone, PartialEq)]
pub struct WaveStack {
    detail: HeadWaveDetail,
}

impl WaveStack {
    /// Creates the figure of a head. `None` if it has no waves.
    #[must_use]
    pub fn new(detail: &HeadWaveDetail) -> Option<Self> {
        (!detail.waves.is_empty()).then(|| Self {
            detail: detail.clone(),
        })
    }

    fn positions(&self) -> usize {
        self.detail.waves.first().map_or(0, |wave| wave.query.len())
    }

    fn row(&self, width: f64, at: usize) -> Rect {
        let labels = LABELS.min(width / 2.0);
        Rect {
            x: labels,
            y: HEAD + ROW * at as f64 + 3.0,
            width: (width - labels - RIGHT).max(1.0),
            height: ROW - 6.0,
        }
    }

    /// Returns the label of a row: its singular value, its period, its partner.
    fn words(&self, at: usize) -> [String; 2] {
        let wave = &self.detail.waves[at];
        let first = format!(
            "{}: s = {}",
            at + 1,
            number(self.detail.singular_values[at])
        );
        let period = wave.frequency.and_then(|f| period(self.positions(), f));
        let second = match (period, wave.partner) {
            (Some(period), Some(partner)) => {
                format!("period {}, ↔ {}", number(period), partner + 1)
            }
            (Some(period), None) => format!("period {}", number(period)),
            (None, _) => "does not vary".to_owned(),
        };
        [first, second]
    }
}

impl Figure for WaveStack {
    fn height(&self, _: f64) -> f64 {
        HEAD + ROW * self.detail.waves.len() as f64 + BELOW
    }

    fn scene(&self, width: f64) -> Scene {
        let mut scene = Scene::new(width, self.height(width));
        for (at, (name, ink)) in [("query", Ink::Category(0)), ("key", Ink::Category(1))]
            .into_iter()
            .enumerate()
        {
            let x = LABELS.min(width / 2.0) + 70.0 * at as f64;
            scene.line(vec![(x, HEAD / 2.0), (x + 16.0, HEAD / 2.0)], ink, 1.6);
            scene.text(name, (x + 21.0, HEAD / 2.0), Anchor::Start, Ink::Muted);
        }
        let last = self.positions().saturating_sub(1) as f64;
        for (at, wave) in self.detail.waves.iter().enumerate() {
            let frame = self.row(width, at);
            let x = Scale::new((0.0, last), (frame.x, frame.right()));
            // Each row has its own scale, common to both lines and symmetric around zero.
            let both = wave.query.iter().chain(&wave.key).map(|&v| f64::from(v));
            let most = extent(both, 0.0).map_or(1.0, |r| r.start().abs().max(r.end().abs()));
            let y = Scale::new((-most, most), (frame.bottom(), frame.y));
            let middle = y.pixel(0.0);
            scene.line(
                vec![(frame.x, middle), (frame.right(), middle)],
                Ink::Hairline,
                1.0,
            );
            for (values, ink) in [
                (&wave.key, Ink::Category(1)),
                (&wave.query, Ink::Category(0)),
            ] {
                let point = |(i, &v): (usize, &f32)| (x.pixel(i as f64), y.pixel(f64::from(v)));
                scene.line(values.iter().enumerate().map(point).collect(), ink, 1.2);
            }
            for (line, words) in self.words(at).into_iter().enumerate() {
                let place = (0.0, middle - 8.0 + 16.0 * line as f64);
                let ink = if line == 0 { Ink::Ink } else { Ink::Muted };
                scene.text(fit_name(&words, frame.x - 6.0), place, Anchor::Start, ink);
            }
        }
        let frame = self.row(width, self.detail.waves.len().saturating_sub(1));
        let x = Scale::new((0.0, last), (frame.x, frame.right()));
        PlotAxis::with_name("position", AxisScale::Whole).draw_below(&mut scene, &frame, &x);
        scene
    }

    fn summary(&self) -> String {
        let waves = &self.detail.waves;
        let pairs = waves.iter().filter(|wave| wave.partner.is_some()).count() / 2;
        let periods: Vec<String> = waves
            .iter()
            .filter_map(|wave| period(self.positions(), wave.frequency?))
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
    fn table(&self) -> Table {
        let waves = self.detail.waves.iter().enumerate();
        let rows: Vec<(usize, usize)> = waves
            .flat_map(|(at, wave)| (0..wave.query.len()).map(move |i| (at, i)))
            .collect();
        let number =
            |of: &dyn Fn(usize, usize) -> f64| rows.iter().map(|&(at, i)| of(at, i)).collect();
        let waves = &self.detail.waves;
        let n = self.positions();
        let periods = waves.iter().map(|wave| {
            wave.frequency
                .and_then(|f| period(n, f))
                .unwrap_or(f64::NAN)
        });
        let periods: Vec<f64> = periods.collect();
        let partner = |at: usize| waves[at].partner.map_or(0, |partner| partner as i64 + 1);
        Table::new()
            .with("component", rows.iter().map(|(at, _)| *at + 1).collect())
            .with(
                "singular_value",
                number(&|at, _| self.detail.singular_values[at]),
            )
            .with("position", rows.iter().map(|(_, i)| *i).collect())
            .with("query", number(&|at, i| f64::from(waves[at].query[i])))
            .with("key", number(&|at, i| f64::from(waves[at].key[i])))
            .with("period", number(&|at, _| periods[at]))
            .with("partner", rows.iter().map(|(at, _)| partner(*at)).collect())
    }
}
