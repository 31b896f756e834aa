//! The positions view: similarity of all pairs of positions, and how much of it depends on their offset alone.

use super::{
    block_value_range::CellsBehind,
    matrix_controls::{LinkedSegmentedButtons, LinkedWindow, MatrixLook, ZoomControls, navigation},
    matrix_transition::{MATRIX_TRANSITION, MatrixTransition},
    position_answers::PositionAnswers,
    position_details::{GRID_PROFILE_SECTION, GridOfPositions, TABLE_FIGURES},
    profiles::{DEVIATIONS_AT_ONCE, grid_readings, offsets_under, profile},
    rotary::{FINDINGS, ROTARY_ANGLES},
};
use crate::{
    analysis::{
        MatrixId, MatrixPart, PositionKind, PositionSummary, SEAM_NOTE, Similarity,
        UNTRAINED_ROWS_NOTE, leading_scope,
    },
    app::{
        figure::{
            card::FigureCard,
            matrix_source::{MatrixSource, ShownMatrix},
            readout::{POSITIONS, QUERY_AND_KEY, Readout},
            view::{FigureView, STAND_IN, picture, ready},
        },
        lazy::Lazy,
        state::{ModelList, PageState, UrlState},
    },
    figure::{
        ALL_TOEPLITZ, Cursor, Heatmap, chance_words, headline_number, headline_words,
        is_all_toeplitz, score_bars,
    },
    figure_spec::formulas,
    figure_spec::positions::{OFFSET_PROFILE, POSITION_MATRIX, TOEPLITZ_SCORES},
    math::{AttentionMask, OffsetR2},
};
use leptos::prelude::*;
use std::sync::Arc;

/// Caption of the placeholder of a preset's matrix.
const STANDS_IN: &str = "This is a sinusoidal table until the model’s own is loaded:";

/// The positions view.
#[component]
pub(in crate::app) fn PositionsView() -> impl IntoView {
    let state = PageState::from_context();
    let PageState { url, models, .. } = state;
    let answers = PositionAnswers::ask(state);
    let n = Memo::new(move |_| answers.summary().map_or(0, |summary| summary.fit.f.n()));
    let positions: Signal<usize> = n.into();
    let kind = Memo::new(move |_| models.kind());
    let has_rotation = Memo::new(move |_| models.has_rotation());
    let read = move |cursor: Option<Cursor>| {
        let tile = answers.matrix.displayed_tile();
        let value = cursor.and_then(Cursor::cell).zip(tile.as_ref());
        let value = value.and_then(|((i, j), tile)| tile.at(i, j).map(f64::from));
        let exact = tile.is_none_or(|tile| tile.is_exact());
        let similarity = url.link.with(|link| link.positions.similarity);
        let name = match (kind.get().is_relative(), similarity, exact) {
            (true, _, true) => "score",
            (true, _, false) => "score, block mean",
            (false, Similarity::InnerProduct, true) => "P",
            (false, Similarity::InnerProduct, false) => "P, block mean",
            (false, Similarity::Cosine, true) => "cosine",
            (false, Similarity::Cosine, false) => "cosine, block mean",
        };
        let summary = answers.summary();
        let offset = cursor.and_then(Cursor::offset);
        let f = summary.as_ref().zip(offset);
        let f = f.and_then(|(summary, k)| summary.fit.f.at(k));
        let grid = summary.and_then(|summary| Some(summary.grid_fit.as_ref()?.grid));
        let mut readings = vec![(name, value), ("f(k)", f)];
        readings.extend(grid_readings(grid, cursor));
        readings
    };
    let cell_names = Signal::derive(move || match kind.get().is_relative() {
        true => QUERY_AND_KEY,
        false => POSITIONS,
    });
    let by_grid = Signal::derive(move || answers.summary()?.grid_fit.clone());
    provide_context(GridOfPositions(by_grid));
    let is_at_hand =
        move || models.open.get().is_some() || url.link.with(|link| link.model.is_computed());
    view! {
        <div class="view positions">
            <div class="column">
                <PositionMatrix answers positions kind/>
                // For image models the two-dimensional profile comes first.
                <Show when=move || by_grid.with(Option::is_some)>
                    <Lazy part=GRID_PROFILE_SECTION inline=true/>
                </Show>
                <OffsetProfile answers positions/>
                <Show when=move || has_rotation.get()>
                    <Lazy part=ROTARY_ANGLES inline=true/>
                </Show>
                <Show when=move || matches!(kind.get(), PositionKind::Rotary | PositionKind::Patches)>
                    <Lazy part=FINDINGS inline=true/>
                </Show>
            </div>
            <div class="column">
                <Headline answers/>
                <ToeplitzScores answers/>
                <BreakNotes answers/>
                <Readout read cell_names/>
                // Loaded only when a table is available or computed, so as not to delay it.
                <Show when=is_at_hand>
                    <Lazy part=TABLE_FIGURES inline=true/>
                </Show>
            </div>
        </div>
    }
}

