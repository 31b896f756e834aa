//! Figures of a fit: its residual, R² by the number of kernels, and, folded, the fit over the profile and its attention.

use super::{fit_attention::FitBesideHead, fit_grid::FitGrid, fits::KernelFits};
use crate::{
    app::{
        controls::buttons::{SegmentedButtons, options},
        figure::{
            card::FigureCard,
            view::{picture, ready},
        },
        state::UrlState,
        views::figure_fold::FigureFold,
    },
    figure::{
        kernel_fits::{fit_curve, fit_lines, fit_residual},
        needs_all_offsets, shown_offsets,
    },
    figure_spec::kernels::{FIT_CURVE, FIT_RESIDUAL, KERNEL_FIT},
    math::Profile,
    url_state::FigureGroup,
};
use leptos::prelude::*;

/// The figures. Mounted once a fit was requested.
#[component]
pub(super) fn FitFigures() -> impl IntoView {
    let fits = KernelFits::from_context();
    let is_requested = Memo::new(move |_| fits.choice().scope.is_some());
    let of_group = Memo::new(move |_| fits.choice().is_of_group());
    let chosen = UrlState::from_context().select(|link| link.kernel_options.all_fit_offsets);
    let profile = Memo::new(move |_| fits.profile());
    let all = Memo::new(move |_| {
        let needs_all = || profile.with(|f| f.as_ref().is_some_and(needs_all_offsets));
        chosen.get().unwrap_or_else(needs_all)
    });
    let positions = Signal::derive(move || profile.with(|f| f.as_ref().map_or(0, Profile::n)));
    view! {
        <Show when=move || is_requested.get()>
            <Show when=move || of_group.get()>
                <FitGrid/>
            </Show>
            <div class="pair">
                <FitResidual all profile positions/>
                <FitCurve/>
            </div>
            // The curves and maps above show the same once the sliders hold the fit.
            <FigureFold group=FigureGroup::FitBesideHead summary="The fit beside its head">
                <FitCard all profile positions/>
                <FitBesideHead
                    fit=Signal::derive(move || fits.chosen_fit())
                    status=Signal::derive(move || fits.status())
                />
            </FigureFold>
        </Show>
    }
}

#[component]
fn FitCard(
    all: Memo<bool>,
    profile: Memo<Option<Profile>>,
    positions: Signal<usize>,
) -> impl IntoView {
    let fits = KernelFits::from_context();
    let url = UrlState::from_context();
    let choose = move |all| {
        url.link
            .update(|link| link.kernel_options.all_fit_offsets = Some(all));
    };
    let figure = picture(move || {
        let (fit, f) = (fits.chosen_fit()?, profile.get()?);
        let range = shown_offsets(f.n(), all.get());
        ready(fit_lines(&fit, &f, range, &fits.displayed_fits()))
    });
    view! {
        <FigureCard
            spec=&KERNEL_FIT
            figure
            positions
            partial=Signal::derive(move || fits.is_running())
            query=Signal::derive(move || fits.status())
        >
            <SegmentedButtons
                label="Offsets"
                options=options([(false, "near zero"), (true, "all offsets")])
                value=all
                set=choose
            />
        </FigureCard>
    }
}

#[component]
fn FitResidual(
    all: Memo<bool>,
    profile: Memo<Option<Profile>>,
    positions: Signal<usize>,
) -> impl IntoView {
    let fits = KernelFits::from_context();
    let figure = picture(move || {
        let (fit, f) = (fits.chosen_fit()?, profile.get()?);
        ready(fit_residual(&fit, &f, shown_offsets(f.n(), all.get())))
    });
    let caption = Signal::derive(move || {
        match fits.choice().within {
        None => {
            "Profile minus fit. At large |k| the mean covers few cells, so it carries little weight."
                .to_owned()
        }
        Some(reach) => format!(
            "Profile minus fit. Offsets within |k| ≤ {reach} have equal weight, and all others have none."
        ),
    }
    });
    view! {
        <FigureCard
            spec=&FIT_RESIDUAL
            figure
            caption
            positions
            query=Signal::derive(move || fits.status())
        />
    }
}

/// Figure: R² over the number of kernels.
#[component]
fn FitCurve() -> impl IntoView {
    let fits = KernelFits::from_context();
    let figure = picture(move || {
        ready(fit_curve(
            fits.head_fits()?.as_ref(),
            fits.choice().kernels,
        )?)
    });
    view! {
        <FigureCard
            spec=&FIT_CURVE
            figure
            partial=Signal::derive(move || fits.is_head_pending())
            query=Signal::derive(move || fits.status())
        />
    }
}
