//! The kernel function f(k), a sum of kernels, with draggable peaks.

use crate::{
    analysis::{HeadOverview, KernelPicture},
    app::{
        controls::{
            buttons::{SegmentedButtons, options},
            drag::{DragState, FrozenScale},
        },
        figure::{
            card::FigureCard,
            view::{AnyFigure, Pull, picture},
        },
        query_client::Query,
        state::{KernelEditor, ModelList, OpenHead, UrlState},
        views::center_choice::score_origin,
    },
    figure::{
        Figure, HeadGuide, Plot, kernel_function, needs_all_offsets, offsets_around, shown_offsets,
    },
    figure_spec::kernels::KERNEL_FUNCTION,
    math::AttentionMask,
    undo::UndoHistory,
    url_state::{AMPLITUDES, CENTRES},
};
use leptos::prelude::*;
use std::sync::Arc;

/// Undo gesture of dragging kernel 0's peak. Sliders use the numbers below.
const PULL_GESTURE: u32 = 1000;

/// Figure: f(k) and its kernels. Their peaks are drag handles.
#[component]
pub(super) fn KernelFunction(
    /// The kernels of the sliders, evaluated.
    computed: Memo<Arc<KernelPicture>>,
    /// The open head, whose profile is drawn beside them.
    head: Query<HeadOverview>,
    /// Number of positions.
    positions: Signal<usize>,
) -> impl IntoView {
    let url = UrlState::from_context();
    let models = ModelList::from_context();
    let open_head = OpenHead::from_context();
    let chosen = url.select(|link| link.kernel_options.all_offsets);
    // Unless the visitor chose the offsets, they follow the kernels once a drag has ended.
    let followed = DragState::from_context().hold(move || {
        computed.with(|computed| {
            let f = computed.f.profile();
            if needs_all_offsets(f) {
                shown_offsets(f.n(), true)
            } else {
                offsets_around(computed.kernels.0.iter().map(|kernel| kernel.c), f.n())
            }
        })
    });
    let range = Memo::new(move |_| match chosen.get() {
        Some(all) => shown_offsets(computed.with(|computed| computed.f.n()), all),
        None => followed.get(),
    });
    let choose = move |all| {
        url.link
            .update(|link| link.kernel_options.all_offsets = all);
    };
    let caption = Signal::derive(move || {
        let mut caption = KERNEL_FUNCTION.caption.to_owned();
        if open_head.cells() == AttentionMask::Causal {
            caption += " Grey: never attended to (causal).";
        }
        if head.with(|head| head.is_some()) {
            let from = score_origin(models, open_head);
            caption += &format!(" Dashed: the open head, whose scores come {from}.");
            caption += &open_head.text_note();
        }
        caption
    });
    let scale = FrozenScale::new();
    let plot = Memo::new_with_compare(
        move |_| {
            let open = head.get_with_question();
            let cells = open_head.cells();
            let guide = open.as_ref().map(|(question, detail)| HeadGuide {
                of: question.of,
                profile: &detail.fit.f,
                cells,
            });
            let frozen = scale.frozen_scale();
            let lines = computed
                .with(|computed| kernel_function(computed, guide, cells, range.get(), frozen));
            if let Some(values) = lines.y.range {
                scale.keep(values);
            }
            Arc::new(lines)
        },
        |_, _| true,
    );
    let figure = picture(move || {
        let plot: AnyFigure = plot.get();
        Some(plot)
    });
    view! {
        <FigureCard
            spec=&KERNEL_FUNCTION
            figure
            caption
            positions
            pull=pull_peaks(KernelEditor::from_context(), plot)
        >
            <SegmentedButtons
                label="Offsets"
                options=options([
                    (None, "near kernels"),
                    (Some(false), "±40"),
                    (Some(true), "all"),
                ])
                value=chosen
                set=choose
            />
        </FigureCard>
    }
}

/// Forms the drag handler: dragging a peak changes its kernel's centre and amplitude.
fn pull_peaks(editor: KernelEditor, plot: Memo<Arc<Plot>>) -> Pull {
    let drag = DragState::from_context();
    let pulled: StoredValue<Option<usize>> = StoredValue::new(None);
    Pull {
        start: Box::new(move |width, x, y| {
            let lines = plot.get_untracked();
            let handle = lines.handle_at(width, x, y);
            pulled.set_value(handle);
            if handle.is_some() {
                drag.take();
            }
            handle.is_some()
        }),
        on_move: Box::new(move |width, x, y| {
            let point = plot.with_untracked(|lines| lines.point_at(width, x, y));
            let (Some((k, value)), Some(at)) = (point, pulled.get_value()) else {
                return;
            };
            let hundredths = |v: f64| (v * 100.0).round() / 100.0;
            editor.edit(Some(PULL_GESTURE + at as u32), |kernels| {
                if let Some(kernel) = kernels.0.get_mut(at) {
                    kernel.c = hundredths(k).clamp(*CENTRES.start(), *CENTRES.end());
                    kernel.a = hundredths(value).clamp(*AMPLITUDES.start(), *AMPLITUDES.end());
                }
            });
        }),
        end: Box::new(move || {
            drag.let_go();
            editor.undo.update(UndoHistory::end_gesture);
        }),
    }
}