#[component]
fn PositionMatrix(
    answers: PositionAnswers,
    positions: Signal<usize>,
    kind: Memo<PositionKind>,
) -> impl IntoView {
    let url = UrlState::from_context();
    let models = ModelList::from_context();
    let relative = Memo::new(move |_| kind.get().is_relative());
    let stand_in = move || answers.stand_in.with(Option::is_some);
    let caption = Signal::derive(move || {
        if stand_in() {
            return STANDS_IN.to_owned();
        }
        let part = url.link.with(|link| link.positions.part);
        let is_cosine = url.link.with(|link| link.positions.similarity) == Similarity::Cosine;
        let unit = match models.summary() {
            Some(summary) if !is_cosine => summary.scale_words(),
            _ => String::new(),
        };
        let words = match (part, relative.get()) {
            (MatrixPart::Whole, true) => {
                "The score that positions add for each query and key, averaged over the heads of the first layer."
            }
            (MatrixPart::Toeplitz, true) => {
                "Every diagonal is replaced by its mean, the part that the offset alone explains."
            }
            (MatrixPart::Residual, true) => {
                "The rest, after the mean of each diagonal is subtracted."
            }
            (MatrixPart::Whole, false) => {
                "Diagonal stripes mean that only the offset j − i matters:"
            }
            (MatrixPart::Toeplitz, false) => {
                "Every diagonal is replaced by its mean, the part of this matrix that the offset alone explains:"
            }
            (MatrixPart::Residual, false) => {
                "The rest of this matrix, after the mean of each diagonal is subtracted:"
            }
        };
        format!("{unit}{words}")
    });
    let formula = Signal::derive(move || {
        let similarity = url.link.with(|link| link.positions.similarity);
        match (relative.get(), similarity) {
            (true, _) => formulas::NONE,
            (false, Similarity::InnerProduct) => formulas::INNER_PRODUCT,
            (false, Similarity::Cosine) => formulas::COSINE,
        }
    });
    let matrix = MatrixSource::new(move || {
        let (model, n) = (models.open.get()?, positions.get());
        let of = |link: &crate::url_state::Link| {
            let (similarity, part) = (link.positions.similarity, link.positions.part);
            ShownMatrix {
                of: MatrixId::Positions(model, similarity, part),
                size: (n, n),
                window: link.matrices.window.clone(),
            }
        };
        Some(url.link.with(of))
    });
    let cells_behind = CellsBehind::ask(matrix.clone(), move || answers.matrix.displayed_tile());
    let look = url.select(|link| (link.matrices.map, link.matrices.clip));
    let figure = picture(move || {
        let (map, clip) = look.get();
        let matrix = Heatmap::matrix(answers.matrix.displayed_tile()?, map, clip);
        let matrix = if relative.get() {
            matrix
        } else {
            matrix.of_positions().with_row_marks(models.row_marks())
        };
        ready(matrix.with_cells(cells_behind.range()))
    });
    let transition = MatrixTransition {
        answers,
        figure,
        frame: RwSignal::new(None),
    };
    provide_context(transition);
    let painted = Signal::derive(move || transition.frame.get().or_else(|| figure.get()));
    let status = Signal::derive(move || answers.matrix.status());
    let partial = Signal::derive(move || answers.matrix.is_partial());
    // The title depends on the kind of model, so the card is rebuilt when that changes.
    let card = move |relative: bool| {
        let (navigation, pull) = navigation(positions, LinkedWindow::OF_MATRICES);
        let title = relative.then_some("What positions add to a score");
        view! {
            <FigureCard
                spec=&POSITION_MATRIX
                figure
                painted
                title
                caption
                formula
                positions
                matrix=matrix.clone()
                pull
                navigation
                above=view! {
                    <PlaceholderMatrix of=answers.stand_in/>
                    // Loaded only with an open model, so as not to delay its table.
                    <Show when=move || models.open.get().is_some()>
                        <Lazy part=MATRIX_TRANSITION inline=true/>
                    </Show>
                }.into_any()
                resolution=answers.matrix.resolution
                partial
                query=status
            >
                <Show when=move || !relative>
                    <LinkedSegmentedButtons
                        label="Similarity"
                        choices=[(Similarity::InnerProduct, "inner product"), (Similarity::Cosine, "cosine")]
                        get=|link| link.positions.similarity
                        set=|link, similarity| link.positions.similarity = similarity
                    />
                </Show>
                <LinkedSegmentedButtons
                    label="Part"
                    choices=[
                        (MatrixPart::Whole, "full matrix"),
                        (MatrixPart::Toeplitz, "Toeplitz part"),
                        (MatrixPart::Residual, "residual"),
                    ]
                    get=|link| link.positions.part
                    set=|link, part| link.positions.part = part
                />
                <ZoomControls positions window=LinkedWindow::OF_MATRICES/>
                <MatrixLook/>
            </FigureCard>
        }
    };
    move || card(relative.get())
}

