//! Checkpoints of one model as a timeline: how its positions settle while it learns.

use super::{color_control, range_control, ready, wants_less_motion};
use crate::{
    analysis::{MatrixId, ModelId, Part, Similarity, in_order},
    app::{
        compared::{Comparison, Entry},
        controls::Options,
        dynamic::{attribute, click, count, dynamic, effect, flag, list, on, picture, text},
        figure_card::FigureCard,
        figure_view::{AnyFigure, mark_ready},
        formulas,
        held::Held,
        state::State,
    },
    figure::{
        ColorMap, Heatmap, ValueRange,
        compared::{self, ComparedModel},
        number,
    },
};
use leptos::prelude::*;
use std::{sync::Arc, time::Duration};

/// A snapshot is shown this long while the timeline plays.
const PACE: Duration = Duration::from_millis(700);

/// Which pictures of the snapshots.
const COSINES: usize = 0;
const TABLES: usize = 1;

/// A snapshot: its step, or its place where the order is made by hand.
#[derive(Debug, Clone)]
struct Snapshot {
    step: u64,
    entry: Entry,
}

/// Where the timeline is, and whether it runs.
#[derive(Debug, Clone, Copy)]
struct Timeline {
    comparison: Comparison,
    at: RwSignal<usize>,
    /// Counts starts, and is even while the timeline rests: a tick of an earlier start is not heard.
    runs: RwSignal<usize>,
    by_hand: RwSignal<bool>,
}

impl Timeline {
    /// The checkpoints in order. By name where two names or more carry a step and nobody wants it otherwise.
    fn snapshots(self) -> Vec<Snapshot> {
        let by_hand = self.is_by_hand();
        let order = self.comparison.by_hand.get().unwrap_or_default();
        self.comparison.entries.with(|entries| {
            let snapshot = |(step, at): (u64, usize)| Snapshot {
                step,
                entry: entries[at].clone(),
            };
            if !by_hand {
                let names = entries.iter().map(|entry| entry.name.as_str());
                return in_order(names).into_iter().map(snapshot).collect();
            }
            let files = |entry: &Entry| entry.is_file;
            let place = |id: ModelId| order.iter().position(|other| *other == id);
            let mut ordered: Vec<usize> = Vec::new();
            for (at, entry) in entries.iter().enumerate().filter(|(_, entry)| files(entry)) {
                // What was never moved stays behind, in the order of the shelf.
                let mine = place(entry.id).unwrap_or(usize::MAX);
                let before =
                    |other: &usize| place(entries[*other].id).unwrap_or(usize::MAX) <= mine;
                let to = ordered.partition_point(before);
                ordered.insert(to, at);
            }
            ordered
                .into_iter()
                .enumerate()
                .map(|(place, at)| snapshot((place as u64 + 1, at)))
                .collect()
        })
    }

    /// Whether names tell an order.
    fn has_steps(self) -> bool {
        self.comparison
            .entries
            .with(|entries| in_order(entries.iter().map(|entry| entry.name.as_str())).len() > 1)
    }

    fn is_by_hand(self) -> bool {
        self.by_hand.get() || !self.has_steps()
    }

    fn looked_at(self) -> Option<Snapshot> {
        let mut snapshots = self.snapshots();
        let at = self.at.get().min(snapshots.len().checked_sub(1)?);
        Some(snapshots.swap_remove(at))
    }

    fn step_by(self, by: isize) {
        let last = untrack(|| self.snapshots().len()).saturating_sub(1);
        let at = self.at.get_untracked().min(last);
        self.at.set(at.saturating_add_signed(by).min(last));
    }

    fn is_running(self) -> bool {
        self.runs.get() % 2 == 1
    }

    fn rest(self) {
        // The view may be gone by now, and its signals with it.
        if self
            .runs
            .try_get_untracked()
            .is_some_and(|runs| runs % 2 == 1)
        {
            self.runs.update(|runs| *runs += 1);
        }
    }

