//! Fitting kernels: the buttons, the questions they ask, and the way from a fit to the sliders and back.

use super::super::linked;
use crate::{
    analysis::{Answer, FitOptions, HeadId, KernelFit, Request, Weighting},
    app::{
        answers::{Answers, FitQuestion, Fits},
        controls::{Options, number_input},
        dynamic::{click, count, dynamic, effect, flag, switch, text, value},
        engine::{Channel, Engine},
        held::Held,
        state::State,
    },
    encoding::MAX_KERNELS,
    link::{FitChoice, FitScope},
    math::Cells,
};
use leptos::prelude::*;
use std::sync::Arc;

/// Window that a uniform weighting starts with.
const WINDOW: usize = 64;

/// The fit to the open head with as many kernels as are chosen, once it is asked for and there.
pub(super) fn chosen_fit(state: State, answers: Answers) -> Option<KernelFit> {
    let FitChoice {
        kernels: wanted,
        scope: Some(_),
        ..
    } = choice(state)
    else {
        return None;
    };
    let head = state.head()?;
    answers.fit.with(|fits| {
        // Of the head that is open, not of the one before it.
        fits.asked.filter(|asked| asked.head == head)?;
        let fit = fits.fits.iter().find(|fit| fit.kernels.0.len() == wanted);
        fit.cloned()
    })
}

/// Asks for fits of the open head before anybody presses, so that a press shows them at once, and of its
/// layer or model when the link says so.
pub(super) fn follow_fits() {
    let state = expect_context::<State>();
    let answers = expect_context::<Answers>();
    let options = state.part(|link| (link.kernel_questions.get().fit, link.heads.cells));
    effect(move || {
        let (choice, cells) = options.get();
        let (Some(head), Some(summary)) = (state.head(), state.summary()) else {
            return;
        };
        let options = fit_options(choice, cells);
        let question = |scope, head| FitQuestion {
            head,
            scope,
            options,
            hash: summary.hash,
            again: state.again.get(),
        };
        let model = head.model;
        // The curve over kernels is the same whatever their number, which says no more than what comes first.
        let mut one = question(FitScope::Head, head);
        one.options.kernels = 1;
        ask(
            state,
            answers.fit,
            Channel::Fit,
            one,
            Request::FitHead(head, options),
        );
        let (scope, layer, of) = match choice.scope {
            Some(FitScope::Layer) => (
                FitScope::Layer,
                Some(head.layer),
                HeadId { head: 0, ..head },
            ),
            Some(FitScope::All) => {
                let first = HeadId {
                    head: 0,
                    layer: 0,
                    ..head
                };
                (FitScope::All, None, first)
            }
            Some(FitScope::Head) | None => return,
        };
        let request = Request::FitHeads(model, head.mode, layer, options);
        let question = question(scope, of);
        ask(state, answers.fits, Channel::Fits, question, request);
    });
}

fn fit_options(choice: FitChoice, cells: Cells) -> FitOptions {
    FitOptions {
        kernels: choice.kernels,
        weighting: choice
            .within
            .map_or(Weighting::Cells, |reach| Weighting::Window(reach as u32)),
        cells,
    }
}

/// What is chosen.
pub(super) fn choice(state: State) -> FitChoice {
    state.link.with(|link| link.kernel_questions.get().fit)
}

fn choose(state: State, change: impl FnOnce(&mut FitChoice)) {
    state
        .link
        .update(|link| link.kernel_questions.change(|asked| change(&mut asked.fit)));
}

