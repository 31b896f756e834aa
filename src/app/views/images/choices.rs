//! Controls of the image and of the convolution kernel.

use super::demonstration::ImageDemonstration;
use crate::{
    analysis::{IMAGE_KERNELS, SAMPLES, SIDES, Sample, kernel_of, kernel_text},
    app::controls::{
        buttons::{SegmentedButtons, Select, options},
        while_mounted::while_mounted,
    },
    math::{Padding, TapSide},
    url_state::{LONGEST_KERNEL, SPACINGS, STRIDES},
};
use leptos::{
    ev::{Event, Targeted},
    prelude::*,
};
use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, HtmlTextAreaElement};

/// Controls of the image and its size.
#[component]
pub(super) fn ImageChoice() -> impl IntoView {
    let demonstration = ImageDemonstration::from_context();
    let samples = SAMPLES
        .iter()
        .map(|(sample, _, name)| (Some(*sample), *name));
    let own = demonstration.own.name;
    // The page's single file field also accepts images.
    let open = move || {
        let field = document().get_element_by_id("open-file");
        if let Some(field) = field.and_then(|field| field.dyn_into::<HtmlElement>().ok()) {
            field.click();
        }
    };
    let sample = demonstration.select(|chosen| chosen.sample);
    let missing = move || {
        let is_missing = sample.get().is_none() && own.get().is_none();
        is_missing.then_some(
            "This link refers to a local image that it does not contain. Choose the image again, or another one.",
        )
    };
    let name = move || {
        own.get()
            .map(|name| view! { <span class="hint">{name}</span> })
    };
    let choose = move |sample: Option<Sample>| {
        if sample.is_none() && own.get_untracked().is_none() {
            open();
        }
        demonstration.choose(|chosen| chosen.sample = sample);
    };
    view! {
        <div class="controls">
            <Select
                label="Image"
                options=options(samples.map(|(sample, name)| (sample, name.to_owned())).chain([(None, "Your own".to_owned())]))
                value=sample
                set=choose
            />
            <Select
                label="Image size (px)"
                options=options(SIDES.map(|side| (side, side.to_string())))
                value=demonstration.select(|chosen| chosen.side)
                set=move |side| demonstration.choose(|chosen| chosen.side = side)
            />
            <button type="button" on:click=move |_| open()>"Open an image"</button>
            {name}
            <span class="hint" role="status">{missing}</span>
        </div>
    }
}

/// Controls of the kernel: a named one, or one that is typed in.
#[component]
pub(super) fn KernelChoice() -> impl IntoView {
    let demonstration = ImageDemonstration::from_context();
    let text = demonstration.select(|chosen| chosen.kernel.clone());
    // Index in the list; the last entry is a typed kernel.
    let at = Memo::new(move |_| {
        let index = IMAGE_KERNELS
            .iter()
            .position(|kernel| text.with(|text| text == kernel.id));
        index.unwrap_or(IMAGE_KERNELS.len())
    });
    let names = IMAGE_KERNELS.iter().map(|kernel| kernel.title);
    let names = names.chain(["Custom (below)"]).enumerate();
    let written = Memo::new(move |_| {
        text.with(
            |text| match IMAGE_KERNELS.iter().find(|kernel| kernel.id == text) {
                Some(kernel) => kernel.text.to_owned(),
                None => text
                    .replace(';', "; ")
                    .replace(',', " ")
                    .replace('|', " / "),
            },
        )
    });
    let error: RwSignal<Option<String>> = RwSignal::new(None);
    let take = move |typed: String| {
        if typed.chars().count() > LONGEST_KERNEL {
            error.set(Some(format!("Write at most {LONGEST_KERNEL} characters.")));
            return;
        }
        match kernel_of(&typed) {
            Ok(_) => {
                error.set(None);
                demonstration.choose(|chosen| chosen.kernel = kernel_text(&typed));
            }
            Err(why) => error.set(Some(why)),
        }
    };
    let change = move |event: Targeted<Event, HtmlTextAreaElement>| take(event.target().value());
    let choose = move |at: usize| {
        error.set(None);
        if let Some(kernel) = IMAGE_KERNELS.get(at) {
            demonstration.choose(|chosen| chosen.kernel = kernel.id.to_owned());
        }
    };
    let message = move || error.get().or_else(|| demonstration.kernel_fault());
    let is_refused = move || message().is_some().then_some("true");
    view! {
        <div class="controls">
            <Select label="Kernel" options=options(names) value=at set=choose/>
        </div>
        <details class="written-out" open=move || message().is_some()>
            <summary>"Custom kernel, stride, padding"</summary>
            <label class="written">
                <span>"Its weights, row by row"</span>
                <textarea
                    rows="3"
                    spellcheck="false"
                    aria-invalid=is_refused
                    prop:value=written
                    on:change:target=while_mounted(change)
                ></textarea>
                <span class="allowed" aria-live="polite">{message}</span>
            </label>
            <div class="controls">
                <Select
                    label="Tap spacing"
                    options=options(SPACINGS.map(|spacing| (spacing, spacing.to_string())))
                    value=demonstration.select(|chosen| chosen.spacing)
                    set=move |spacing| demonstration.choose(|chosen| chosen.spacing = spacing)
                />
                <Select
                    label="Stride"
                    options=options(STRIDES.map(|stride| (stride, stride.to_string())))
                    value=demonstration.select(|chosen| chosen.stride)
                    set=move |stride| demonstration.choose(|chosen| chosen.stride = stride)
                />
            </div>
            <div class="controls">
                <span aria-hidden="true">"A tap at δ reads"</span>
                <SegmentedButtons
                    label="A tap at δ reads"
                    options=options([(TapSide::AsWritten, "q + δ"), (TapSide::Turned, "q − δ, as eq. 8")])
                    value=demonstration.select(|chosen| chosen.taps)
                    set=move |taps| demonstration.choose(|chosen| chosen.taps = taps)
                />
            </div>
            <div class="controls">
                <span aria-hidden="true">"Padding"</span>
                <SegmentedButtons
                    label="Padding"
                    options=options([(Padding::Edge, "edge pixels"), (Padding::Zeros, "zeros")])
                    value=demonstration.select(|chosen| chosen.padding)
                    set=move |padding| demonstration.choose(|chosen| chosen.padding = padding)
                />
            </div>
        </details>
    }
}
