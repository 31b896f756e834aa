//! Profiles of all encodings on one offset axis.

use super::scheme_choice::SchemeChoice;
use crate::{
    analysis::{
        HeadOverview, PositionOverview, ProfileInputs, SchemeId, encoding_profiles, scheme_of,
    },
    app::{
        controls::{
            buttons::{SegmentedButtons, options},
            drag::FrozenScale,
        },
        figure::{
            card::FigureCard,
            readout::Reading,
            view::{AnyFigure, picture},
        },
        query_client::{Query, QueryClient, QueryStatus},
        state::PageState,
    },
    encoding::Kernels,
    figure::{Cursor, EncodingProfiles, StackedPlot},
    figure_spec::encodings::ENCODING_PROFILE,
    url_state::{Link, encodings::EncodingsChoice},
};
use leptos::prelude::*;
use std::sync::Arc;

/// The profiles of the chosen encodings, for the figure and for the cursor readout.
#[derive(Clone, Copy)]
pub(super) struct SchemeProfiles {
    figure: Memo<Arc<EncodingProfiles>>,
    of_positions: Query<PositionOverview>,
    of_head: Query<HeadOverview>,
}

impl SchemeProfiles {
    /// Queries the open model and head if they are drawn, and recomputes the profiles when their inputs change.
    pub(super) fn ask(state: PageState, schemes: SchemeChoice) -> Self {
        let PageState {
            url,
            models,
            open_head,
            ..
        } = state;
        let client = QueryClient::from_context();
        let similarity = url.select(|link| link.positions.similarity);
        let scheme_of_open = Memo::new(move |_| {
            let summary = models.summary()?;
            Some(scheme_of(&summary.family, summary.kind))
        });
        let draws_open = Memo::new(move |_| {
            let open = scheme_of_open.get();
            open.is_some_and(|open| schemes.with(|chosen| chosen.drawn_schemes.contains(&open)))
        });
        let of_positions = client.ask(move || {
            let of = draws_open.get().then(|| models.open.get()).flatten()?;
            let similarity = similarity.get();
            Some(PositionOverview { of, similarity })
        });
        let draws_head = schemes.select(|chosen| chosen.drawn_schemes.contains(&SchemeId::Head));
        let of_head = client.ask(move || {
            let of = draws_head.get().then(|| open_head.get()).flatten()?;
            Some(HeadOverview { of })
        });
        let inputs = url.select(made_from);
        let scale = FrozenScale::new();
        let figure = Memo::new_with_compare(
            move |_| {
                let (chosen, kernels) = inputs.get();
                let (positions, head) = (of_positions.get(), of_head.get());
                let given = ProfileInputs {
                    kernels: &kernels,
                    open: scheme_of_open
                        .get()
                        .zip(positions.as_ref().map(|summary| &summary.fit.f)),
                    head: head.as_ref().map(|head| &head.fit.f),
                };
                let figure = EncodingProfiles {
                    profiles: encoding_profiles(chosen.drawn_schemes, &chosen.parameters, &given),
                    open: models
                        .summary()
                        .map_or(String::new(), |open| open.name.clone()),
                    head: of_head
                        .get_with_question()
                        .map(|(question, _)| (question.of.layer + 1, question.of.head + 1)),
                    offsets: EncodingProfiles::shown_offsets(
                        chosen.parameters.n,
                        chosen.all,
                        open_head.cells(),
                    ),
                    together: chosen.together,
                    fixed_ranges: scale.frozen_scale().unwrap_or_default(),
                    strip_height: StackedPlot::STRIP_HEIGHT,
                };
                scale.keep(figure.ranges());
                Arc::new(figure)
            },
            // Not compared: each recomputation counts as a change.
            |_, _| true,
        );
        Self {
            figure,
            of_positions,
            of_head,
        }
    }

    /// Returns the profiles' values at the cursor.
    pub(super) fn readings(self, cursor: Option<Cursor>) -> Vec<Reading> {
        let offset = cursor.and_then(Cursor::offset);
        self.figure.with(|figure| {
            let profiles = figure.profiles.iter();
            profiles
                .map(|profile| (profile.scheme.title, offset.and_then(|k| profile.at(k))))
                .collect()
        })
    }

    /// Whether a profile of the open model or head is still pending.
    fn is_pending(self) -> bool {
        self.of_positions.is_pending() || self.of_head.is_pending()
    }

    /// Returns the status to display without any profile.
    fn status(self) -> QueryStatus {
        self.of_positions.status().or_else(|| self.of_head.status())
    }
}

/// Returns the part of the link that the profiles depend on; other fields are set to their defaults.
fn made_from(link: &Link) -> (EncodingsChoice, Kernels) {
    let mut chosen = link.encodings.choice.clone();
    let other = EncodingsChoice::default();
    chosen.parameters.sinusoid.rows = other.parameters.sinusoid.rows;
    (chosen.open_lines, chosen.phasors) = (other.open_lines, other.phasors);
    (chosen.distances, chosen.unfolded_schemes) = (other.distances, other.unfolded_schemes);
    (chosen, link.kernels.kernels.clone())
}

/// Figure: the profiles as small multiples or overlaid.
#[component]
pub(super) fn EncodingProfileCard(
    /// The profiles to draw.
    profiles: SchemeProfiles,
) -> impl IntoView {
    let schemes = SchemeChoice::from_context();
    let all = schemes.select(|chosen| chosen.all);
    let together = schemes.select(|chosen| chosen.together);
    let positions = schemes.select(|chosen| chosen.parameters.n);
    let figure = picture(move || {
        let figure = profiles.figure.get();
        // Without a scheme there is nothing to draw.
        (!figure.profiles.is_empty()).then_some(figure as AnyFigure)
    });
    let caption = Signal::derive(move || {
        let caption = if together.get() {
            "Each line is shifted to 0 at k = 0 and divided by its range over the offsets shown. Softmax ignores the shift; the factor decides how sharp attention is. By position alone, a head attends most to the offset where its line is highest."
        } else {
            "The score that each scheme assigns to an offset, each on its own scale. Some decay, some saturate, some oscillate."
        };
        format!(
            "{caption}{}",
            profiles.figure.with(|figure| figure.line_words())
        )
    });
    view! {
        <FigureCard
            spec=&ENCODING_PROFILE
            figure
            caption
            positions
            partial=Signal::derive(move || profiles.is_pending())
            query=Signal::derive(move || profiles.status())
        >
            <SegmentedButtons
                label="Offsets"
                options=options([(false, "near zero"), (true, "all offsets")])
                value=all
                set=move |all| schemes.change(|chosen| chosen.all = all)
            />
            <SegmentedButtons
                label="Arrangement"
                options=options([(false, "small multiples"), (true, "overlaid")])
                value=together
                set=move |together| schemes.change(|chosen| chosen.together = together)
            />
        </FigureCard>
    }
}
