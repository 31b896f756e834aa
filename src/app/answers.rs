//! What the page knows of the open model: the state's wishes turned into questions, and their answers.

use super::{
    dynamic::effect,
    engine::{Channel, Engine},
    held::Held,
    state::{self, State},
};
use crate::{
    analysis::{
        Answer, AttentionMap, Brief, Cells, FitOptions, HeadDetail, HeadId, HeadSummary, KernelFit,
        MAX_LENGTH, ModelId, Part, PositionKind, PositionSummary, Request, Similarity,
        mixed_attention, sinusoidal_summary,
    },
    encoding::Kernels,
    link::{FitScope, ModelRef, View},
    math::{Profile, Tile},
};
use std::sync::Arc;

/// Heads up to this many positions are mixed with kernels on the page, within a frame.
const MIX_HERE: usize = 512;

/// Answers, each with the question it answers where that matters.
#[derive(Debug, Clone, Copy)]
pub(super) struct Answers {
    /// Of the table: R², profile.
    pub(super) positions: Held<Option<Arc<PositionSummary>>>,
    /// The part and window of P that is looked at.
    pub(super) position_tile: Held<Option<Arc<Tile>>>,
    /// Standard deviations along the diagonals of P.
    pub(super) spread: Held<Option<Arc<Profile>>>,
    /// The table.
    pub(super) table: Held<Option<Arc<Tile>>>,
    /// The model in short: its autocorrelation.
    pub(super) brief: Held<Option<Arc<Brief>>>,
    /// Heads, as layers arrive.
    pub(super) heads: Held<Arc<Vec<HeadSummary>>>,
    /// The open head.
    pub(super) head: Held<Option<(HeadId, Arc<HeadDetail>)>>,
    /// Its window.
    pub(super) head_tile: Held<Option<Arc<Tile>>>,
    /// softmax(F̂_P + `F_P`).
    pub(super) mixed: Held<Option<Arc<Tile>>>,
    /// Fits to the open head, with one kernel more each.
    pub(super) fit: Held<Arc<Fits>>,
    /// Fits to all heads of a layer or a model.
    pub(super) fits: Held<Arc<Fits>>,
    /// The kernels that came from a fit and are on the sliders.
    pub(super) taken: Held<Option<Kernels>>,
    /// The open head's own attention at the chosen length.
    pub(super) head_attention: Held<Option<Arc<Tile>>>,
    /// The first layer's attention four ways.
    pub(super) first_layer: Held<Arc<Vec<AttentionMap>>>,
}

/// Fits as they arrive.
#[derive(Debug, Clone, Default)]
pub(super) struct Fits {
    /// What they answer.
    pub(super) asked: Option<FitQuestion>,
    /// Whether more of them are to come.
    pub(super) running: bool,
    pub(super) fits: Vec<KernelFit>,
    /// Sentences about heads that cannot be fitted.
    pub(super) refused: Vec<String>,
}

/// Which heads of which model are fitted, and how: the parts of `head` that the scope leaves open are 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct FitQuestion {
    pub(super) head: HeadId,
    pub(super) scope: FitScope,
    pub(super) options: FitOptions,
    /// The model's numbers, and its other choices.
    pub(super) hash: u64,
    pub(super) again: u32,
}

impl Answers {
    pub(super) fn new(state: State, engine: Engine) -> Self {
        let answers = Self {
            positions: Held::new(None),
            position_tile: Held::new(None),
            spread: Held::new(None),
            table: Held::new(None),
            brief: Held::new(None),
            heads: Held::new(Arc::default()),
            head: Held::new(None),
            head_tile: Held::new(None),
            mixed: Held::new(None),
            fit: Held::new(Arc::default()),
            fits: Held::new(Arc::default()),
            taken: Held::new(None),
            head_attention: Held::new(None),
            first_layer: Held::new(Arc::default()),
        };
        answers.first_paint(state);
        answers.ask_positions(state, engine);
        answers.ask_position_tile(state, engine);
        answers.ask_table(state, engine);
        answers.ask_heads(state, engine);
        answers.ask_head(state, engine);
        answers.ask_mixed(state, engine);
        answers
    }

