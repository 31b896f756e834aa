//! Scores of schemes over one offset axis: one strip per scheme in its own units, or all in one plot, scaled for
//! comparison.

use super::{
    Anchor, Axis, AxisScale, Cursor, Figure, Ink, Mark, Plot, PlotAxis, Rect, Scene, Series, Table,
    format_signed,
    heatmap::RIGHT,
    number,
    plot::{
        PlotArea, Scale,
        frame::{BELOW, left_margin, value_label},
        scale::extent,
    },
    scene::TEXT,
    shown_offsets,
    text::{fit_name, width as text_width},
};
use crate::{
    analysis::{EncodingProfile, ProfileSource, SCHEMES, SchemeId},
    math::{AttentionMask, offsets},
};
use std::ops::RangeInclusive;

/// From this width on, names are beside the strips instead of above.
const WIDE: f64 = 520.0;
/// Width of the names beside them.
const NAMES: f64 = 144.0;
/// Least width of the range labels.
const VALUES: f64 = 46.0;
/// Height of a strip, the gap to the next, and the height of a name above it.
const STRIP: f64 = 46.0;
const GAP: f64 = 12.0;
const NAME: f64 = 19.0;
const TOP: f64 = 4.0;
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

/// In one plot, the second half of the colours is dashed, so that similar colours differ for colour-blind viewers.
fn is_dashed(ink: Ink) -> bool {
    matches!(ink, Ink::Muted | Ink::Category(4..))
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

    /// Short text on the source of a profile's numbers.
    fn source(&self, profile: &EncodingProfile) -> String {
        match profile.source {
            ProfileSource::Formula => String::new(),
            ProfileSource::Untrained => "example, untrained".to_owned(),
            ProfileSource::Open => match self.head {
                Some((layer, head)) if profile.scheme.which == SchemeId::Head => {
                    format!("layer {layer}, head {head} of {}", self.open)
                }
                _ => format!("of {}", self.open),
            },
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
        let ends = [Some(&profile.f), profile.envelope.as_ref()];
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

    /// Width of the labels of all ranges.
    fn values_width(&self, width: f64) -> f64 {
        let ends: Vec<String> = self.profiles.iter().flat_map(|p| self.ends(p)).collect();
        left_margin(ends.iter().map(String::as_str), VALUES, width)
    }

    fn is_wide(width: f64) -> bool {
        width >= WIDE
    }

    /// Returns the frames of the strips at a width.
    fn strips(&self, width: f64) -> Vec<Rect> {
        let (left, above) = if Self::is_wide(width) {
            (NAMES + self.values_width(width), 0.0)
        } else {
            (self.values_width(width), NAME)
        };
        (0..self.profiles.len())
            .map(|at| Rect {
                x: left,
                y: TOP + above + at as f64 * (STRIP + GAP + above),
                width: (width - left - RIGHT).max(1.0),
                height: STRIP,
            })
            .collect()
    }

    fn x(&self, frame: &Rect) -> Scale {
        Scale::new(self.offsets, (frame.x, frame.right()))
    }

    fn area(&self, profile: &EncodingProfile, frame: &Rect) -> PlotArea {
        PlotArea {
            frame: *frame,
            x: self.x(frame),
            y: Scale::new(self.range(profile), (frame.bottom(), frame.y)),
            offsets: self.offset_range(),
            dense: (self.offsets.1 - self.offsets.0) > 2.0 * frame.width,
        }
    }

    fn draw_strip(&self, scene: &mut Scene, frame: &Rect, profile: &EncodingProfile) {
        let ink = scheme_ink(profile.scheme.which);
        let area = self.area(profile, frame);
        for at in [frame.y, frame.bottom()] {
            scene.line(area.horizontal(at), Ink::Hairline, 1.0);
        }
        scene.line(area.vertical(area.x.pixel(0.0)), Ink::Hairline, 1.0);
        let heights = [frame.y + 5.0, frame.bottom() - 5.0];
        for (value, at) in self.ends(profile).into_iter().zip(heights) {
            value_label(scene, frame, at, value);
        }
        let first = profile.f.first();
        if let Some(envelope) = &profile.envelope {
            scene.marks.push(Mark::Line {
                points: area.line(first, envelope),
                stroke: ink,
                width: 1.0,
                dash: Some(3.0),
            });
        }
        // Untrained examples are dashed, to distinguish them from results.
        let dash = (profile.source == ProfileSource::Untrained).then_some(4.0);
        area.draw(scene, (first, &profile.f), ink, 1.6, dash);
        self.name_strip(scene, frame, profile);
    }

    fn name_strip(&self, scene: &mut Scene, frame: &Rect, profile: &EncodingProfile) {
        let (title, source) = (profile.scheme.title, self.source(profile));
        let wide = Self::is_wide(scene.width);
        let y = if wide {
            frame.y + frame.height / 2.0
        } else {
            frame.y - 10.0
        };
        let name = if wide && !source.is_empty() {
            y - 8.0
        } else {
            y
        };
        let mark = vec![(0.0, name), (10.0, name)];
        scene.line(mark, scheme_ink(profile.scheme.which), 2.5);
        let (left, right) = (15.0, if wide { NAMES } else { frame.right() });
        let title = fit_name(title, right - left - 5.0);
        let after = left + text_width(&title, TEXT) + GAP;
        scene.text(title, (left, name), Anchor::Start, Ink::Ink);
        let (at, anchor, room) = if wide {
            ((left, y + 8.0), Anchor::Start, right - left - 5.0)
        } else {
            ((right, y), Anchor::End, right - after)
        };
        if !source.is_empty() {
            scene.text(fit_name(&source, room), at, anchor, Ink::Muted);
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
                .with_dashes(is_dashed(ink))
        };
        let profiles = self
            .profiles
            .iter()
            .map(|profile| line(profile, &profile.f).in_legend());
        let envelopes = self.profiles.iter().filter_map(|profile| {
            let envelope = line(profile, profile.envelope.as_ref()?);
            Some(envelope.width(0.8).with_dashes(true))
        });
        Plot::over(Axis::Offset)
            .vertical("score, scaled")
            .series(profiles.chain(envelopes))
            .horizontal_range(self.offsets)
            .aspect(0.5)
    }
}

impl Figure for EncodingProfiles {
    fn height(&self, width: f64) -> f64 {
        if self.together {
            return self.over_one_another().height(width);
        }
        let bottom = self.strips(width).last().map_or(TOP, Rect::bottom);
        bottom + BELOW
    }

    fn scene(&self, width: f64) -> Scene {
        if self.together {
            return self.over_one_another().scene(width);
        }
        let mut scene = Scene::new(width, self.height(width));
        let strips = self.strips(width);
        for (frame, profile) in strips.iter().zip(&self.profiles) {
            self.draw_strip(&mut scene, frame, profile);
        }
        if let Some(last) = strips.last() {
            let axis = PlotAxis::new(Axis::Offset, AxisScale::Whole);
            axis.draw_below(&mut scene, last, &self.x(last));
        }
        scene
    }

    fn overlay(&self, width: f64, cursor: Option<Cursor>) -> Scene {
        let mut scene = Scene::new(width, self.height(width));
        let strips = self.strips(width);
        let (Some(k), Some(first), Some(last)) = (
            cursor.and_then(Cursor::offset),
            strips.first(),
            strips.last(),
        ) else {
            return scene;
        };
        if self.together {
            return self.over_one_another().overlay(width, cursor);
        }
        let at = self.x(first).pixel(k as f64);
        if !(first.x..=first.right()).contains(&at) {
            return scene;
        }
        scene.line(vec![(at, first.y), (at, last.bottom())], Ink::Accent, 1.0);
        for (frame, profile) in strips.iter().zip(&self.profiles) {
            if let Some(value) = profile.at(k) {
                scene.marks.push(Mark::Dot {
                    at: (at, self.area(profile, frame).y.pixel(value)),
                    radius: 4.0,
                    fill: Ink::Accent,
                    stroke: Ink::Paper,
                });
            }
        }
        scene
    }

    fn cursor_at(&self, width: f64, px: f64, py: f64) -> Option<Cursor> {
        if self.together {
            return self.over_one_another().cursor_at(width, px, py);
        }
        let strips = self.strips(width);
        let (first, last) = (strips.first()?, strips.last()?);
        let over = (first.x..first.right()).contains(&px) && (first.y..last.bottom()).contains(&py);
        let reach = self.profiles.iter().map(|profile| profile.f.n()).max()? as i64 - 1;
        let k = self.x(first).value(px).round() as i64;
        over.then(|| Cursor::Offset(k.clamp(-reach, reach)))
    }

    fn plot_frame(&self, width: f64) -> Option<Rect> {
        if self.together {
            return self.over_one_another().plot_frame(width);
        }
        // The strips share one name for their vertical axes, so the frame covers all of them.
        let strips = self.strips(width);
        let (first, last) = (strips.first()?, strips.last()?);
        Some(Rect {
            height: last.bottom() - first.y,
            ..*first
        })
    }

    fn vertical_name(&self) -> &'static str {
        if self.together {
            return self.over_one_another().vertical_name();
        }
        ""
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
            if let Some(envelope) = &profile.envelope {
                table = table.with(format!("{id}_envelope"), envelope.iter().copied().collect());
            }
        }
        table
    }
}
