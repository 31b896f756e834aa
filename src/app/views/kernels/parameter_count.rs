//! How many numbers positions cost: of the open model or of a size typed in, and the paper's Table 2.

use super::ready;
use crate::{
    analysis::parameter_count::{
        ModelSize, SIZE_PARTS, TABLE_2_METHODS, TABLE_2_MODELS, count_method,
    },
    app::{
        controls::{Options, number_field},
        dynamic::{list, memo, picture, text, value},
        figure_card::FigureCard,
        formulas,
        state::State,
    },
    figure::{Counts, grouped},
    link::Link,
};
use leptos::prelude::*;

/// What is counted: a name, a size, and what of the size the open model does not say.
type Counted = (String, ModelSize, &'static str);

/// The figure, and Table 2 beside it.
pub(super) fn parameter_count() -> AnyView {
    let state = expect_context::<State>();
    let counted: Memo<Counted> = memo(Box::new(move |before| {
        let now = counted(state);
        let changed = before.is_none_or(|before| before != now);
        (now, changed)
    }));
    let figure = picture(move || {
        let (name, size, _) = counted.get();
        ready(Counts::of_parameters(&name, &size))
    });
    let caption = text(move || {
        let (name, size, assumed) = counted.get();
        let [s, n, d, l, h] = size.parts();
        format!(
            "What positions cost {name}: S = {s} kernels, n = {n} positions, width d = {d}, L = {l} layers, H = {h} heads.{assumed} The axis is logarithmic."
        )
    });
    let typed = move || state.link.with(|link| parts_of(link).len() > 1);
    let source = Options::new(
        [(false, "open model"), (true, "typed in")],
        typed,
        move |typed| {
            let parts = counted.get_untracked().1.parts();
            let kept = if typed { 5 } else { usize::from(parts[0] != 5) };
            let kept = parts[..kept].to_vec();
            state
                .link
                .update(|link| link.kernel_questions.change(|asked| asked.count = kept));
        },
    );
    let fields = SIZE_PARTS.iter().enumerate().map(|(at, (_, name, most))| {
        let shown = value(move || counted.with(|(_, size, _)| size.parts()[at] as f64));
        number_field(name, shown, 1.0, *most as f64, move |typed| {
            let mut parts = counted.get_untracked().1.parts();
            parts[at] = typed as u64;
            // S is no part of a model; any other number typed makes a size of one's own.
            state.link.update(|link| {
                let kept = if at == 0 && parts_of(link).len() <= 1 {
                    1
                } else {
                    5
                };
                let kept = parts[..kept].to_vec();
                link.kernel_questions.change(|asked| asked.count = kept);
            });
        })
    });
    let mut controls = vec![source.segmented("Size of")];
    controls.extend(fields);
    let card = FigureCard::new("parameter-count", figure)
        .caption(caption)
        .formula(formulas::KERNEL_PARAMETERS)
        .controls(controls)
        .view();
    view! { <div class="parameter-count">{card} {table_2()}</div> }.into_any()
}

/// What a link counts for.
fn parts_of(link: &Link) -> Vec<u64> {
    link.kernel_questions.get().count.clone()
}

/// As typed, or as the open model has it; what it does not have is BERT-base's.
fn counted(state: State) -> Counted {
    let parts = state.link.with(parts_of);
    if let [s, n, d, l, h] = parts[..] {
        let size = ModelSize::from_parts([s, n, d, l, h]);
        return ("a model of the size typed in".to_owned(), size, "");
    }
    let assumed = ModelSize::BERT_BASE;
    let kernels = parts.first().copied().unwrap_or(assumed.kernels);
    let Some(summary) = state.summary() else {
        let size = ModelSize { kernels, ..assumed };
        return (
            "BERT-base".to_owned(),
            size,
            " No model is open, so it stands in.",
        );
    };
    let (layers, width) = (summary.layers as u64, summary.width as u64);
    let heads = summary.heads.map(|(heads, _)| u64::from(heads));
    let whole = layers > 0 && width > 0 && heads.is_some();
    let or = |part: u64, else_: u64| if part > 0 { part } else { else_ };
    let size = ModelSize::from_parts([
        kernels,
        summary.rows as u64,
        or(width, assumed.width),
        or(layers, assumed.layers),
        or(heads.unwrap_or(0), assumed.heads),
    ]);
    (
        summary.name.clone(),
        size,
        if whole {
            ""
        } else {
            " What the open table does not say of these is taken from BERT-base."
        },
    )
}

/// The paper's Table 2, counted anew.
fn table_2() -> AnyView {
    let methods = || TABLE_2_METHODS.iter().filter_map(|id| count_method(id));
    let head = methods().map(|method| {
        view! {
            <th scope="col">{method.name}<span class="about">{method.formula}</span></th>
        }
        .into_any()
    });
    let rows = TABLE_2_MODELS.iter().map(|(model, size)| {
        let [_, n, d, ..] = size.parts();
        let cells = methods()
            .map(|method| view! { <td>{grouped(method.count(size))}</td> }.into_any());
        view! {
            <tr>
                <th scope="row">{*model}<span class="about">{format!("n = {n}, d = {d}")}</span></th>
                {list(cells)}
            </tr>
        }
        .into_any()
    });
    view! {
        <section class="published" aria-label="Table 2 of the TISA paper">
            <table>
                <caption>"Table 2 of the TISA paper, counted anew: S = 5 kernels for each of 12 heads in 12 layers."</caption>
                <thead><tr><td></td>{list(head)}</tr></thead>
                <tbody>{list(rows)}</tbody>
            </table>
        </section>
    }
    .into_any()
}