    /// A sinusoidal table's matrix is known by its diagonals: it is there before the worker is.
    fn first_paint(self, state: State) {
        let (model, similarity) = state
            .link
            .with_untracked(|link| (link.model.clone(), link.positions.similarity));
        if let ModelRef::Sinusoidal(table) = model
            && let Some(summary) = sinusoidal_summary(&table, similarity)
        {
            let plain = state.link.with_untracked(|link| {
                link.positions.part == Part::Whole && link.matrices.window.is_none()
            });
            if plain {
                self.position_tile.set(Some(Arc::new(summary.tile.clone())));
            }
            // Nothing strays from the diagonals of a Toeplitz matrix.
            self.spread
                .set(Some(Arc::new(summary.fit.f.map(|_, _| 0.0))));
            self.positions.set(Some(Arc::new(summary)));
        }
    }

    fn ask_positions(self, state: State, engine: Engine) {
        let similarity = state.part(|link| link.positions.similarity);
        effect(move || {
            let (Some(model), similarity) = (state.open.get(), similarity.get()) else {
                return;
            };
            engine.ask(
                Channel::Positions,
                Request::Positions(model, similarity),
                move |answer| match answer {
                    Answer::Positions(summary) => {
                        if similarity == Similarity::InnerProduct {
                            state.with_item(model, |item| item.r2 = Some(summary.fit.r2));
                        }
                        self.spread.set(None);
                        self.positions.set(Some(Arc::new(summary)));
                        self.ask_spread(engine, model, similarity);
                    }
                    other => state.note(model, other),
                },
            );
        });
    }

    fn ask_spread(self, engine: Engine, model: ModelId, similarity: Similarity) {
        engine.ask(
            Channel::Spread,
            Request::Spread(model, similarity),
            move |answer| {
                if let Answer::Spread(deviations) = answer {
                    self.spread.set(Some(Arc::new(deviations)));
                }
            },
        );
    }

    fn ask_position_tile(self, state: State, engine: Engine) {
        let looked_at = state.part(|link| {
            (
                link.positions.similarity,
                link.positions.part,
                link.matrices.window.clone(),
            )
        });
        effect(move || {
            let (similarity, part, window) = looked_at.get();
            let Some(model) = state.open.get() else {
                return;
            };
            if part == Part::Whole && window.is_none() {
                // It came, or comes, with the summary. A question under way would overwrite it.
                let summary = self.positions.get();
                if let Some(summary) = summary {
                    engine.forget(Channel::PositionTile);
                    self.position_tile.set(Some(Arc::new(summary.tile.clone())));
                }
                return;
            }
            let window =
                window.unwrap_or_else(|| crate::math::Window::whole(usize::MAX, usize::MAX));
            let request = Request::PositionTile(model, similarity, part, window);
            engine.ask(Channel::PositionTile, request, move |answer| match answer {
                Answer::Tile(tile) => self.position_tile.set(Some(Arc::new(tile))),
                other => state.note(model, other),
            });
        });
    }

    fn ask_table(self, state: State, engine: Engine) {
        effect(move || {
            let Some(model) = state.open.get() else {
                return;
            };
            if state
                .open_item()
                .and_then(|item| item.summary)
                .is_none_or(|s| s.kind != PositionKind::Table)
            {
                return self.table.set(None);
            }
            engine.ask(
                Channel::Table,
                Request::Table(model),
                move |answer| match answer {
                    Answer::Tile(tile) => {
                        self.table.set(Some(Arc::new(tile)));
                        self.ask_brief(state, engine, model);
                    }
                    other => state.note(model, other),
                },
            );
        });
    }

    /// Last of all: of a long table it takes as long as its scores.
    fn ask_brief(self, state: State, engine: Engine, model: ModelId) {
        let request = Request::Brief(model, Similarity::InnerProduct);
        engine.ask(
            Channel::Autocorrelation,
            request,
            move |answer| match answer {
                Answer::Brief(brief) => self.brief.set(Some(Arc::new(brief))),
                other => state.note(model, other),
            },
        );
    }

