//! The recipe of the runs: task, encodings, size, seed and steps.

use super::recipes::Recipes;
use crate::{
    app::controls::{
        buttons::{SegmentedButtons, Select, options},
        number::NumberField,
        while_mounted::while_mounted,
    },
    training::{
        EncodingName, MOST_KERNELS, MOST_RUNS, MOST_STEPS, RecipeSize, TaskName, TrainingRecipe,
    },
    url_state::NumberRange,
};
use leptos::prelude::*;

/// Kinds of tasks, with their names.
const TASKS: [(TaskKind, &str); 6] = [
    (TaskKind::Offset, "the symbol Δ to the left"),
    (TaskKind::Chain, "a Markov chain on a ring"),
    (TaskKind::Text, "masked characters of a text"),
    (TaskKind::NextCharacter, "the next character of a text"),
    (TaskKind::Repeat, "what followed last time"),
    (TaskKind::Reverse, "the mirrored symbol (control)"),
];

/// A kind of task, without its parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TaskKind {
    Offset,
    Chain,
    Text,
    NextCharacter,
    Repeat,
    Reverse,
}

impl TaskKind {
    fn of_task(task: &TaskName) -> Self {
        match task {
            TaskName::Offset(_) => Self::Offset,
            TaskName::Chain => Self::Chain,
            TaskName::Text => Self::Text,
            TaskName::NextCharacter => Self::NextCharacter,
            TaskName::Repeat => Self::Repeat,
            TaskName::Reverse => Self::Reverse,
        }
    }

    fn task(self) -> TaskName {
        match self {
            Self::Offset => TaskName::Offset(vec![3]),
            Self::Chain => TaskName::Chain,
            Self::Text => TaskName::Text,
            Self::NextCharacter => TaskName::NextCharacter,
            Self::Repeat => TaskName::Repeat,
            Self::Reverse => TaskName::Reverse,
        }
    }
}

/// The encodings of the form, with their names. TISA has as many kernels as the form says.
const ENCODINGS: [(EncodingName, &str); 11] = [
    (EncodingName::None, "none"),
    (EncodingName::Learned, "learned"),
    (EncodingName::Sinusoidal, "sinusoidal"),
    (EncodingName::Rotary, "rotary"),
    (EncodingName::PartialRotary, "rotary, half of a head"),
    (EncodingName::AlternateRotary, "rotary, every other layer"),
    (EncodingName::Alibi, "ALiBi"),
    (EncodingName::T5, "T5 buckets"),
    (EncodingName::Shaw, "Shaw"),
    (EncodingName::Tisa(3), "TISA"),
    (EncodingName::LearnedAndTisa(3), "learned + TISA"),
];

/// The encoding with so many kernels, if it has kernels.
fn with_kernels(encoding: EncodingName, kernels: usize) -> EncodingName {
    match encoding {
        EncodingName::Tisa(_) => EncodingName::Tisa(kernels),
        EncodingName::LearnedAndTisa(_) => EncodingName::LearnedAndTisa(kernels),
        other => other,
    }
}

/// Number of kernels of an encoding.
fn kernels_of(encoding: EncodingName) -> Option<usize> {
    match encoding {
        EncodingName::Tisa(kernels) | EncodingName::LearnedAndTisa(kernels) => Some(kernels),
        _ => None,
    }
}