fn ask(
    state: State,
    into: Held<Arc<Fits>>,
    channel: Channel,
    question: FitQuestion,
    request: Request,
) {
    if into.with_untracked(|fits| fits.asked == Some(question)) {
        return;
    }
    into.set(Arc::new(Fits {
        asked: Some(question),
        running: true,
        ..Fits::default()
    }));
    let change = move |change: &dyn Fn(&mut Fits)| into.update(|fits| change(Arc::make_mut(fits)));
    Engine.ask(channel, request, move |answer| match answer {
        // The one that was asked for comes first; the curve and the table are in order.
        Answer::Fit(fit) => change(&|fits| {
            let place = |fit: &KernelFit| (fit.layer, fit.head, fit.kernels.0.len());
            let at = fits
                .fits
                .partition_point(|other| place(other) < place(&fit));
            fits.fits.insert(at, fit.clone());
        }),
        Answer::Unfitted(_, _, sentence) => change(&|fits| fits.refused.push(sentence.clone())),
        Answer::Done => change(&|fits| fits.running = false),
        Answer::Failed(sentence) => {
            change(&|fits| (fits.running, fits.refused) = (false, vec![sentence.clone()]));
        }
        other => state.note(question.head.model, other),
    });
}

/// Puts a fit's kernels on the sliders.
fn take(state: State, fit: &KernelFit) {
    let fitted = fit.kernels.clone();
    state.edit_kernels(None, |kernels| *kernels = fitted);
}

/// Whether the sliders stand where the fit does.
fn stands_at(state: State, fit: &KernelFit) -> bool {
    state.link.with(|link| link.kernels.kernels == fit.kernels)
}

/// The controls.
pub(super) fn fit_controls() -> AnyView {
    let state = expect_context::<State>();
    let answers = expect_context::<Answers>();
    follow_fits();
    // A press asks for the kernels; they are taken when they arrive.
    let wanted = RwSignal::new(false);
    // What the sliders hold of a fit follows when another number of kernels is chosen.
    let held = answers.taken;
    effect(move || {
        let Some(fit) = chosen_fit(state, answers) else {
            return;
        };
        let untouched = state.link.with_untracked(|link| {
            held.with_untracked(|held| held.as_ref() == Some(&link.kernels.kernels))
        });
        // Setting it runs this again, which then finds everything in place.
        if wanted.get() {
            wanted.set(false);
        } else if !untouched || stands_at(state, &fit) {
            return;
        }
        held.set(Some(fit.kernels.clone()));
        take(state, &fit);
    });
    let no_head = flag(move || state.head().is_none());
    let press = move |scope: FitScope| {
        click(move || {
            wanted.set(true);
            choose(state, |choice| choice.scope = Some(scope));
        })
    };
    let (head, layer, all) = (
        press(FitScope::Head),
        press(FitScope::Layer),
        press(FitScope::All),
    );
    let kernels = Options::new(
        (1..=MAX_KERNELS).map(|count| (count, count.to_string())),
        move || choice(state).kernels,
        move |count| choose(state, |choice| choice.kernels = count),
    );
    let windowed = switch(move || choice(state).within.is_some());
    let weights = Options::new(
        [(false, "by cells"), (true, "alike, |k| ≤ K")],
        move || windowed.get(),
        move |window| choose(state, |choice| choice.within = window.then_some(WINDOW)),
    );
    let reach = value(move || choice(state).within.unwrap_or(WINDOW) as f64);
    let reach = dynamic(move || {
        if !windowed.get() {
            return ().into_any();
        }
        let set = move |k: f64| {
            choose(state, |choice| choice.within = Some(k.round() as usize));
        };
        number_input("K".to_owned(), reach, 1.0, 16_384.0, set)
    });
    let back = click(move || {
        if let Some(fit) = untrack(|| chosen_fit(state, answers)) {
            held.set(Some(fit.kernels.clone()));
            take(state, &fit);
        }
    });
    let at_fit = flag(move || chosen_fit(state, answers).is_none_or(|fit| stands_at(state, &fit)));
    let cancel = click(move || {
        Engine.forget(Channel::Fits);
        answers.fits.update(|fits| {
            let fits = Arc::make_mut(fits);
            // Asked again, it starts anew.
            (fits.running, fits.asked) = (false, fits.asked.filter(|_| !fits.running));
        });
        choose(state, |choice| choice.scope = None);
    });
    let running = move || {
        let asked = choice(state).scope.is_some();
        let fits = [answers.fit, answers.fits];
        asked && fits.iter().any(|fits| fits.with(|fits| fits.running))
    };
    let idle = flag(move || !running());
    let said = text(move || progress(state, answers));
    view! {
        <section class="fit" aria-label="Fit kernels">
            <h2>"Fit"</h2>
            <p class="caption">"Kernels and an intercept, which softmax ignores, by least squares to the profile of a head. The fit is where the sliders start."</p>
            <div class="controls">{head_choice()} {kernels.select("Kernels")}</div>
            <div class="controls">{weights.segmented("Offsets count")} {reach}</div>
            <div class="actions">
                <button type="button" class="primary" disabled=no_head on:click=head>"Fit head"</button>
                <button type="button" disabled=no_head on:click=layer>"Fit layer"</button>
                <button type="button" disabled=no_head on:click=all>"Fit all heads"</button>
                <span class="spacer"></span>
                <button type="button" disabled=at_fit on:click=back>"Back to fit"</button>
                <button type="button" hidden=idle on:click=cancel>"Cancel"</button>
            </div>
            <p class="hint" role="status">{said}</p>
        </section>
    }
    .into_any()
}

