//! Scores of schemes over one offset axis: one strip per scheme in its own units, or all in one plot, scaled for
//! comparison.

use super::{
    Axis, AxisScale, Cursor, Figure, Ink, Plot, PlotAxis, Rect, Scene, Series, StackedPlot, Strip,
    Table, format_signed, number, percent, plot::StatedRanges, scale::extent, shown_offsets,
};
use crate::{
    analysis::{EncodingProfile, ProfileSource, RowDependence, SCHEMES, SchemeId, SecondLine},
    math::{AttentionMask, Profile, offsets},
};
use std::{iter, ops::RangeInclusive, sync::Arc};

/// Values below this share of the range are written as zero.
const NOTHING: f64 = 1e-9;

/// Profiles over one axis.
#[derive(Debug, Clone, PartialEq)]
pub struct EncodingProfiles {
    /// From top to bottom. All have the same n.
    pub profiles: Vec<EncodingProfile>,
    /// Name of the open model, for profiles that come from it.
    pub open: String,
    /// Layer and head of the open head, from 1.
    pub head: Option<(usize, usize)>,
    /// Offsets shown, in cells, as in [`Plot::shown`].
    pub offsets: (f64, f64),
    /// Whether all are drawn in one plot.
    pub together: bool,
    /// Fixed ranges of strips. Others follow their values; see [`Self::ranges`].
    pub fixed_ranges: Vec<(SchemeId, (f64, f64))>,
    /// Height of a strip in pixels.
    pub strip_height: f64,
}

/// Returns a scheme's colour: ink for the open model's table, muted ink for its head, a category for the others.
#[must_use]
pub fn scheme_ink(scheme: SchemeId) -> Ink {
    let is_open = |which| matches!(which, SchemeId::Learned | SchemeId::Head);
    let computed = SCHEMES.iter().filter(|scheme| !is_open(scheme.which));
    match scheme {
        SchemeId::Learned => Ink::Ink,
        SchemeId::Head => Ink::Muted,
        _ => Ink::Category(computed.take_while(|other| other.which != scheme).count()),
    }
}

/// Whether a scheme's line is dashed in one plot. The second half of the eight colours is, so that similar colours differ
/// for colour-blind viewers; schemes beyond eight have the same colours with the dashes exchanged.
#[must_use]
pub fn is_scheme_dashed(scheme: SchemeId) -> bool {
    matches!(scheme_ink(scheme), Ink::Muted | Ink::Category(4..12))
}

fn second_line(profile: &EncodingProfile) -> Option<&Profile> {
    profile.second.as_ref().map(|second| &second.values)
}

impl EncodingProfiles {
    /// Returns the shown offsets of n positions: all or those near zero. A causal mask has none after the query.
    #[must_use]
    pub fn shown_offsets(n: usize, all: bool, cells: AttentionMask) -> (f64, f64) {
        let (back, ahead) = shown_offsets(n, all);
        match cells {
            AttentionMask::Whole => (back, ahead),
            AttentionMask::Causal => (back, 0.5),
        }
    }

    fn offset_range(&self) -> RangeInclusive<i64> {
        self.offsets.0.ceil() as i64..=self.offsets.1.floor() as i64
    }

    /// Short text on the source of a profile's numbers, and on its row where it depends on one.
    fn source(&self, profile: &EncodingProfile) -> String {
        let source = match profile.source {
            ProfileSource::Formula => String::new(),
            ProfileSource::Untrained => "example, untrained".to_owned(),
            ProfileSource::Open => match self.head {
                Some((layer, head)) if profile.scheme.which == SchemeId::Head => {
                    format!("layer {layer}, head {head} of {}", self.open)
                }
                _ => format!("of {}", self.open),
            },
        };
        match profile.by_row {
            Some(RowDependence { row, r2 }) => {
                format!("{source}; query {row}; R² {}", number(r2))
            }
            None => source,
        }
    }

    /// Title of the scheme, with the source of its numbers. Untrained examples are marked as such.
    fn title(&self, profile: &EncodingProfile) -> String {
        let (title, source) = (profile.scheme.title, self.source(profile));
        match source.as_str() {
            "" => title.to_owned(),
            source => format!("{title} ({source})"),
        }
    }