    /// Plays from here, or from the start when at the end. Who wants less motion gets one step a press.
    fn play(self) {
        let last = untrack(|| self.snapshots().len()).saturating_sub(1);
        if self.at.get_untracked() >= last {
            self.at.set(0);
        } else if wants_less_motion() {
            self.step_by(1);
        }
        if !wants_less_motion() {
            self.runs.update(|runs| *runs += 1);
            self.tick(self.runs.get_untracked());
        }
    }

    fn tick(self, run: usize) {
        let next = move || {
            if self.runs.try_get_untracked() != Some(run) {
                return;
            }
            self.step_by(1);
            let last = untrack(|| self.snapshots().len()).saturating_sub(1);
            if self.at.get_untracked() >= last {
                self.rest();
            } else {
                self.tick(run);
            }
        };
        set_timeout(next, PACE);
    }

    /// Moves a snapshot up or down, which makes the order one by hand.
    fn move_by(self, id: ModelId, by: isize) {
        let mut order: Vec<ModelId> = untrack(|| self.snapshots())
            .iter()
            .map(|snapshot| snapshot.entry.id)
            .collect();
        let Some(at) = order.iter().position(|other| *other == id) else {
            return;
        };
        let to = at.saturating_add_signed(by).min(order.len() - 1);
        order.swap(at, to);
        self.comparison.by_hand.set(Some(order));
    }
}

/// The view.
pub(in crate::app) fn training() -> AnyView {
    let state = expect_context::<State>();
    let timeline = Timeline {
        comparison: Comparison::get(),
        at: RwSignal::new(0),
        runs: RwSignal::new(0),
        by_hand: RwSignal::new(false),
    };
    let comparison = timeline.comparison;
    comparison.follow(state);
    comparison.ask_briefs(state, || Similarity::InnerProduct);
    comparison.ask_briefs(state, || Similarity::Cosine);
    comparison.ask_tables(state, move || {
        let snapshots = timeline.snapshots();
        snapshots.iter().map(|snapshot| snapshot.entry.id).collect()
    });
    let snapshots = move || timeline.snapshots();
    keep_pictures(
        state,
        comparison.snapshots[COSINES],
        snapshots,
        |entry, map, clip| {
            let brief = entry.brief(Similarity::Cosine)?;
            Some(Heatmap::matrix(Arc::new(brief.tile.clone()), map, clip))
        },
    );
    keep_pictures(
        state,
        comparison.snapshots[TABLES],
        snapshots,
        |entry, map, clip| Some(Heatmap::table(entry.table.clone()?, map, clip)),
    );
    on_cleanup(move || timeline.rest());
    let length = count(move || timeline.snapshots().len());
    dynamic(move || {
        if length.get() < 2 {
            return too_few();
        }
        view! {
            <div class="view training">
                <div class="column">{controls(timeline)} {curves(timeline)}</div>
                <div class="column">{matrix(timeline)} {table(timeline)}</div>
            </div>
        }
        .into_any()
    })
}

/// Said before there is anything to play.
fn too_few() -> AnyView {
    mark_ready();
    view! {
        <section class="nothing">
            <h2>"Checkpoints of a run become a timeline"</h2>
            <p>"Open two or more checkpoints of one model, all at once or one after the other. Their order is read from names like checkpoint-1000, step_2000 or epoch_3; where names say nothing, it is made by hand."</p>
        </section>
    }
    .into_any()
}

/// What a snapshot is called: by its step, or by its place.
fn called(timeline: Timeline, snapshot: &Snapshot) -> String {
    if timeline.is_by_hand() {
        format!(
            "{}. {}",
            snapshot.step,
            compared::label(&snapshot.entry.name)
        )
    } else {
        format!("step {}", snapshot.step)
    }
}

