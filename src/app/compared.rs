//! What the page knows of every open model, to show them side by side and as a timeline.
//!
//! It lives as long as the page and is made when a view first wants it. While such a view is shown, it asks
//! for what it lacks, once a model; coming back asks for nothing again.

use super::{
    dynamic::effect,
    engine::{Channel, Engine},
    figure_view::AnyFigure,
    held::Held,
    state::State,
};
use crate::{
    analysis::{
        Answer, Brief, HeadSummary, ModelId, ModelSummary, PositionKind, Request, Similarity,
    },
    figure::{ColorBar, ColorMap, Heatmap, ValueRange, compared::ComparedModel},
    link::ModelRef,
    math::Tile,
    model::published_performance,
};
use std::{cell::Cell, sync::Arc};

/// A model among others.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) id: ModelId,
    /// From 1, in the order in which models were opened; it keeps its number, and with it its colour.
    pub(super) number: usize,
    pub(super) name: String,
    pub(super) summary: Arc<ModelSummary>,
    /// Somebody's file, as against a preset or a computed table.
    pub(super) is_file: bool,
    /// By inner products and by cosines.
    briefs: [Option<Arc<Brief>>; 2],
    /// What was asked: hash of the positions it was asked of, and the count of tries.
    asked: [Option<(u64, u32)>; 2],
    pub(super) heads: Arc<Vec<HeadSummary>>,
    /// Its heads are being read, or are read.
    pub(super) reads_heads: bool,
    pub(super) table: Option<Arc<Tile>>,
    asked_table: Option<(u64, u32)>,
    /// What was typed beside it; emptied is not the same as untouched.
    typed: Option<Option<f64>>,
    pub(super) left_out: bool,
}

impl Entry {
    pub(super) fn brief(&self, similarity: Similarity) -> Option<&Arc<Brief>> {
        self.briefs[similarity as usize].as_ref()
    }

    /// As figures take it.
    pub(super) fn compared(&self, similarity: Similarity) -> Option<ComparedModel> {
        Some(ComparedModel {
            number: self.number,
            name: self.name.clone(),
            brief: Arc::clone(self.brief(similarity)?),
        })
    }

    /// How it does elsewhere: as typed, or as published.
    pub(super) fn performance(&self) -> Option<f64> {
        self.typed
            .unwrap_or_else(|| published_performance(&self.name))
    }
}

/// The models and how they are shown.
#[derive(Debug, Clone, Copy)]
pub(super) struct Comparison {
    pub(super) entries: Held<Vec<Entry>>,
    /// Those that are compared and there, in the order in which they are shown. Heard of only when it
    /// changes, whatever else becomes known of models.
    pub(super) shown: Held<Arc<Vec<ComparedModel>>>,
    /// Their matrices, and the colours they share.
    pub(super) matrices: Held<Vec<AnyFigure>>,
    pub(super) bar: Held<Option<AnyFigure>>,
    /// Pictures of every snapshot, by cosines and of its table, each in the range they share.
    pub(super) snapshots: [Held<Vec<(ModelId, AnyFigure)>>; 2],
    /// Models by hand, as a timeline; empty until somebody has moved one.
    pub(super) by_hand: Held<Option<Vec<ModelId>>>,
}

thread_local! {
    /// The page has one.
    static COMPARISON: Cell<Option<Comparison>> = const { Cell::new(None) };
}

/// A name that tells a model from the others: most files are called `model`, and then the family says more.
fn telling(name: String, summary: &ModelSummary, others: &[Entry]) -> String {
    let stem = name.split('.').next().unwrap_or_default();
    let name = if ["model", "pytorch_model"].contains(&stem) {
        summary.family.clone()
    } else {
        name
    };
    let free = |name: &String| others.iter().all(|other| other.name != *name);
    if free(&name) {
        return name;
    }
    let numbered = (2..).map(|number| format!("{name} {number}"));
    numbered.into_iter().find(free).unwrap_or(name)
}

impl Comparison {
    /// The page's.
    pub(super) fn get() -> Self {
        let made = COMPARISON.get().unwrap_or_else(|| Self {
            entries: Held::new(Vec::new()),
            shown: Held::new(Arc::default()),
            matrices: Held::new(Vec::new()),
            bar: Held::new(None),
            snapshots: [Held::new(Vec::new()), Held::new(Vec::new())],
            by_hand: Held::new(None),
        });
        COMPARISON.set(Some(made));
        made
    }

