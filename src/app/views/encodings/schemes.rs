//! Controls of the encodings: which are drawn, and their parameters.

use super::{
    parameter::{ParameterField, ParameterSlider},
    scheme_choice::SchemeChoice,
    scheme_parameters::{FACTOR, LENGTH, LENGTHS, SEED, TRAINED_LENGTH, parameters_of},
};
use crate::{
    analysis::{ExtensionKind, SCHEMES, Scheme, SchemeId, UntrainedValues},
    app::{
        controls::buttons::{SegmentedButtons, options},
        views::matrix_controls::CellsControl,
    },
    encoding::KerpleForm,
    figure::{Ink, scheme_ink},
};
use leptos::{either::EitherOf4, prelude::*};

/// Controls of all encodings.
#[component]
pub(super) fn SchemeControls() -> impl IntoView {
    let schemes = SchemeChoice::from_context();
    let untrained = schemes.select(|chosen| chosen.parameters.untrained_values);
    let rows = SCHEMES.iter().map(|scheme| view! { <SchemeRow scheme/> });
    view! {
        <section class="schemes" aria-label="Schemes">
            <h2>"Schemes"</h2>
            <p class="caption">"Click a scheme to show or hide it; open it for its formula and settings."</p>
            <ul>{rows.collect_view()}</ul>
            <ParameterSlider parameter=&LENGTH scale=LENGTHS/>
            <div class="controls"><CellsControl/></div>
            <p class="hint">"Example values"</p>
            <div class="untrained">
                <SegmentedButtons
                    label="Example values"
                    options=options([
                        (UntrainedValues::Steps, "row numbers"),
                        (UntrainedValues::Noise, "random"),
                    ])
                    value=untrained
                    set=move |untrained| schemes.change(|now| now.parameters.untrained_values = untrained)
                />
                <ParameterField parameter=&SEED/>
            </div>
        </section>
    }
}

/// Controls of one encoding: its name, which toggles it, and its unfolded parameters.
#[component]
fn SchemeRow(scheme: &'static Scheme) -> impl IntoView {
    let schemes = SchemeChoice::from_context();
    let which = scheme.which;
    let is_drawn = Memo::new(move |_| schemes.with(|chosen| chosen.drawn_schemes.contains(&which)));
    let open = Memo::new(move |_| schemes.with(|chosen| chosen.unfolded_schemes.contains(&which)));
    let id = format!("scheme-{}", scheme.id);
    let numbers = parameters_of(which)
        .iter()
        .map(|parameter| view! { <ParameterField parameter/> });
    let words = match which {
        SchemeId::T5 => EitherOf4::A(view! { <BucketDirections/> }),
        SchemeId::Rotary => EitherOf4::B(view! { <RotaryScaling/> }),
        SchemeId::Kerple => EitherOf4::C(view! { <KerpleForms/> }),
        _ => EitherOf4::D(()),
    };
    view! {
        <li class=scheme_class(which)>
            <header>
                <button
                    type="button"
                    class="name"
                    aria-pressed=move || is_drawn.get().to_string()
                    data-scheme=scheme.id
                    on:click=move |_| schemes.change(|chosen| chosen.toggle(which))
                >
                    <span class="swatch" aria-hidden="true"></span>
                    {scheme.title}
                </button>
                <button
                    type="button"
                    class="unfold"
                    aria-expanded=move || open.get().to_string()
                    aria-controls=id.clone()
                    aria-label=format!("About {}", scheme.title)
                    on:click=move |_| schemes.change(|chosen| chosen.unfold(which))
                >
                    <span aria-hidden="true">"▸"</span>
                </button>
            </header>
            <div id=id hidden=move || !open.get()>
                <p class="hint">{scheme.about}</p>
                {numbers.collect_view()}
                {words}
            </div>
        </li>
    }
}

/// Number of line colours, which schemes beyond it share.
const COLORS: usize = 8;

/// Returns the CSS class that gives an encoding its line colour.
fn scheme_class(which: SchemeId) -> String {
    match scheme_ink(which) {
        Ink::Category(at) => format!("scheme category-{}", at % COLORS),
        Ink::Muted => "scheme of-head".to_owned(),
        _ => "scheme".to_owned(),
    }
}

/// Control: whether T5's buckets distinguish keys before the query from keys after it.
#[component]
fn BucketDirections() -> impl IntoView {
    let schemes = SchemeChoice::from_context();
    let both = schemes.select(|chosen| chosen.parameters.buckets.is_bidirectional());
    let choose = move |both| {
        schemes.change(|chosen| {
            let buckets = chosen.parameters.buckets;
            let (count, farthest) = (buckets.count(), buckets.max_distance());
            chosen.parameters.set_buckets(count, farthest, both);
        });
    };
    view! {
        <SegmentedButtons
            label="T5’s directions"
            options=options([(true, "both directions"), (false, "back")])
            value=both
            set=choose
        />
    }
}

/// Control: how rotary angles are changed for longer texts.
#[component]
fn RotaryScaling() -> impl IntoView {
    let schemes = SchemeChoice::from_context();
    let kind = schemes.select(|chosen| chosen.parameters.extension_kind());
    let has_length =
        schemes.select(|chosen| chosen.parameters.extension.trained_length().is_some());
    let choose = move |kind| schemes.change(|chosen| chosen.parameters.set_extension_kind(kind));
    view! {
        <SegmentedButtons
            label="Rotary scaling"
            options=options([
                (ExtensionKind::None, "as trained"),
                (ExtensionKind::Linear, "linear"),
                (ExtensionKind::Ntk, "NTK"),
                (ExtensionKind::Yarn, "YaRN"),
                (ExtensionKind::Llama3, "Llama 3"),
            ])
            value=kind
            set=choose
        />
        <div hidden=move || kind.get() == ExtensionKind::None>
            <ParameterField parameter=&FACTOR/>
        </div>
        <div hidden=move || !has_length.get()>
            <ParameterField parameter=&TRAINED_LENGTH/>
        </div>
    }
}

/// Control: the form of KERPLE.
#[component]
fn KerpleForms() -> impl IntoView {
    let schemes = SchemeChoice::from_context();
    let form = schemes.select(|chosen| chosen.parameters.kerple.form);
    let choose = move |form| schemes.change(|chosen| chosen.parameters.set_kerple_form(form));
    view! {
        <SegmentedButtons
            label="KERPLE’s form"
            options=options([
                (KerpleForm::Logarithm, "logarithm"),
                (KerpleForm::Power, "power"),
            ])
            value=form
            set=choose
        />
    }
}
