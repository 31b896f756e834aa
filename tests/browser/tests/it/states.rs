//! Copied links restore the visible state. Rich states of every view are copied, opened in a fresh page, and compared:
//! every figure by its picture, caption and summary, every field, switch and fold.

use browser::visible_state::Do::{self, Choose, Press, Pull, Select, Type, Wait};
use browser::{Page, Result, scenarios};

scenarios! {
    in_chromium: [
        positions_and_heads_come_back,
        kernels_come_back,
        encodings_come_back,
        compared_models_come_back,
    ],
}

/// A state: its name, the address to begin with, and actions.
type State = (&'static str, &'static str, &'static [Do]);

fn come_back(page: &Page, states: &[State]) -> Result {
    for (what, query, done) in states {
        page.load(query)?;
        for one in *done {
            page.act(*one).map_err(|error| format!("{what}: {error}"))?;
        }
        page.copied_and_opened(what)?;
    }
    Ok(())
}

fn positions_and_heads_come_back(page: &Page) -> Result {
    come_back(
        page,
        &[
            (
                "the residual of cosines",
                "",
                &[
                    Choose("Similarity", "cosine"),
                    Choose("Part", "residual"),
                    Choose("Zoom", "+"),
                    Choose("Offsets", "all offsets"),
                    Select("Range", "all values"),
                    Press("#offset-profile .numbers summary"),
                ],
            ),
            (
                "a random table from other numbers",
                "?model=random",
                &[
                    Type("input[aria-label='rows n']", "96"),
                    Type("input[aria-label='seed']", "7"),
                    Wait(
                        "document.querySelector('[data-model=random]').textContent.includes('96 ×')",
                    ),
                    Press("#toeplitz-scores .numbers summary"),
                    Press("#position-table .numbers summary"),
                ],
            ),
            (
                "what was done to a model, and what that does",
                "?model=minilm-l6",
                &[
                    Press("#notes"),
                    Press("#effects"),
                    Wait("/with, .* without/.test(document.querySelector('.notes')?.textContent)"),
                ],
            ),
            (
                "heads with LayerNorm and biases, by R²",
                "?view=heads&model=minilm-l6",
                &[
                    Choose("Scores", "with LayerNorm and biases"),
                    Choose("Order", "by R²"),
                    Press("button[data-head='2-5']"),
                    Press("#head-sections .numbers summary"),
                    Choose("Zoom", "+"),
                ],
            ),
            (
                "a head that looks back",
                "?view=heads&model=minilm-l6",
                &[
                    Press("button[data-head='3-7']"),
                    Choose("Cells", "causal, j ≤ i"),
                    Select("Colours", "Viridis"),
                ],
            ),
        ],
    )
}

fn kernels_come_back(page: &Page) -> Result {
    come_back(
        page,
        &[
            (
                "kernels that were pulled, muted and typed",
                "?view=kernels&model=sinusoidal",
                &[
                    Pull("input[type=range][aria-label='centre c, kernel 1']", "-12"),
                    Type("input[aria-label='amplitude a, kernel 2, exact']", "0.125"),
                    Press("button[aria-label='Mute kernel 3']"),
                    Type("input[aria-label='length n, exact']", "200"),
                    Choose("Offsets", "all"),
                ],
            ),
            (
                "a fit",
                "?view=kernels&model=minilm-l6&layer=1&head=3",
                &[
                    Choose("Kernels are", "never negative"),
                    Select("Kernels", "2"),
                    Press(".fit .primary"),
                    Wait("document.querySelectorAll('ul.kernels > li').length === 2"),
                    Wait("!!document.querySelector('#fit-curve[data-state=ready]')"),
                    Press("#fit-beside-head summary"),
                    Wait("!!document.querySelector('#kernel-fit[data-state=ready]')"),
                    Press("#kernel-fit .segmented button:last-child"),
                    Choose("Colour scale", "separate"),
                    Press("#fit-curve .numbers summary"),
                ],
            ),
            (
                "the first layer",
                "?view=kernels&model=minilm-l6&n=32",
                &[
                    Press("#first-layer summary"),
                    Type("#first-layer input[type=text]", "2023 2003 1037 2000"),
                ],
            ),
            (
                "a first layer that was folded again, and what is taken home",
                "?view=kernels&model=minilm-l6&n=32&words=2023",
                &[
                    Wait("document.querySelector('#first-layer')?.open"),
                    Press("#first-layer summary"),
                    Type(".take-home .prefix input", "encoder.tisa."),
                    Press("#parameters summary"),
                    Wait("!!document.querySelector('#parameter-count[data-state=ready]')"),
                    Choose("Size of", "custom"),
                    Type("input[aria-label='layers L']", "24"),
                ],
            ),
        ],
    )
}

fn encodings_come_back(page: &Page) -> Result {
    come_back(
        page,
        &[
            (
                "schemes overlaid",
                "?view=encodings&model=sinusoidal",
                &[
                    Press("[data-scheme=t5]"),
                    Press("button[aria-controls=scheme-rotary]"),
                    Choose("Rotary scaling", "NTK"),
                    Choose("Arrangement", "overlaid"),
                    Choose("Offsets", "all offsets"),
                    Choose("Example values", "random"),
                ],
            ),
            (
                "a criterion with its sliders",
                "?view=encodings&model=sinusoidal",
                &[
                    Press("[data-cell='tisa.inductive']"),
                    Pull("input[type=range][aria-label='asked for n']", "9.5"),
                    Type("input[aria-label='trained on n, exact']", "32"),
                ],
            ),
            (
                "a criterion after another one",
                "?view=encodings&model=sinusoidal&cell=tisa.inductive:16:512",
                &[
                    Wait("!!document.querySelector('.knobs input')"),
                    Press("[data-cell='tisa.interpretable']"),
                    Type("input[aria-label='sharpness b, exact']", "0.5"),
                ],
            ),
            (
                "shuffled tokens",
                "?view=encodings&model=sinusoidal",
                &[
                    Type(".tokens input", "Ein Hund, zwei; drei ~ & vier"),
                    Press("#permutation .controls > button"),
                    Press("#permutation .controls > button"),
                    Choose("Positions", "TISA kernels"),
                    Press("#permutation .numbers summary"),
                ],
            ),
            (
                "phasors and the lines of the open table",
                "?view=encodings&model=random",
                &[
                    Pull(
                        "input[type=range][aria-label='position i of the phasors']",
                        "77",
                    ),
                    Pull(
                        "input[type=range][aria-label='offset k of the phasors']",
                        "-9",
                    ),
                    Choose("Table", "open table"),
                ],
            ),
        ],
    )
}

fn compared_models_come_back(page: &Page) -> Result {
    come_back(
        page,
        &[
            (
                "profiles as they are, one left out",
                "?view=compare&model=sinusoidal",
                &[
                    Press("[data-model=random]"),
                    Wait("document.querySelectorAll('.multiple').length === 2"),
                    Press("[data-model='minilm-l6']"),
                    Wait("document.querySelectorAll('.multiple').length === 3"),
                    Press("figure[data-model=random] input[type=checkbox]"),
                    Choose("Values", "as they are"),
                    Choose("Offsets", "all offsets"),
                ],
            ),
            (
                "performances, and whose heads were read",
                "?view=compare&model=minilm-l6",
                &[
                    // The computed tables are added automatically.
                    Wait("document.querySelectorAll('.multiple').length === 3"),
                    Type("[data-performance=random] input", "1.5"),
                    Type("[data-performance=sinusoidal] input", "2.25"),
                    Type("[data-performance='minilm-l6'] input", "82"),
                    Press("button[data-read='minilm-l6']"),
                    Choose("Order", "by R²"),
                    Choose("Colour scale", "separate"),
                ],
            ),
            (
                "a table in the background, from other numbers",
                "?view=compare&model=random&seed=5&rows=64",
                &[
                    Wait("document.querySelectorAll('.multiple').length === 2"),
                    Press("[data-model='minilm-l6']"),
                    Wait("document.querySelectorAll('.multiple').length === 3"),
                    Press("#model-scores .numbers summary"),
                    Choose("Similarity", "cosine"),
                ],
            ),
        ],
    )?;
    // Another view shows one model, and its link names one.
    page.view("positions")?;
    page.wait_until("!location.search.includes('models=')")?;
    page.view("compare")?;
    page.wait_until("location.search.includes('models=')")?;

    // Back restores the set of compared models.
    let out = "document.querySelectorAll('.left-out input').length";
    page.act(Press("figure[data-model='minilm-l6'] input[type=checkbox]"))?;
    page.wait_until(&format!(
        "{out} === 1 && location.search.includes('left-out')"
    ))?;
    page.view("heads")?;
    page.view("compare")?;
    page.wait_until(&format!(
        "{out} === 1 && location.search.includes('left-out')"
    ))?;
    page.act(Press(".left-out input"))?;
    page.wait_until(&format!(
        "{out} === 0 && !location.search.includes('left-out')"
    ))?;
    page.script("history.go(-2)", Vec::new())?;
    page.wait_until(&format!(
        "{out} === 1 && location.search.includes('left-out')"
    ))?;
    page.script("history.go(2)", Vec::new())?;
    page.wait_until(&format!(
        "{out} === 0 && !location.search.includes('left-out')"
    ))
    .map(drop)
}