fn controls(timeline: Timeline) -> AnyView {
    let last = text(move || timeline.snapshots().len().saturating_sub(1).to_string());
    let at = text(move || timeline.at.get().to_string());
    let said = text(move || {
        timeline
            .looked_at()
            .map_or_else(String::new, |snapshot| called(timeline, &snapshot))
    });
    let said_too = said;
    let scrub = on(move |event: leptos::ev::Event| {
        timeline.rest();
        if let Ok(at) = event_target_value(&event).parse::<usize>() {
            timeline.at.set(at);
        }
    });
    let toggle = click(move || {
        if untrack(|| timeline.is_running()) {
            timeline.rest();
        } else {
            timeline.play();
        }
    });
    let back = click(move || {
        timeline.rest();
        timeline.step_by(-1);
    });
    let on_ = click(move || {
        timeline.rest();
        timeline.step_by(1);
    });
    let play = text(move || {
        match (timeline.is_running(), wants_less_motion()) {
            (true, _) => "Pause",
            (false, true) => "Next step",
            (false, false) => "Play",
        }
        .to_owned()
    });
    let choosable = flag(move || !timeline.has_steps());
    let order = Options::new(
        [(false, "by step"), (true, "by hand")],
        move || timeline.is_by_hand(),
        move |by_hand| timeline.by_hand.set(by_hand),
    );
    let rows = dynamic(move || {
        let snapshots = timeline.snapshots();
        let by_hand = timeline.is_by_hand();
        let last = snapshots.len().saturating_sub(1);
        list(
            snapshots
                .into_iter()
                .enumerate()
                .map(move |(at, snapshot)| row(timeline, at, at == last, by_hand, snapshot)),
        )
    });
    view! {
        <section class="timeline" aria-labelledby="timeline-title">
            <h2 id="timeline-title">"How positions are learned"</h2>
            <p class="caption">"One model at several steps of its training."</p>
            <div class="transport">
                <button type="button" aria-label="Previous snapshot" on:click=back>"‹"</button>
                <button type="button" class="play" on:click=toggle>{play}</button>
                <button type="button" aria-label="Next snapshot" on:click=on_>"›"</button>
                <input type="range" min="0" max=last step="1" aria-label="Snapshot" aria-valuetext=said prop:value=at on:input=scrub/>
                <output class="step">{said_too}</output>
            </div>
            <div class="controls" hidden=choosable>{order.segmented("Order")}</div>
            <ol class="snapshots">{rows}</ol>
        </section>
    }
    .into_any()
}

/// A line about a snapshot; where the order is by hand, it can be moved.
fn row(timeline: Timeline, at: usize, is_last: bool, by_hand: bool, snapshot: Snapshot) -> AnyView {
    let Snapshot { step, entry } = snapshot;
    let choose = click(move || {
        timeline.rest();
        timeline.at.set(at);
    });
    let current = attribute(move || {
        let shown = timeline
            .at
            .get()
            .min(timeline.snapshots().len().saturating_sub(1));
        (shown == at).then(|| "step".to_owned())
    });
    let r2 = entry
        .brief(Similarity::InnerProduct)
        .map_or_else(|| "…".to_owned(), |brief| format!("R² {:.3}", brief.fit.r2));
    let id = entry.id;
    let name = entry.name;
    let moves = by_hand.then(|| {
        let up = click(move || timeline.move_by(id, -1));
        let down = click(move || timeline.move_by(id, 1));
        let (first, label_up, label_down) =
            (at == 0, format!("Move {name} up"), format!("Move {name} down"));
        view! {
            <span class="moves">
                <button type="button" aria-label=label_up disabled=first on:click=up>"↑"</button>
                <button type="button" aria-label=label_down disabled=is_last on:click=down>"↓"</button>
            </span>
        }
        .into_any()
    });
    let short = compared::label(&name).to_owned();
    view! {
        <li data-snapshot=name>
            <button type="button" class="snapshot" aria-current=current on:click=choose>
                <span class="step">{step.to_string()}</span>
                <span class="name">{short}</span>
                <span class="score">{r2}</span>
            </button>
            {moves}
        </li>
    }
    .into_any()
}