    /// Sentences for the caption on dashed lines, and on scores that depend on the query as well; empty without any. In
    /// one plot the line of the open head is dashed, too.
    #[must_use]
    pub fn line_words(&self) -> String {
        let mut words = String::new();
        let is_there = |schemes: &[SchemeId]| {
            let mut profiles = self.profiles.iter();
            profiles.any(|profile| schemes.contains(&profile.scheme.which))
        };
        if is_there(&[SchemeId::Rotary, SchemeId::PartialRotary]) {
            words += " The thin dashed line of rotary scores is their envelope.";
        }
        let by_row = self.profiles.iter().find_map(|profile| profile.by_row);
        if let Some(RowDependence { row, r2 }) = by_row {
            words += &format!(
                " FIRE’s score depends on the query, too: its line is that of query {row}, and the thin dashed line is the mean over all queries, which explains {} of the variance of its scores.",
                percent(r2)
            );
        }
        words
    }

    /// Returns the shown part of a profile's values.
    fn values<'a>(&self, profile: &EncodingProfile, values: &'a [f64]) -> &'a [f64] {
        let (first, offsets) = (profile.f.first(), self.offset_range());
        let at = |k: i64| (k - first).clamp(0, values.len() as i64) as usize;
        let (from, to) = (at(*offsets.start()), at(offsets.end() + 1));
        &values[from..to.max(from)]
    }

    /// Returns the range that each strip spans.
    #[must_use]
    pub fn ranges(&self) -> Vec<(SchemeId, (f64, f64))> {
        let profiles = self.profiles.iter();
        profiles
            .map(|profile| (profile.scheme.which, self.range(profile)))
            .collect()
    }

    /// Returns the fixed range, or the least and greatest shown value.
    fn range(&self, profile: &EncodingProfile) -> (f64, f64) {
        let mut range = self.fixed_ranges.iter();
        if let Some((_, range)) = range.find(|(which, _)| *which == profile.scheme.which) {
            return *range;
        }
        let of = |values: &[f64]| extent(self.values(profile, values).iter().copied(), 0.0);
        let ends = [Some(&profile.f), second_line(profile)];
        let ends = ends.into_iter().flatten().filter_map(|values| of(values));
        let both = extent(ends.flat_map(|ends| [*ends.start(), *ends.end()]), 0.0);
        both.map_or((-1.0, 1.0), |range| (*range.start(), *range.end()))
    }

    /// Formats the ends of a profile's range, the greater first.
    fn ends(&self, profile: &EncodingProfile) -> [String; 2] {
        let (low, high) = self.range(profile);
        [high, low].map(|value| {
            // The tail of a kernel is zero on this scale.
            let is_nothing = value.abs() < NOTHING * (high - low);
            number(if is_nothing { 0.0 } else { value })
        })
    }

    /// One strip per profile. Untrained examples are dashed, to distinguish them from results.
    fn strips(&self) -> StackedPlot {
        let strip = |profile: &EncodingProfile| {
            let line = |values: &[f64]| {
                let first = profile.f.first().max(*self.offset_range().start());
                Series::new("", first, self.values(profile, values).to_vec())
                    .ink(scheme_ink(profile.scheme.which))
            };
            let is_example = profile.source == ProfileSource::Untrained;
            let second = second_line(profile);
            let second = second.map(|values| line(values).width(1.0).with_dashes(true));
            let (low, high) = self.range(profile);
            Strip {
                name: profile.scheme.title.to_owned(),
                note: self.source(profile),
                lines: iter::once(line(&profile.f).width(1.6).with_dashes(is_example))
                    .chain(second)
                    .collect(),
                range: (low, high),
                ticks: iter::zip([high, low], self.ends(profile)).collect(),
            }
        };
        StackedPlot {
            x: PlotAxis::new(Axis::Offset, AxisScale::Whole)
                .between(self.offsets.0, self.offsets.1),
            strips: self.profiles.iter().map(strip).collect(),
            strip_height: self.strip_height,
            table: Table::new(),
            summary: String::new(),
        }
    }

    /// Returns the picture without its numbers, which are computed only for a download.
    fn plot(&self) -> Box<dyn Figure> {
        match self.together {
            true => Box::new(self.over_one_another()),
            false => Box::new(self.strips()),
        }
    }

    /// All profiles in one plot.
    fn over_one_another(&self) -> Plot {
        let line = |profile: &EncodingProfile, values: &[f64]| {
            let (ink, scaled) = (
                scheme_ink(profile.scheme.which),
                profile.scaling(self.offset_range()),
            );
            let values = values.iter().map(|value| scaled.apply(*value)).collect();
            let name = self.title(profile);
            Series::new(name, profile.f.first(), values)
                .ink(ink)
                .width(1.6)
                .with_dashes(is_scheme_dashed(profile.scheme.which))
        };
        let profiles = self
            .profiles
            .iter()
            .map(|profile| line(profile, &profile.f).in_legend());
        let second_lines = self.profiles.iter().filter_map(|profile| {
            let second = line(profile, second_line(profile)?);
            Some(second.width(0.8).with_dashes(true))
        });
        Plot::over(Axis::Offset)
            .vertical("score, scaled")
            .series(profiles.chain(second_lines))
            .horizontal_range(self.offsets)
            .aspect(0.5)
    }
}

