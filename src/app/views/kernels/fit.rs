//! Controls for fitting kernels, and the transfer of a fit to the sliders.

use super::fits::KernelFits;
use crate::{
    analysis::{Objective, ScoreMode},
    app::{
        controls::{
            buttons::{ActionButton, SegmentedButtons, Select, options},
            number::NumberInput,
        },
        state::{ModelList, OpenHead, UrlState},
        views::{
            center_choice::CenterChoice, collapsible_section::CollapsibleSection,
            matrix_controls::LinkedSegmentedButtons,
        },
    },
    encoding::MAX_KERNELS,
    url_state::{FitScope, NumberRange},
};
use leptos::prelude::*;

/// Initial limit K when offsets |k| ≤ K are weighted equally.
const WINDOW: usize = 64;

/// The controls for fitting.
#[component]
pub(super) fn FitControls() -> impl IntoView {
    let url = UrlState::from_context();
    let open_head = OpenHead::from_context();
    let fits = KernelFits::from_context();
    // True after a press, until the fit arrives and is put on the sliders.
    let is_requested = RwSignal::new(false);
    take_what_comes(url, fits, is_requested);
    let press = move |scope: FitScope| {
        is_requested.set(true);
        fits.choose(|choice| choice.scope = Some(scope));
    };
    let cancel = move |()| {
        is_requested.set(false);
        // With no question left, the query client cancels the running fit.
        fits.choose(|choice| choice.scope = None);
    };
    let back = move |()| {
        if let Some(fit) = untrack(|| fits.chosen_fit()) {
            fits.take(&fit);
        }
    };
    let at_fit = Memo::new(move |_| {
        let fit = fits.chosen_fit();
        fit.is_none_or(|fit| url.link.with(|link| link.kernels.kernels == fit.kernels))
    });
    let no_head = Memo::new(move |_| open_head.on_line().is_none());
    let idle = Memo::new(move |_| !fits.is_running());
    let message = Memo::new(move |_| fits.progress());
    let caveats = Memo::new(move |_| fits.caveats());
    let kernels = Signal::derive(move || fits.choice().kernels);
    let unfolded = url.select(|link| link.kernel_options.shows_fit_options());
    let counts = options((1..=MAX_KERNELS).map(|count| (count, count.to_string())));
    view! {
        <section class="fit" aria-label="Fit kernels">
            <div class="controls">
                <FitHeadChoice/>
                <Select
                    label="Kernels"
                    options=counts
                    value=kernels
                    set=move |count| fits.choose(|choice| choice.kernels = count)
                />
                <button type="button" class="primary" disabled=no_head on:click=move |_| press(FitScope::Head)>
                    "Fit head"
                </button>
                <ActionButton text="Back to fit" idle=at_fit press=back/>
                <ActionButton text="Cancel" idle press=cancel/>
                <p class="fitted" role="status">{message} " " <span class="hint">{caveats}</span></p>
                <CollapsibleSection
                    class="options"
                    summary="Fit options"
                    unfolded
                    set=move |unfolded| {
                        url.link.update(|link| link.kernel_options.fit_options = Some(unfolded));
                    }
                >
                    <div class="controls">
                        <ScoresChoice/>
                        <OffsetWeights/>
                        <ObjectiveChoice/>
                    </div>
                    <div class="controls">
                        <button type="button" disabled=no_head on:click=move |_| press(FitScope::Layer)>
                            "Fit layer"
                        </button>
                        <button type="button" disabled=no_head on:click=move |_| press(FitScope::All)>
                            "Fit all heads"
                        </button>
                    </div>
                </CollapsibleSection>
            </div>
        </section>
    }
}

