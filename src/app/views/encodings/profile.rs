//! Every scheme on one k axis.

use super::chosen::Chosen;
use crate::{
    analysis::{Cells, Given, encoding_profiles, scheme_of},
    app::{
        answers::Answers,
        controls::Options,
        dynamic::{count, memo, picture, text},
        figure_card::FigureCard,
        figure_view::AnyFigure,
        readout::Reading,
        state::State,
    },
    encoding::Kernels,
    figure::{Cursor, EncodingProfiles},
    link::{Link, encodings::EncodingsChoice},
};
use leptos::prelude::*;
use std::sync::Arc;

/// Offsets to either side that are shown unless all are asked for.
const REACH: f64 = 40.5;

/// The figure, made anew when what it is made from changes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Profile {
    chosen: Chosen,
    figure: Memo<Option<Arc<EncodingProfiles>>>,
}

/// What the profiles depend on, of all that is in the link.
fn wanted(link: &Link) -> (EncodingsChoice, Kernels, Cells) {
    let mut chosen = link.encodings.get().chosen.clone();
    let rest = EncodingsChoice::default();
    chosen.parameters.sinusoid.rows = rest.parameters.sinusoid.rows;
    (chosen.open_lines, chosen.phasors) = (rest.open_lines, rest.phasors);
    (chosen, link.kernels.kernels.clone(), link.heads.cells)
}

impl Profile {
    pub(super) fn new(state: State, chosen: Chosen) -> Self {
        let answers = expect_context::<Answers>();
        let wanted = state.part(wanted);
        let figure = memo(Box::new(move |_| {
            let (chosen, kernels, cells) = wanted.get();
            let (positions, head) = (answers.positions.get(), answers.head.get());
            let summary = state.summary();
            let open = positions.as_ref().zip(summary.as_ref());
            let given = Given {
                kernels: &kernels,
                open: open.map(|(positions, summary)| {
                    let which = scheme_of(&summary.family, summary.kind);
                    (which, &positions.fit.f)
                }),
                head: head.as_ref().map(|(_, detail)| &detail.fit.f),
            };
            let edge = chosen.parameters.n as f64 - 0.5;
            let reach = if chosen.all { edge } else { edge.min(REACH) };
            let ahead = match cells {
                Cells::Whole => reach,
                Cells::Causal => 0.5,
            };
            let figure = EncodingProfiles {
                profiles: encoding_profiles(chosen.shown, &chosen.parameters, &given),
                open: summary.map_or(String::new(), |summary| summary.name.clone()),
                offsets: (-reach, ahead),
                together: chosen.together,
            };
            (Some(Arc::new(figure)), true)
        }));
        Self { chosen, figure }
    }

    /// What the schemes say at the cursor.
    pub(super) fn readings(self, cursor: Cursor) -> Vec<Reading> {
        let Some(figure) = self.figure.get() else {
            return Vec::new();
        };
        let profiles = figure.profiles.iter();
        profiles
            .map(|profile| {
                let value = cursor.offset().and_then(|k| profile.at(k));
                (profile.scheme.title, value)
            })
            .collect()
    }

    pub(super) fn view(self) -> AnyView {
        let Self { chosen, figure } = self;
        let positions = count(move || chosen.get().parameters.n);
        let shown = picture(move || {
            let figure = figure.get()?;
            // Without a scheme there is nothing to draw.
            (!figure.profiles.is_empty()).then_some(figure as AnyFigure)
        });
        let offsets = Options::new(
            [(false, "near zero"), (true, "all offsets")],
            move || chosen.get().all,
            move |all| chosen.edit(|now| now.all = all),
        );
        let together = Options::new(
            [(false, "a strip each"), (true, "over one another")],
            move || chosen.get().together,
            move |together| chosen.edit(|now| now.together = together),
        );
        let caption = text(move || {
            if chosen.get().together {
                "Each moved to 0 at k = 0 and divided by its range over the offsets shown: softmax sees no \
                 constant, and a factor only makes it sharper. Where a line is highest, that scheme has a head look."
            } else {
                "What each scheme adds to a score by how far the key lies from the query, in units of its own: \
                 some fall, some clip, some come back."
            }
            .to_owned()
        });
        FigureCard::new("encoding-profile", shown)
            .caption(caption)
            .cursor(positions)
            .controls(vec![
                offsets.segmented("Offsets"),
                together.segmented("Arrangement"),
            ])
            .empty("No scheme is chosen, or none that is there.")
            .view()
    }
}
