//! The image filtered by the convolution and by the heads, their difference, and the weights that make them equal.

use super::{demonstration::ImageDemonstration, query::pull_query};
use crate::{
    analysis::{ConvolutionErrors, ErrorAtAlpha, FilterImage},
    app::{
        controls::{
            buttons::{Select, options},
            drag::DragState,
            while_mounted::while_mounted,
        },
        figure::{
            card::FigureCard,
            formula::TermButton,
            view::{AnyFigure, picture, ready},
        },
        query_client::QueryClient,
        state::HighlightedTerm,
    },
    figure::{
        FormulaTerm,
        images::{FilterPictures, error_curve, filtered_signal},
        number,
    },
    figure_spec::{
        formulas,
        images::{CONVOLUTION_ERROR, FILTERED_IMAGE},
    },
    math::{ConvolutionKernel, HeadShape, Padding, TapSide},
    url_state::HEAD_CHANNELS,
};
use leptos::prelude::*;
use std::sync::Arc;
use web_sys::PointerEvent;

/// Figures: the filtered images, and the error over α; and the table of weights.
#[component]
pub(super) fn FilteredImages() -> impl IntoView {
    let demonstration = ImageDemonstration::from_context();
    let client = QueryClient::from_context();
    let answer = client.ask(move || {
        Some(FilterImage {
            of: demonstration.filter_setting(),
        })
    });
    let pictures = Memo::new_with_compare(
        move |_| {
            let (question, output) = answer.get_with_question()?;
            let image = question.of.image.pixels();
            (image.grid.height > 1)
                .then(|| Arc::new(FilterPictures::new(image, &output, demonstration.query())))
        },
        |_, _| true,
    );
    let figure = picture(move || {
        if let Some(pictures) = pictures.get() {
            let pictures: AnyFigure = pictures;
            return Some(pictures);
        }
        let (question, output) = answer.get_with_question()?;
        ready(filtered_signal(&question.of.image.pixels(), &output))
    });
    let pixel_at = move |width, x, y| {
        pictures.with_untracked(|pictures| pictures.as_ref()?.pixel_at(width, x, y))
    };
    // The curve takes longer than a frame to compute, so it waits until the drag ends.
    let settled = DragState::from_context().hold(move || {
        // The curve varies α itself, so the heads' current widths are cleared to share its cache entry.
        let mut of = demonstration.filter_setting();
        for head in &mut of.heads {
            head.shape = HeadShape::Round(0.0);
        }
        of
    });
    let errors = client.ask(move || Some(ConvolutionErrors { of: settled.get() }));
    let now = Signal::derive(move || answer.with(|output| output.map(|output| output.error)));
    let curve = picture(move || ready(error_curve(&errors.get()?, now.get())));
    let profile = Signal::derive(move || answer.with(|output| output?.profile_difference));
    let caption = Signal::derive(move || {
        now.get().map_or(String::new(), |now| {
            error_words(now, demonstration) + &profile_words(now, profile.get())
        })
    });
    view! {
        <FigureCard
            spec=&FILTERED_IMAGE
            figure
            pull=pull_query(demonstration, pixel_at)
            caption
            query=answer
        >
            <HeadChannelChoice/>
        </FigureCard>
        <FigureCard
            spec=&CONVOLUTION_ERROR
            figure=curve
            partial=Signal::derive(move || errors.is_pending())
            query=errors
        />
        <WeightsTable/>
    }
}

/// Describes the difference, and its cause at the image's edge.
fn error_words(error: ErrorAtAlpha, demonstration: ImageDemonstration) -> String {
    let zeros = demonstration.filter_setting().padding == Padding::Zeros;
    let edge = match (zeros, error.inside) {
        (true, Some(inside)) => format!(
            " Softmax stays inside the image, so heads cannot attend to zeros beyond its edge; away from the edge the largest difference is {}.",
            number(inside)
        ),
        (true, None) => {
            " The kernel is as large as the image, so it reaches the edge from every pixel."
                .to_owned()
        }
        (false, _) => String::new(),
    };
    if error.greatest == 0.0 {
        return "Heads and convolution are identical to the last bit: each head attends to one pixel alone.".to_owned();
    }
    format!(
        "Largest difference: {} (convolution output spans {}).{edge}",
        number(error.greatest),
        number(error.range)
    )
}

