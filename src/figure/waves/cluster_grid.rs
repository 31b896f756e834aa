//! Heads as a coloured grid: one colour and number per group, with a legend of the groups.

use crate::{
    analysis::{GroupChance, HeadGroups},
    figure::{
        Anchor, Figure, Ink, Mark, Rect, Scene, Table, number, percent,
        plot::legend_rows,
        text::TEXT,
        text::{fit_name, width as text_width},
        words::format_count,
    },
    math::{AttentionSpan, ChanceRange, Trace},
};

const LEFT: f64 = 44.0;
const TOP: f64 = 18.0;
const LEGEND: f64 = 20.0;
/// Space for a group's colour in the legend, and between two entries.
const SAMPLE: f64 = 18.0;
const ENTRIES_APART: f64 = 16.0;
/// Greatest width and height of a cell.
const MOST: (f64, f64) = (54.0, 30.0);

/// The heads of a model in groups.
#[derive(Debug, Clone, PartialEq)]
pub struct ClusterGrid {
    groups: HeadGroups,
    chance: Option<GroupChance>,
}

impl ClusterGrid {
    /// Creates the grid of a model's groups, with the groups that heads with randomly turned keys would be in once they
    /// are known.
    #[must_use]
    pub fn new(groups: &HeadGroups, chance: Option<&GroupChance>) -> Self {
        Self {
            groups: groups.clone(),
            chance: chance.cloned(),
        }
    }

    /// Number of heads of a group if all keys are turned at random.
    fn chance_size(&self, group: usize) -> Option<ChanceRange> {
        self.chance.as_ref()?.sizes.get(group).copied()
    }

    /// States the attention that heads with randomly turned keys give to offsets near the query; the legend has the sizes
    /// of their groups. Empty while that is not known.
    #[must_use]
    pub fn chance_words(&self) -> String {
        let Some(chance) = &self.chance else {
            return String::new();
        };
        format!(
            "Heads with randomly turned keys give these offsets {} of their attention ({} to {}); the legend has the sizes of their groups.",
            percent(chance.near.median),
            percent(chance.near.low),
            percent(chance.near.high)
        )
    }

    fn size(&self) -> (usize, usize) {
        let heads = self.groups.traces.iter().map(Vec::len).max();
        (self.groups.traces.len(), heads.unwrap_or(0))
    }

    /// Layer, head and group of every head.
    fn heads(&self) -> impl Iterator<Item = (usize, usize, usize)> + '_ {
        let places = self.groups.traces.iter().enumerate();
        let places = places.flat_map(|(layer, row)| (0..row.len()).map(move |head| (layer, head)));
        places
            .zip(&self.groups.clusters.of)
            .map(|((layer, head), &group)| (layer, head, group))
    }

    fn cell(&self, width: f64) -> (f64, f64) {
        let (_, heads) = self.size();
        let across = ((width - LEFT) / heads.max(1) as f64).min(MOST.0);
        (across, across.min(MOST.1))
    }

    fn count(&self, group: usize) -> usize {
        self.groups
            .clusters
            .of
            .iter()
            .filter(|&&of| of == group)
            .count()
    }

    /// The share of attention that a group gives to the offsets −10 … 10.
    fn near(&self, group: usize) -> f64 {
        let traces = &self.groups.clusters.traces;
        traces.get(group).map_or(f64::NAN, Trace::near)
    }

    /// Returns the legend: the number of each group, the name of its attention span, and its number of heads, here
    /// and by chance.
    #[must_use]
    pub fn legend(&self) -> Vec<(Ink, String)> {
        let names = self.groups.clusters.names.iter().enumerate();
        names
            .map(|(group, name)| {
                let heads = format_count(self.count(group), "head", "heads");
                let chance = self.chance_size(group).map_or(String::new(), |size| {
                    format!(", by chance {:.0} to {:.0}", size.low, size.high)
                });
                let text = format!("{} {name}: {heads}{chance}", group + 1);
                (Ink::Category(group), text)
            })
            .collect()
    }

    /// Returns the place and row of each legend entry, and the number of rows.
    fn legend_places(&self, width: f64) -> (Vec<(f64, usize)>, usize) {
        let legend = self.legend();
        let entry = |(_, text): &(Ink, String)| SAMPLE + text_width(text, TEXT) + ENTRIES_APART;
        // The space after the last entry of a row may be outside.
        legend_rows(legend.iter().map(entry), 0.0, width + ENTRIES_APART)
    }

    fn grid_top(&self, width: f64) -> f64 {
        LEGEND * self.legend_places(width).1 as f64 + TOP
    }
}

impl Figure for ClusterGrid {
    fn height(&self, width: f64) -> f64 {
        self.grid_top(width) + self.cell(width).1 * self.size().0 as f64 + 2.0
    }