/// The fields of the recipe. Each change is a change of the link; runs that have begun stay in the list.
#[component]
pub(super) fn RecipeForm(recipes: Recipes) -> impl IntoView {
    let first = Memo::new(move |_| recipes.first());
    let kind = Memo::new(move |_| first.with(|recipe| TaskKind::of_task(&recipe.task)));
    let set_task = move |kind: TaskKind| {
        recipes.change(|all| {
            for recipe in all {
                let usual = TrainingRecipe::usual(kind.task(), recipe.encoding);
                *recipe = TrainingRecipe {
                    seed: recipe.seed,
                    ..usual
                };
            }
        });
    };
    let offset = Memo::new(move |_| {
        first.with(|recipe| match &recipe.task {
            TaskName::Offset(offsets) => offsets.first().copied().unwrap_or(3),
            _ => 3,
        })
    });
    let set_offset = move |offset: f64| {
        recipes.change(|all| {
            for recipe in all {
                recipe.task = TaskName::Offset(vec![offset as i32]);
            }
        });
    };
    let farthest = Memo::new(move |_| first.with(|recipe| recipe.size.n as f64 - 1.0));
    let reads_text = Memo::new(move |_| first.with(|recipe| recipe.task.reads_text()));
    // Memoized, so that the pressed button stays, with the focus.
    let sizes = Memo::new(move |_| {
        let size = first.with(|recipe| recipe.size);
        let mut sizes = vec![
            (RecipeSize::S, "S".to_owned()),
            (RecipeSize::M, "M".to_owned()),
        ];
        if reads_text.get() {
            sizes.insert(0, (RecipeSize::TEXT, "short".to_owned()));
        }
        if sizes.iter().all(|(known, _)| *known != size) {
            sizes.push((size, size.to_string()));
        }
        sizes
    });
    let size = Memo::new(move |_| first.with(|recipe| recipe.size));
    let set_size = move |size: RecipeSize| {
        recipes.change(|all| all.iter_mut().for_each(|recipe| recipe.size = size));
    };
    let set_seed = move |seed: f64| {
        recipes.change(|all| all.iter_mut().for_each(|recipe| recipe.seed = seed as u64));
    };
    let set_steps = move |steps: f64| {
        recipes.change(|all| {
            for recipe in all {
                recipe.steps = steps as u32;
            }
        });
    };
    // Seeds beyond this are no longer exact in a number field; links can have them.
    let most_seed = 9_007_199_254_740_991.0;
    view! {
        <div class="controls">
            <Select label="Task" options=options(TASKS) value=kind set=set_task/>
            {move || (kind.get() == TaskKind::Offset).then(|| {
                let farthest = farthest.get();
                let allowed = NumberRange::whole(-farthest, farthest);
                view! { <NumberField name="Δ" value=Signal::derive(move || f64::from(offset.get())) allowed set=set_offset/> }
            })}
        </div>
        <EncodingChoice recipes/>
        <div class="controls">
            {move || view! { <SegmentedButtons label="Size" options=sizes.get() value=size set=set_size/> }}
            <NumberField
                name="Seed"
                value=Signal::derive(move || first.with(|recipe| recipe.seed as f64))
                allowed=NumberRange::whole(0.0, most_seed)
                set=set_seed
            />
            <NumberField
                name="Steps"
                value=Signal::derive(move || first.with(|recipe| f64::from(recipe.steps)))
                allowed=NumberRange::whole(1.0, f64::from(MOST_STEPS))
                set=set_steps
            />
        </div>
    }
}

/// Check boxes of the encodings, of which one to four are trained beside each other.
#[component]
fn EncodingChoice(recipes: Recipes) -> impl IntoView {
    let chosen = Memo::new(move |_| {
        let all = recipes.recipes.get();
        all.iter().map(|recipe| recipe.encoding).collect::<Vec<_>>()
    });
    let kernels = Memo::new(move |_| chosen.get().into_iter().find_map(kernels_of));
    let set_kernels = move |kernels: f64| {
        recipes.change(|all| {
            for recipe in all {
                recipe.encoding = with_kernels(recipe.encoding, kernels as usize);
            }
        });
    };
    let boxes = ENCODINGS.map(|(encoding, name)| {
        let is_same = move |other: EncodingName| with_kernels(other, 3) == encoding;
        let is_chosen = Memo::new(move |_| chosen.get().into_iter().any(is_same));
        // One stays chosen, and no more than four are.
        let is_fixed = Memo::new(move |_| {
            let count = chosen.with(Vec::len);
            if is_chosen.get() {
                count == 1
            } else {
                count >= MOST_RUNS
            }
        });
        let toggle = move |_| {
            if is_fixed.get_untracked() {
                return;
            }
            recipes.change(|all| {
                if is_chosen.get_untracked() {
                    all.retain(|recipe| !is_same(recipe.encoding));
                } else if let Some(first) = all.first().cloned() {
                    let kernels = kernels.get_untracked().unwrap_or(3);
                    let encoding = with_kernels(encoding, kernels);
                    all.push(TrainingRecipe { encoding, ..first });
                }
            });
        };
        view! {
            <label class="included">
                <input
                    type="checkbox"
                    prop:checked=is_chosen
                    aria-disabled=move || is_fixed.get().then_some("true")
                    on:click=move |event| {
                        if is_fixed.get_untracked() {
                            event.prevent_default();
                        }
                    }
                    on:change=while_mounted(toggle)
                />
                {name}
            </label>
        }
    });
    view! {
        <fieldset class="encoding-choice">
            <legend>"Positions, one to four beside each other"</legend>
            {boxes.into_iter().collect_view()}
            {move || kernels.get().map(|_| view! {
                <NumberField
                    name="Kernels a head"
                    value=Signal::derive(move || kernels.get().unwrap_or(3) as f64)
                    allowed=NumberRange::whole(1.0, MOST_KERNELS as f64)
                    set=set_kernels
                />
            })}
        </fieldset>
    }
}