fn curves(timeline: Timeline) -> AnyView {
    let figure = picture(move || {
        let snapshots = timeline.snapshots();
        let there: Vec<(u64, ComparedModel)> = snapshots
            .iter()
            .filter_map(|s| Some((s.step, s.entry.compared(Similarity::InnerProduct)?)))
            .collect();
        let run: Vec<(u64, &ComparedModel)> =
            there.iter().map(|(step, model)| (*step, model)).collect();
        let at = timeline.looked_at().map(|snapshot| snapshot.step);
        ready(compared::training(&run, at)?)
    });
    FigureCard::new("training-curves", figure)
        .caption("R² of the inner products, and the mean of |autocorrelation| over all lags and columns of the table: how smooth it has become.".to_owned())
        .view()
}

/// Keeps the pictures of all snapshots, so that playing only chooses among them. They share one range:
/// colours mean the same at every step.
fn keep_pictures(
    state: State,
    into: Held<Vec<(ModelId, AnyFigure)>>,
    snapshots: impl Fn() -> Vec<Snapshot> + 'static,
    picture: fn(&Entry, ColorMap, f64) -> Option<Heatmap>,
) {
    let look = state.part(|link| (link.matrices.map, link.matrices.clip));
    effect(move || {
        let (map, clip) = look.get();
        let mut all = Vec::new();
        for Snapshot { entry, .. } in snapshots() {
            if let Some(heatmap) = picture(&entry, map, clip) {
                all.push((entry.id, heatmap));
            }
        }
        let range = ValueRange::of_all(all.iter().map(|(_, heatmap)| heatmap.range()));
        let shown = range.map_or((0.0, 1.0), |range| range.shown);
        let figures = all.into_iter().map(|(id, heatmap)| {
            let figure: AnyFigure = Arc::new(heatmap.spanning(shown));
            (id, figure)
        });
        into.set(figures.collect());
    });
}

/// The picture of the snapshot that is looked at.
fn shown(timeline: Timeline, which: usize) -> Signal<Option<AnyFigure>> {
    let all = timeline.comparison.snapshots[which];
    picture(move || {
        let id = timeline.looked_at()?.entry.id;
        all.with(|all| {
            all.iter()
                .find(|(other, _)| *other == id)
                .map(|(_, figure)| Arc::clone(figure))
        })
    })
}

fn matrix(timeline: Timeline) -> AnyView {
    let figure = shown(timeline, COSINES);
    let positions = count(move || {
        timeline.looked_at().map_or(0, |snapshot| {
            let brief = snapshot.entry.brief(Similarity::Cosine);
            brief.map_or(0, |brief| brief.fit.f.n())
        })
    });
    let caption = text(move || {
        timeline.looked_at().map_or_else(String::new, |snapshot| {
            let r2 = snapshot.entry.brief(Similarity::Cosine);
            let r2 = r2.map_or_else(String::new, |brief| {
                format!(": R² {}", number(brief.fit.r2))
            });
            format!(
                "At {}{r2}. The colours are the same at every step:",
                called(timeline, &snapshot)
            )
        })
    });
    FigureCard::new("training-matrix", figure)
        .caption(caption)
        .formula(formulas::COSINE)
        .cursor(positions)
        .matrix(move || {
            let id = timeline.looked_at()?.entry.id;
            Some((
                MatrixId::Positions(id, Similarity::Cosine, Part::Whole),
                None,
            ))
        })
        .controls(vec![
            color_control(|link| &mut link.matrices.map),
            range_control(),
        ])
        .view()
}

fn table(timeline: Timeline) -> AnyView {
    let figure = shown(timeline, TABLES);
    let caption = text(move || {
        timeline.looked_at().map_or_else(String::new, |snapshot| {
            format!(
                "At {}: one row a position, one column a dimension.",
                called(timeline, &snapshot)
            )
        })
    });
    FigureCard::new("training-table", figure)
        .caption(caption)
        .matrix(move || Some((MatrixId::Table(timeline.looked_at()?.entry.id), None)))
        .view()
}