    fn ask_heads(self, state: State, engine: Engine) {
        let look = state.part(|link| (link.view == View::Heads, link.heads.mode));
        let have = Held::new(None);
        effect(move || {
            let (looking, mode) = look.get();
            let (Some(model), Some(summary)) = (state.open.get(), state.summary()) else {
                return;
            };
            let heads = summary.heads.map(|(count, _)| count);
            let again = state.again.get_untracked();
            let question = (model, mode, heads, summary.hash, again);
            if !looking || summary.layers == 0 || have.get_untracked() == Some(question) {
                return;
            }
            // Remembered when it is asked: parts of the answer change what this effect reads.
            have.set(Some(question));
            self.heads.set(Arc::default());
            engine.ask(
                Channel::Heads,
                Request::Heads(model, mode),
                move |answer| match answer {
                    Answer::Layer(layer) => self
                        .heads
                        .update(|heads| Arc::make_mut(heads).extend(layer)),
                    Answer::Failed(_) => {
                        have.set(None);
                        state.note(model, answer);
                    }
                    other => state.note(model, other),
                },
            );
        });
    }

    fn ask_head(self, state: State, engine: Engine) {
        let look = state.part(|link| {
            (
                link.view != View::Positions,
                link.heads.mode,
                link.heads.layer,
                link.heads.head,
            )
        });
        let window = state.part(|link| link.matrices.window.clone());
        let asked = Held::new(None);
        effect(move || {
            let (looking, ..) = look.get();
            let wanted = state.head().filter(|_| looking).zip(
                state
                    .summary()
                    .map(|s| (s.hash, s.heads, state.again.get_untracked())),
            );
            if asked.get_untracked() == wanted {
                return;
            }
            asked.set(wanted);
            let Some((id, _)) = wanted else {
                self.head.set(None);
                return;
            };
            let model = id.model;
            engine.ask(
                Channel::Head,
                Request::Head(id),
                move |answer| match answer {
                    Answer::Head(detail) => self.head.set(Some((id, Arc::new(detail)))),
                    other => state.note(model, other),
                },
            );
        });
        effect(move || {
            let Some((id, detail)) = self.head.get() else {
                self.head_tile.set(None);
                return;
            };
            let Some(window) = window.get() else {
                engine.forget(Channel::HeadTile);
                self.head_tile.set(Some(Arc::new(detail.tile.clone())));
                return;
            };
            engine.ask(
                Channel::HeadTile,
                Request::HeadTile(id, window),
                move |answer| match answer {
                    Answer::Tile(tile) => self.head_tile.set(Some(Arc::new(tile))),
                    other => state.note(id.model, other),
                },
            );
        });
    }

    /// Kernels added to the open head (eq. 4a): here when every cell is at hand, else by the worker.
    fn ask_mixed(self, state: State, engine: Engine) {
        let wanted: state::Part<Option<(Kernels, usize, Cells)>> = state.part(|link| {
            (link.view == View::Kernels && link.kernels.added).then(|| {
                (
                    link.kernels.kernels.clone(),
                    link.kernels.length,
                    link.heads.cells,
                )
            })
        });
        effect(move || {
            let (Some((kernels, length, cells)), Some((id, detail))) =
                (wanted.get(), self.head.get())
            else {
                self.mixed.set(None);
                return;
            };
            let n = length.min(detail.tile.window.rows.len()).min(MAX_LENGTH);
            if n <= MIX_HERE
                && let Some(tile) = mixed_attention(&kernels, n, cells, &detail.tile)
            {
                engine.forget(Channel::Attention);
                self.mixed.set(Some(Arc::new(tile)));
                return;
            }
            let request = Request::MixedAttention(id, kernels, n, cells);
            engine.ask(Channel::Attention, request, move |answer| match answer {
                Answer::Tile(tile) => self.mixed.set(Some(Arc::new(tile))),
                other => state.note(id.model, other),
            });
        });
    }
}