/// Puts a fit on the sliders if it was requested, or if the sliders still hold the previous fit, as after a change of
/// the head or of the number of kernels.
fn take_what_comes(url: UrlState, fits: KernelFits, is_requested: RwSignal<bool>) {
    Effect::new(move || {
        let Some(fit) = fits.chosen_fit() else {
            return;
        };
        let is_wanted = is_requested.get();
        let sliders = url.link.with_untracked(|link| link.kernels.kernels.clone());
        let hold_a_fit = fits
            .applied_kernels
            .with_untracked(|kernels| kernels.as_ref() == Some(&sliders));
        if is_wanted {
            is_requested.set(false);
        } else if sliders == fit.kernels {
            // The link may have set them.
            return fits.applied_kernels.set(Some(sliders));
        } else if !hold_a_fit {
            return;
        }
        fits.take(&fit);
    });
}

/// Control: the constraint on the fitted kernels, with an explanation.
#[component]
fn ObjectiveChoice() -> impl IntoView {
    let fits = KernelFits::from_context();
    let objective = Memo::new(move |_| fits.choice().objective);
    let hint = move || match objective.get() {
        Objective::Readable => {
            "Amplitudes are at most twice the profile’s range and no two kernels cancel, as long as R² drops by less than 0.01."
        }
        Objective::NonNegative => "No amplitude a is below zero.",
        Objective::LeastSquares => "The largest R², with any amplitudes.",
    };
    view! {
        <SegmentedButtons
            label="Kernels are"
            options=options([
                (Objective::Readable, "readable"),
                (Objective::NonNegative, "never negative"),
                (Objective::LeastSquares, "least squares"),
            ])
            value=objective
            set=move |objective| fits.choose(|choice| choice.objective = objective)
        />
        <span class="hint">{hint}</span>
    }
}

/// Control: the weights of the offsets.
#[component]
fn OffsetWeights() -> impl IntoView {
    let fits = KernelFits::from_context();
    let windowed = Memo::new(move |_| fits.choice().within.is_some());
    let reach = Signal::derive(move || Some(fits.choice().within.unwrap_or(WINDOW) as f64));
    let choose = move |windowed: bool| {
        fits.choose(|choice| choice.within = windowed.then_some(WINDOW));
    };
    let set_reach = move |k: f64| {
        fits.choose(|choice| choice.within = Some(k as usize));
    };
    view! {
        <SegmentedButtons
            label="Weight of offsets"
            options=options([(false, "by diagonal length"), (true, "equal, |k| ≤ K")])
            value=windowed
            set=choose
        />
        <Show when=move || windowed.get()>
            <NumberInput name="K" value=reach allowed=NumberRange::whole(1.0, 16_384.0) set=set_reach/>
        </Show>
    }
}

/// Control: which of the head's scores are fitted. Hidden for relative encodings, which have one kind.
#[component]
fn ScoresChoice() -> impl IntoView {
    let models = ModelList::from_context();
    let relative = Memo::new(move |_| models.kind().has_heads_by_offset());
    view! {
        <Show when=move || !relative.get()>
            <LinkedSegmentedButtons
                label="Head scores"
                choices=[(ScoreMode::Paper, "weights only"), (ScoreMode::AsComputed, "with LayerNorm and biases")]
                get=|link| link.heads.mode
                set=|link, mode| link.heads.mode = mode
            />
        </Show>
        <CenterChoice/>
    }
}

/// Controls: the open layer and head.
#[component]
fn FitHeadChoice() -> impl IntoView {
    let url = UrlState::from_context();
    let open_head = OpenHead::from_context();
    let size = Memo::new(move |_| {
        let (layers, heads) = open_head.size()?;
        (layers > 0 && heads > 0).then_some((layers, heads))
    });
    let layer = Signal::derive(move || open_head.get().map_or(0, |head| head.layer));
    let head = Signal::derive(move || open_head.get().map_or(0, |head| head.head));
    let set_layer = move |layer| url.link.update(|link| link.heads.layer = layer);
    let set_head = move |head| url.link.update(|link| link.heads.head = head);
    let numbered = |count: usize| options((0..count).map(|at| (at, (at + 1).to_string())));
    move || {
        size.get().map(|(layers, heads)| {
            view! {
                <Select label="Layer" options=numbered(layers) value=layer set=set_layer/>
                <Select label="Head" options=numbered(heads) value=head set=set_head/>
            }
        })
    }
}
