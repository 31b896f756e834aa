//! Controls shared by all maps of the view: with or without the open head, counted cells, colours, and window.

use super::{KernelViewOptions, shared_color_range::RangeOfMaps};
use crate::app::{
    state::{ModelList, UrlState},
    views::matrix_controls::{
        CellsControl, LinkedSegmentedButtons, LinkedWindow, MatrixColors, ZoomControls,
    },
};
use leptos::prelude::*;

/// The controls, with a note on limits of the open model.
#[component]
pub(super) fn MapControls() -> impl IntoView {
    let url = UrlState::from_context();
    let models = ModelList::from_context();
    let setting = KernelViewOptions::from_context();
    let message = Memo::new(move |_| {
        let alone = url.link.with(|link| link.kernels.alone);
        let summary = models.summary().filter(|_| !alone)?;
        let (n, positions) = (setting.length.get(), setting.positions.get());
        if summary.layers == 0 {
            Some(
                "The open model has no attention heads to add kernels to. Open a checkpoint that has some."
                    .to_owned(),
            )
        } else if summary.grid.is_some() {
            Some("The open model’s positions are patches of an image; kernels depend on k alone and are not added to its heads.".to_owned())
        } else if positions < n {
            Some(format!(
                "The open model is shown at {positions} positions, and figures of its head end there. “kernels only” shows all {n}."
            ))
        } else {
            None
        }
    });
    view! {
        <div class="controls maps-controls">
            <LinkedSegmentedButtons
                label="Scores"
                choices=[(true, "kernels only"), (false, "head + kernels")]
                get=|link| link.kernels.alone
                set=|link, alone| link.kernels.alone = alone
            />
            <ZoomControls positions=setting.positions window=LinkedWindow::OF_KERNELS/>
            <CellsControl/>
            <MatrixColors/>
            <Show when=move || setting.beside.get()>
                <RangeOfMaps/>
            </Show>
        </div>
        <p class="hint" role="status">{message}</p>
    }
}