/// Which head is open.
fn head_choice() -> AnyView {
    let state = expect_context::<State>();
    let size = count(move || {
        state.summary().map_or(0, |summary| {
            let heads = summary.heads.map_or(0, |(heads, _)| heads as usize);
            summary.layers.min(usize::from(u16::MAX)) << 16 | heads
        })
    });
    dynamic(move || {
        let (layers, heads) = (size.get() >> 16, size.get() & 0xffff);
        if layers == 0 || heads == 0 {
            return ().into_any();
        }
        let numbered = |count: usize| (0..count).map(|at| (at, (at + 1).to_string()));
        let layer = Options::new(
            numbered(layers),
            move || state.head().map_or(0, |id| id.layer),
            move |layer| state.link.update(|link| link.heads.layer = layer),
        );
        let head = Options::new(
            numbered(heads),
            move || state.head().map_or(0, |id| id.head),
            move |head| state.link.update(|link| link.heads.head = head),
        );
        let scores = linked(
            [
                (crate::analysis::ScoreMode::Paper, "paper"),
                (crate::analysis::ScoreMode::AsComputed, "as computed"),
            ],
            |link| &mut link.heads.mode,
        );
        view! { {layer.select("Layer")} {head.select("Head")} {scores.segmented("Head’s scores")} }
            .into_any()
    })
}

/// What is under way, or what came of it.
fn progress(state: State, answers: Answers) -> String {
    if state.head().is_none() {
        return "The open table has no heads to fit: open a checkpoint.".to_owned();
    }
    let scope = choice(state).scope;
    let all = state.summary().map_or(0, |summary| {
        let heads = summary.heads.map_or(0, |(heads, _)| heads as usize);
        match scope {
            Some(FitScope::All) => heads * summary.layers,
            _ => heads,
        }
    });
    let of_group = answers.fits.with(|fits| {
        let refused = fits.refused.first().cloned().unwrap_or_default();
        match scope {
            Some(FitScope::Layer | FitScope::All) if fits.running => {
                format!(
                    "{} of {all} heads fitted. ",
                    fits.fits.len() + fits.refused.len()
                )
            }
            Some(FitScope::Layer | FitScope::All) => {
                let mut said = format!("{} heads fitted. ", fits.fits.len());
                if !fits.refused.is_empty() {
                    said += &format!("{} not: {refused} ", fits.refused.len());
                }
                said
            }
            _ => String::new(),
        }
    });
    let of_head = answers.fit.with(|fits| fits.refused.first().cloned());
    let of_head = of_head.filter(|_| scope.is_some());
    let wanted = choice(state).kernels;
    let found = match (chosen_fit(state, answers), scope) {
        (Some(fit), Some(_)) => format!(
            "Layer {}, head {}: R² {:.4} of the profile, {:.4} of the matrix.",
            fit.layer + 1,
            fit.head + 1,
            fit.r2,
            fit.matrix_r2
        ),
        (None, Some(_)) if of_head.is_none() && !answers.fit.with(|fits| fits.running) => {
            format!("Its offsets cannot decide {wanted} kernels; take fewer.")
        }
        _ => of_head.unwrap_or_default(),
    };
    of_group + &found
}
