//! Meter of the bytes read from the open model file. Only the parts that figures need are read.

use crate::app::state::ModelList;
use leptos::prelude::*;

/// Formats bytes as megabytes (10⁶ bytes) with one decimal.
fn megabytes(bytes: u64) -> String {
    format!("{:.1}", bytes as f64 / 1e6)
}

/// Progress bar and text: bytes read of the open model's files.
#[component]
pub(in crate::app) fn Meter() -> impl IntoView {
    let models = ModelList::from_context();
    let read = Memo::new(move |_| {
        let open = models.open.get()?;
        models.entries.with(|entries| {
            entries
                .iter()
                .find(|item| item.version == Some(open))?
                .bytes_read
        })
    });
    let label = move || {
        read.get().map_or(String::new(), |(read, size)| {
            format!("read {} of {} MB", megabytes(read), megabytes(size))
        })
    };
    view! {
        <div class="meter" hidden=move || read.get().is_none()>
            <progress
                aria-labelledby="meter"
                max=move || read.get().map_or(1, |(_, size)| size).to_string()
                value=move || read.get().map_or(0, |(read, _)| read).to_string()
            ></progress>
            <span id="meter">{label}</span>
        </div>
    }
}