    /// Follows the shelf while a view is shown. Models that are closed go; new ones come last.
    pub(super) fn follow(self, state: State) {
        effect(move || {
            let open: Vec<_> = state.shelf.with(|shelf| {
                shelf
                    .iter()
                    .filter_map(|item| {
                        let computed = matches!(
                            item.reference,
                            ModelRef::Sinusoidal(_) | ModelRef::Random(_)
                        );
                        let preset = matches!(item.reference, ModelRef::Preset(_));
                        let summary = item.summary.clone()?;
                        Some((item.id?, item.title.clone(), summary, !computed && !preset))
                    })
                    .collect()
            });
            let known = self.entries.with_untracked(|entries| {
                entries.len() == open.len()
                    && open.iter().all(|(id, _, summary, _)| {
                        entries
                            .iter()
                            .any(|e| e.id == *id && Arc::ptr_eq(&e.summary, summary))
                    })
            });
            if known {
                return;
            }
            self.entries.update(|entries| {
                entries.retain(|entry| open.iter().any(|(id, ..)| *id == entry.id));
                for (id, name, summary, is_file) in open {
                    if let Some(entry) = entries.iter_mut().find(|entry| entry.id == id) {
                        if entry.summary.hash != summary.hash {
                            entry.heads = Arc::default();
                            entry.reads_heads = false;
                        }
                        entry.summary = summary;
                    } else {
                        let name = telling(name, &summary, entries);
                        let free = (1..).find(|n| entries.iter().all(|e| e.number != *n));
                        entries.push(Entry {
                            id,
                            number: free.unwrap_or(1),
                            name,
                            summary,
                            is_file,
                            briefs: [None, None],
                            asked: [None, None],
                            heads: Arc::default(),
                            reads_heads: false,
                            table: None,
                            asked_table: None,
                            typed: None,
                            left_out: false,
                        });
                    }
                }
            });
        });
    }

    /// Asks for the models in short that are not there, whenever a model comes or is looked at otherwise.
    pub(super) fn ask_briefs(self, state: State, similarity: impl Fn() -> Similarity + 'static) {
        effect(move || {
            let (similarity, again) = (similarity(), state.again.get());
            let wanted = self.entries.with(|entries| {
                let lacks = |entry: &&Entry| {
                    entry.asked[similarity as usize] != Some((entry.summary.hash, again))
                        && !entry.left_out
                };
                entries
                    .iter()
                    .filter(lacks)
                    .map(|entry| entry.id)
                    .collect::<Vec<_>>()
            });
            if wanted.is_empty() {
                return;
            }
            self.entries.update(|entries| {
                for entry in entries
                    .iter_mut()
                    .filter(|entry| wanted.contains(&entry.id))
                {
                    entry.asked[similarity as usize] = Some((entry.summary.hash, again));
                }
            });
            for id in wanted {
                let channel = Channel::Brief(id, similarity);
                Engine.ask(
                    channel,
                    Request::Brief(id, similarity),
                    move |answer| match answer {
                        Answer::Brief(brief) => {
                            if similarity == Similarity::InnerProduct {
                                state.with_item(id, |item| item.r2 = Some(brief.fit.r2));
                            }
                            self.with_entry(id, |entry| {
                                entry.briefs[similarity as usize] = Some(Arc::new(brief));
                            });
                        }
                        other => state.note(id, other),
                    },
                );
            }
        });
    }

    /// Asks for the tables of these models.
    pub(super) fn ask_tables(self, state: State, of: impl Fn() -> Vec<ModelId> + 'static) {
        effect(move || {
            let (of, again) = (of(), state.again.get());
            let wanted = self.entries.with(|entries| {
                let lacks = |entry: &&Entry| {
                    entry.summary.kind == PositionKind::Table
                        && entry.asked_table != Some((entry.summary.hash, again))
                        && of.contains(&entry.id)
                };
                entries
                    .iter()
                    .filter(lacks)
                    .map(|entry| entry.id)
                    .collect::<Vec<_>>()
            });
            for id in wanted {
                self.with_entry(id, |entry| {
                    entry.asked_table = Some((entry.summary.hash, again));
                });
                Engine.ask(
                    Channel::SnapshotTable(id),
                    Request::Table(id),
                    move |answer| match answer {
                        Answer::Tile(tile) => {
                            self.with_entry(id, |entry| entry.table = Some(Arc::new(tile)));
                        }
                        other => state.note(id, other),
                    },
                );
            }
        });
    }