/// Describes heads that blur alike: they are one convolution, though not that of the kernel.
fn profile_words(error: ErrorAtAlpha, profile_difference: Option<f64>) -> String {
    match profile_difference {
        Some(difference) if error.greatest > 1e-3 * error.range => format!(
            " All heads have one profile, so they still form one convolution: that of the image averaged by the profile (largest difference away from the edge: {}).",
            number(difference)
        ),
        _ => String::new(),
    }
}

/// Control of the channels of a head, for images in colour.
#[component]
fn HeadChannelChoice() -> impl IntoView {
    let demonstration = ImageDemonstration::from_context();
    let is_colour = Memo::new(move |_| demonstration.image.with(|image| image.channels > 1));
    let limits = HEAD_CHANNELS.map(|limit| (Some(limit), limit.to_string()));
    let choices = [(None, "as needed".to_owned())];
    let choices: Vec<_> = choices.into_iter().chain(limits).collect();
    let control = move || {
        view! {
            <Select
                label="Channels per head D_h"
                options=options(choices.clone())
                value=demonstration.select(|chosen| chosen.head_channels)
                set=move |limit| demonstration.choose(|chosen| chosen.head_channels = limit)
            />
        }
    };
    move || is_colour.get().then(&control)
}

/// Table of W⁽ʰ⁾ of every head, by Lemma 1.
#[component]
fn WeightsTable() -> impl IntoView {
    let demonstration = ImageDemonstration::from_context();
    let rows = move || {
        let kernel = demonstration.kernel();
        let count = demonstration.heads.with(Vec::len);
        let taps = demonstration.select(|chosen| chosen.taps).get();
        (0..count)
            .map(|head| view! { <WeightRow kernel=Arc::clone(&kernel) head taps/> })
            .collect_view()
    };
    view! {
        <details class="head-weights">
            <summary>"The weights of the heads (Lemma 1)"</summary>
            <p class="hint">
                "Head h maps its input by the matrix "
                <span class="formula" inner_html=formulas::HEAD_WEIGHTS.0></span>
                ", the entry of the kernel at the tap of the head. A single number means that number times the identity. Each row is a summand of the output: point at it, and the figures outline its head."
            </p>
            <div><table>
                <thead>
                    <tr>
                        <th scope="col">"head"</th>
                        <th scope="col">"centre (Δy, Δx)"</th>
                        <th scope="col">"its tap δ"</th>
                        <th scope="col">"W⁽ʰ⁾, from channel to channel"</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table></div>
        </details>
    }
}

#[component]
fn WeightRow(kernel: Arc<ConvolutionKernel>, head: usize, taps: TapSide) -> impl IntoView {
    let demonstration = ImageDemonstration::from_context();
    let centre = move || {
        let centre = demonstration
            .heads
            .with(|heads| heads.get(head).map(|head| head.centre));
        centre.map_or(String::new(), |(y, x)| {
            format!("({}, {})", number(y), number(x))
        })
    };
    let (tap, weights) = if head < kernel.taps() {
        let (dy, dx) = kernel.shift(head);
        let tap = format!("({}, {})", number(dy as f64), number(dx as f64));
        (tap, matrix_words(kernel.matrix(head), kernel.channels.1))
    } else {
        ("none".to_owned(), "0".to_owned())
    };
    let place = (head < kernel.taps()).then(|| taps.shift(kernel.shift(head)));
    let moved = move || {
        let centre = demonstration
            .heads
            .with(|heads| heads.get(head).map(|head| head.centre));
        let place = place.map(|(y, x)| (y as f64, x as f64));
        (place.is_some() && centre != place).then_some(" moved from its tap")
    };
    let highlighted_term = HighlightedTerm::from_context();
    let term = FormulaTerm::ImageHead(head);
    view! {
        <tr
            data-highlighted=move || highlighted_term.is(term).then_some("")
            on:pointermove=while_mounted(move |_: PointerEvent| highlighted_term.set(Some(term)))
            on:pointerleave=while_mounted(move |_: PointerEvent| highlighted_term.remove(term))
        >
            <th scope="row">
                <TermButton term>{head + 1}</TermButton>
            </th>
            <td>{centre}<span class="hint">{moved}</span></td>
            <td>{tap}</td>
            <td>{weights}</td>
        </tr>
    }
}

/// Formats a matrix in one line: values separated by spaces, rows by semicolons.
fn matrix_words(matrix: &[f64], columns: usize) -> String {
    let row = |row: &[f64]| {
        let numbers: Vec<String> = row.iter().map(|&value| number(value)).collect();
        numbers.join(" ")
    };
    let rows: Vec<String> = matrix.chunks(columns.max(1)).map(row).collect();
    rows.join("; ")
}