    fn scene(&self, width: f64) -> Scene {
        let mut scene = Scene::new(width, self.height(width));
        let (places, _) = self.legend_places(width);
        for ((ink, text), (x, row)) in self.legend().into_iter().zip(places) {
            let y = LEGEND * (row as f64 + 0.5);
            let rect = Rect {
                x,
                y: y - 6.0,
                width: 12.0,
                height: 12.0,
            };
            scene.marks.push(Mark::Box {
                rect,
                fill: Some(ink),
                stroke: None,
            });
            let text = fit_name(&text, width - x - SAMPLE);
            scene.text(text, (x + SAMPLE, y), Anchor::Start, Ink::Muted);
        }
        let (top, (across, down)) = (self.grid_top(width), self.cell(width));
        let (layers, heads) = self.size();
        let at = |index: usize, size: f64| size * (index as f64 + 0.5);
        for head in (0..heads).filter(|head| across >= 16.0 || head % 4 == 3) {
            let place = (LEFT + at(head, across), top - 9.0);
            scene.text((head + 1).to_string(), place, Anchor::Middle, Ink::Muted);
        }
        scene.text("layer", (0.0, top - 9.0), Anchor::Start, Ink::Muted);
        for layer in 0..layers {
            let place = (LEFT - 8.0, top + at(layer, down));
            let is_labelled = down >= 13.0 || layer % 4 == 3;
            if is_labelled {
                let words = (layer + 1).to_string();
                scene.text(words, place, Anchor::End, Ink::Muted);
            }
        }
        for (layer, head, group) in self.heads() {
            let rect = Rect {
                x: LEFT + across * head as f64 + 1.0,
                y: top + down * layer as f64 + 1.0,
                width: (across - 2.0).max(1.0),
                height: (down - 2.0).max(1.0),
            };
            scene.marks.push(Mark::Box {
                rect,
                fill: Some(Ink::Category(group)),
                stroke: None,
            });
            // The number identifies the group without the colour.
            if across >= 16.0 && down >= 14.0 {
                let place = (rect.x + rect.width / 2.0, rect.y + rect.height / 2.0);
                scene.text((group + 1).to_string(), place, Anchor::Middle, Ink::Paper);
            }
        }
        scene
    }

    fn summary(&self) -> String {
        let legend = self.legend().into_iter().enumerate();
        let legend: Vec<String> = legend
            .map(|(group, (_, text))| {
                let (give, their) = match self.count(group) {
                    1 => ("gives", "its"),
                    _ => ("give", "their"),
                };
                format!(
                    "{text}, which {give} these offsets {} of {their} attention",
                    number(self.near(group))
                )
            })
            .collect();
        let apart = self
            .groups
            .clusters
            .silhouette
            .map_or(String::new(), |silhouette| {
                format!(" Mean silhouette {}.", number(silhouette))
            });
        let chance = match self.chance_words() {
            words if words.is_empty() => words,
            words => format!(" {words}"),
        };
        format!(
            "Groups of heads by their positional attention at the offsets −10 to 10 among {} positions, seed {}: {}.{apart}{chance}",
            self.groups.n,
            self.groups.seed,
            legend.join("; ")
        )
    }

    /// `layer,head,cluster,name,silhouette,group_near,group_heads,chance_heads,chance_heads_low,chance_heads_high,`
    /// `chance_near,chance_near_low,chance_near_high`. The silhouette is that of all heads, equal in every row, and
    /// NaN if there is one group. `group_near` is the share of attention that the head's group gives to the offsets −10
    /// … 10, `group_heads` its number of heads. The others are what heads with randomly turned keys give, as median and
    /// 95 % range: the number of heads of that group, and the share at these offsets. They are NaN while not known.
    fn table(&self) -> Table {
        let whole = |of: &dyn Fn((usize, usize, usize)) -> usize| {
            self.heads().map(|head| of(head) + 1).collect()
        };
        let name = |group: usize| {
            self.groups
                .clusters
                .names
                .get(group)
                .map_or("", |name: &AttentionSpan| name.name())
        };
        let names = self.heads().map(|(_, _, group)| name(group).to_owned());
        let silhouette = self.groups.clusters.silhouette.unwrap_or(f64::NAN);
        let near = self.heads().map(|(_, _, group)| self.near(group));
        let size = |of: &dyn Fn(ChanceRange) -> f64| {
            let sizes = self.heads().map(|(.., group)| self.chance_size(group));
            sizes.map(|size| size.map_or(f64::NAN, of)).collect()
        };
        let chance_near = |of: &dyn Fn(ChanceRange) -> f64| {
            let chance = self.chance.as_ref();
            chance.map_or(f64::NAN, |chance| of(chance.near))
        };
        Table::new()
            .with("layer", whole(&|(layer, ..)| layer))
            .with("head", whole(&|(_, head, _)| head))
            .with("cluster", whole(&|(.., group)| group))
            .with("name", names.collect())
            .with_constant("silhouette", silhouette)
            .with("group_near", near.collect())
            .with(
                "group_heads",
                self.heads().map(|(.., group)| self.count(group)).collect(),
            )
            .with("chance_heads", size(&|size| size.median))
            .with("chance_heads_low", size(&|size| size.low))
            .with("chance_heads_high", size(&|size| size.high))
            .with_constant("chance_near", chance_near(&|near| near.median))
            .with_constant("chance_near_low", chance_near(&|near| near.low))
            .with_constant("chance_near_high", chance_near(&|near| near.high))
    }
}