    /// Reads the heads of a model.
    pub(super) fn read_heads(self, state: State, id: ModelId) {
        self.with_entry(id, |entry| {
            entry.heads = Arc::default();
            entry.reads_heads = true;
        });
        let mode = state.link.with_untracked(|link| link.heads.mode);
        Engine.ask(
            Channel::ComparedHeads(id),
            Request::Heads(id, mode),
            move |answer| match answer {
                Answer::Layer(layer) => {
                    self.with_entry(id, |entry| Arc::make_mut(&mut entry.heads).extend(layer));
                }
                Answer::Failed(_) => {
                    self.with_entry(id, |entry| entry.reads_heads = false);
                    state.note(id, answer);
                }
                other => state.note(id, other),
            },
        );
    }

    pub(super) fn set_performance(self, id: ModelId, performance: Option<f64>) {
        self.with_entry(id, |entry| entry.typed = Some(performance));
    }

    pub(super) fn leave_out(self, id: ModelId, left_out: bool) {
        self.with_entry(id, |entry| entry.left_out = left_out);
    }

    fn with_entry(self, id: ModelId, change: impl FnOnce(&mut Entry)) {
        self.entries.update(|entries| {
            if let Some(entry) = entries.iter_mut().find(|entry| entry.id == id) {
                change(entry);
            }
        });
    }

    /// Keeps what is shown up to date.
    pub(super) fn show(self, look: impl Fn() -> (Similarity, bool) + 'static) {
        effect(move || {
            let (similarity, by_r2) = look();
            let models = self.compared(similarity, by_r2);
            let same = self.shown.with_untracked(|shown| {
                shown.len() == models.len()
                    && shown.iter().zip(&models).all(|(a, b)| {
                        Arc::ptr_eq(&a.brief, &b.brief) && a.number == b.number && a.name == b.name
                    })
            });
            if !same {
                self.shown.set(Arc::new(models));
            }
        });
    }

    fn is_computed(self, number: usize) -> bool {
        self.entries.with_untracked(|entries| {
            let entry = entries.iter().find(|entry| entry.number == number);
            entry.is_some_and(|entry| entry.summary.family == "computed")
        })
    }

    /// Keeps the matrices up to date: all in one range of colours, or each in its own.
    pub(super) fn paint(self, look: impl Fn() -> (ColorMap, f64, bool) + 'static) {
        effect(move || {
            let (map, clip, shared) = look();
            let models = self.shown.get();
            let matrices: Vec<Heatmap> = models
                .iter()
                .map(|model| Heatmap::matrix(Arc::new(model.brief.tile.clone()), map, clip))
                .collect();
            // A computed table is no measure for the others, nor they for it: its numbers are of another size.
            let measures = |model: &&ComparedModel| !self.is_computed(model.number);
            let alone = !models.iter().any(|model| measures(&model));
            let ranges = models
                .iter()
                .zip(&matrices)
                .filter(|(model, _)| alone || measures(model))
                .map(|(_, matrix)| matrix.range());
            let range = ValueRange::of_all(ranges).filter(|_| shared);
            let matrices = matrices
                .into_iter()
                .zip(models.iter())
                .map(|(matrix, model)| {
                    let range = range.filter(|_| alone || measures(&model));
                    let matrix: AnyFigure = Arc::new(match range {
                        Some(range) => matrix.spanning(range.shown).small(false),
                        None => matrix.small(true),
                    });
                    matrix
                });
            self.matrices.set(matrices.collect());
            self.bar.set(range.map(|range| {
                let bar: AnyFigure = Arc::new(ColorBar { map, range });
                bar
            }));
        });
    }

    /// The models that are compared and there, by R² where that is asked for.
    fn compared(self, similarity: Similarity, by_r2: bool) -> Vec<ComparedModel> {
        self.entries.with(|entries| {
            let mut models: Vec<ComparedModel> = Vec::new();
            for model in entries
                .iter()
                .filter(|entry| !entry.left_out)
                .filter_map(|entry| entry.compared(similarity))
            {
                let at = if by_r2 {
                    models.partition_point(|other| other.brief.fit.r2 >= model.brief.fit.r2)
                } else {
                    models.len()
                };
                models.insert(at, model);
            }
            models
        })
    }
}