/// Placeholder matrix of another table. It has no cursor readout and no export.
#[component]
fn PlaceholderMatrix(of: Memo<Option<Arc<PositionSummary>>>) -> impl IntoView {
    let look = UrlState::from_context().select(|link| (link.matrices.map, link.matrices.clip));
    let figure = picture(move || {
        let (map, clip) = look.get();
        let matrix = Heatmap::matrix(Arc::new(of.get()?.tile.clone()), map, clip);
        ready(matrix.of_positions())
    });
    view! {
        <div class="stand-in" hidden=move || of.with(Option::is_none)>
            <FigureView id=STAND_IN figure label="The matrix of a sinusoidal table"/>
        </div>
    }
}

#[component]
fn OffsetProfile(answers: PositionAnswers, positions: Signal<usize>) -> impl IntoView {
    let url = UrlState::from_context();
    let models = ModelList::from_context();
    let all = url.select(|link| link.positions.all_offsets);
    let window = url.select(|link| link.matrices.window.clone());
    let similarity = url.select(|link| link.positions.similarity);
    let figure = picture(move || {
        let summary = answers.summary()?;
        let n = summary.fit.f.n();
        let deviations = answers.deviations();
        if deviations.is_none() && n <= DEVIATIONS_AT_ONCE {
            return None;
        }
        let offsets = if all.get() {
            (0.5 - n as f64, n as f64 - 0.5)
        } else {
            offsets_under(window.get(), n)
        };
        let deviations = deviations.as_deref().filter(|d| d.n() == n);
        let vertical = match similarity.get() {
            _ if models.kind().is_relative() => "mean score",
            Similarity::InnerProduct => "mean inner product",
            Similarity::Cosine => "mean cosine",
        };
        let (f, cells) = (&summary.fit.f, AttentionMask::Whole);
        ready(profile(vertical, f, deviations, offsets, cells))
    });
    let caption = Signal::derive(move || {
        let on_grid = answers
            .summary()
            .is_some_and(|summary| summary.grid_fit.is_some());
        let raster = if on_grid {
            "Patches are read row by row. "
        } else {
            ""
        };
        format!(
            "{raster}The mean of every diagonal, shaded by its standard deviation. A narrow band relative to the line’s range means close to Toeplitz:"
        )
    });
    let status = Signal::derive(move || {
        answers
            .overview
            .status()
            .or_else(|| answers.deviations.status())
    });
    view! {
        <FigureCard
            spec=&OFFSET_PROFILE
            figure
            caption
            positions
            query=status
        >
            <LinkedSegmentedButtons
                label="Offsets"
                choices=[(false, "as in the matrix"), (true, "all offsets")]
                get=|link| link.positions.all_offsets
                set=|link, all| link.positions.all_offsets = all
            />
        </FigureCard>
    }
}

/// R² of the leading scope, with the R² over all cells and a comparison with chance.
#[component]
fn Headline(answers: PositionAnswers) -> impl IntoView {
    let scope = Memo::new(move |_| leading_scope(&answers.summary()?.scopes).cloned());
    let number = move |of: fn(OffsetR2) -> f64| {
        scope.with(|scope| {
            let scope = scope.as_ref();
            scope.map_or(String::new(), |scope| headline_number(of(scope.r2)))
        })
    };
    let chance = move || scope.with(|scope| scope.as_ref().and_then(chance_words));
    view! {
        <div class="headline">
            <p>
                <span class="value" data-r2="off-diagonal">{move || number(|r2| r2.off_diagonal)}</span>
                <a class="term" href="#notation" data-opens="notation">{move || scope.with(|scope| headline_words(scope.as_ref()))}</a>
            </p>
            <p class="beside" hidden=move || scope.with(Option::is_none)>
                <span class="beside-value" data-r2="whole">{move || number(|r2| r2.all)}</span>
                " with k = 0 included. "
                {chance}
            </p>
        </div>
    }
}

/// The model's notes on seams and untrained rows of its table. Placed below the R² bars, so that their arrival does not
/// move them.
#[component]
fn BreakNotes(answers: PositionAnswers) -> impl IntoView {
    let models = ModelList::from_context();
    let text = Memo::new(move |_| {
        // Hidden until the R² bars above are available.
        answers.summary()?;
        let summary = models.summary()?;
        let notes = summary.notes.iter();
        let notes = notes.filter(|note| [SEAM_NOTE, UNTRAINED_ROWS_NOTE].contains(&&*note.title));
        let texts: Vec<&str> = notes.map(|note| &*note.text).collect();
        (!texts.is_empty()).then(|| texts.join(" "))
    });
    view! { <p class="hint seam" hidden=move || text.with(Option::is_none)>{text}</p> }
}

#[component]
fn ToeplitzScores(answers: PositionAnswers) -> impl IntoView {
    let figure = picture(move || ready(score_bars(answers.summary()?.as_ref())));
    let caption = Signal::derive(move || {
        match answers.summary() {
            Some(summary) if is_all_toeplitz(&summary) => ALL_TOEPLITZ,
            _ => "R² is the share of the variance that the offset alone explains, without k = 0: of the full matrix, of its first rows, and of blocks on the diagonal.",
        }
        .to_owned()
    });
    view! {
        <FigureCard
            spec=&TOEPLITZ_SCORES
            figure
            caption
            query=answers.overview
        />
    }
}