impl Figure for EncodingProfiles {
    fn height(&self, width: f64) -> f64 {
        self.plot().height(width)
    }

    fn with_height(&self, width: f64, height: f64) -> Option<Arc<dyn Figure + Send + Sync>> {
        if self.together {
            let mut plot = self.over_one_another();
            // The summary of all schemes has their ranges.
            plot.ranges = StatedRanges::None;
            let plot = plot.with_summary(self.summary()).with_table(self.table());
            return plot.with_height(width, height);
        }
        Some(Arc::new(Self {
            strip_height: self.strips().strip_height_at(width, height),
            ..self.clone()
        }))
    }

    fn scene(&self, width: f64) -> Scene {
        self.plot().scene(width)
    }

    fn overlay(&self, width: f64, cursor: Option<Cursor>) -> Scene {
        self.plot().overlay(width, cursor)
    }

    fn cursor_at(&self, width: f64, px: f64, py: f64) -> Option<Cursor> {
        self.plot().cursor_at(width, px, py)
    }

    fn plot_frame(&self, width: f64) -> Option<Rect> {
        self.plot().plot_frame(width)
    }

    fn vertical_name(&self) -> &'static str {
        self.plot().vertical_name()
    }

    fn summary(&self) -> String {
        let offsets = self.offset_range();
        let one = |profile: &EncodingProfile| {
            let (low, high) = self.range(profile);
            let title = self.title(profile);
            format!("{title} from {} to {}", number(low), number(high))
        };
        let all: Vec<String> = self.profiles.iter().map(one).collect();
        format!(
            "Scores by offset from {} to {}: {}.",
            format_signed(*offsets.start()),
            format_signed(*offsets.end()),
            all.join("; ")
        )
    }

    /// Every offset, not only those shown: each profile as computed, and as scaled for the common plot.
    fn table(&self) -> Table {
        let n = self.profiles.iter().map(|p| p.f.n()).max();
        let mut table = Table::new().with("offset", offsets(n.unwrap_or(0)).collect());
        for profile in &self.profiles {
            let id = profile.scheme.id;
            let scaled = profile.scaling(self.offset_range());
            let comparable = profile.f.iter().map(|value| scaled.apply(*value));
            table = table
                .with(id, profile.f.iter().copied().collect())
                .with(format!("{id}_scaled"), comparable.collect());
            if let Some(SecondLine { name, values }) = &profile.second {
                table = table.with(format!("{id}_{name}"), values.iter().copied().collect());
            }
            if let Some(RowDependence { r2, .. }) = profile.by_row {
                table = table.with(format!("{id}_r2"), profile.f.iter().map(|_| r2).collect());
            }
        }
        table
    }
}
