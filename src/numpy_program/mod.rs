//! Figures as NumPy programs: each figure has a short Python program that reads the open file and prints the numbers of
//! the figure as CSV, as the page saves them.
//!
//! [`write`] puts a program together from
//!
//! * the lines of the figure, `www/numpy/figures/<id>.py`;
//! * the functions that they call, `www/numpy/parts/`;
//! * the choices on the page, as constants ([`Choices`]);
//! * the code that reads the open models ([`NumpyModel`]).
//!
//! Bodies and parts contain directives, lines that are no part of the program. `www/numpy/README.md` describes them.

mod choices;
mod code_text;
mod directives;
mod literal;
mod parts;

pub use choices::{
    Choices, ProgramRun, ViewConstants, angle_constant, comment, own_image_constant, run_constant,
};
pub use directives::Directives;
pub use literal::{Literal, dict_literal};
pub use parts::{PARTS, VARIANTS, part, variant};

use code_text::{calls, docstring, has_word, join_segments, mentions, namespace_function, words};

use crate::{
    numpy_model::{CodeSegment, NumpyModel, ScoreCode, string_literal},
    url_state::FigureId,
};
use std::collections::BTreeSet;

/// Modules of the standard library that programs import if they mention them.
const MODULES: [&str; 10] = [
    "cmath",
    "collections",
    "functools",
    "itertools",
    "json",
    "math",
    "re",
    "struct",
    "sys",
    "types",
];

/// Libraries that programs import if they mention them. All need NumPy; only readers of files need others.
const LIBRARIES: [(&str, &str); 3] = [
    ("gguf.GGUFReader", "gguf"),
    ("", "numpy as np"),
    ("torch.load", "torch"),
];

/// Names of the parts that stand for the open models: one model, all models of a comparison, the snapshots of a run.
const MODEL_PARTS: [&str; 3] = ["model", "models", "snapshots"];

/// The functions on a model's maps, which models with scores of their own do not need.
const MAP_PARTS: &str = "head_scores";

/// The functions of that part.
const MAP_FUNCTIONS: [&str; 3] = ["queries_and_keys", "head_columns", "scores"];

/// Functions on the heads of a model that its own code defines.
const HEAD_FUNCTIONS: &[&str] = &[
    "layer_maps",
    "layer_input",
    "input_scale",
    "query_key_norms",
    "queries_and_keys_of",
    "rotation",
    "query_statistics",
];

/// The part with the mean queries and keys of rotary heads over a text.
const TEXT_MEANS: &str = "text_means";

/// Definitions of a model that this part replaces.
const OF_TEXT_MEANS: [&str; 2] = ["LAYERS", "mean_query_and_key"];

/// A model of a program.
#[derive(Debug, Clone, PartialEq)]
pub struct ProgramModel {
    /// Display name.
    pub name: String,
    /// Training step, of a snapshot.
    pub step: Option<u64>,
    /// The code that reads it.
    pub code: NumpyModel,
}

/// Writes the program of a figure.
///
/// # Errors
/// A sentence on why there is no program.
pub fn write(models: &[ProgramModel], choices: &Choices) -> Result<String, String> {
    let body = body_of(choices);
    if let Some(reason) = body.none {
        return Err(reason.to_owned());
    }
    let mut program = Program::new(models, choices, &body);
    for need in &body.needs {
        program.add_part(need)?;
    }
    let mut names = body.choices.clone();
    names.extend(program.choices.iter().copied());
    program.blocks.push(body.code);
    let mut constants = Vec::new();
    let mut seen = BTreeSet::new();
    for name in names {
        // A part that computes the model's own scores whatever the page shows assigns this constant itself.
        let is_assigned = name == "AS_COMPUTED" && program.parts.contains("as_computed");
        if seen.insert(name) && !is_assigned {
            constants.push(choices.line(name)?);
        }
    }
    Ok(program.text(choices.figure, &constants))
}

/// The lines of a figure, or of the variant that its choices select.
fn body_of(choices: &Choices) -> Directives<'static> {
    let read = |text| Directives::read(text, |condition| choices.is_set(condition));
    let body = read(choices.figure.numpy_body());
    let mut body = match body.instead.and_then(variant) {
        Some(text) => read(text),
        None => body,
    };
    if choices.has_text_means() && all_needs(&body, choices).contains(MAP_PARTS) {
        body.needs.push(TEXT_MEANS);
    }
    body
}

/// The models that a program reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelScope {
    /// None.
    None,
    /// The open model.
    Open,
    /// All compared models.
    Compared,
    /// The snapshots of a run.
    Snapshots,
}

/// Returns the models that the program of a figure reads.
#[must_use]
pub fn model_scope(choices: &Choices) -> ModelScope {
    let needs = all_needs(&body_of(choices), choices);
    match MODEL_PARTS.map(|name| needs.contains(name)) {
        [_, _, true] => ModelScope::Snapshots,
        [_, true, _] => ModelScope::Compared,
        [true, ..] => ModelScope::Open,
        _ => ModelScope::None,
    }
}

/// A part with the blocks whose conditions hold. `None` if there is no such part.
fn read_part(name: &str, choices: &Choices) -> Option<Directives<'static>> {
    Some(Directives::read(part(name)?, |condition| {
        choices.is_set(condition)
    }))
}

/// The parts that a body needs, directly or through others.
fn all_needs(body: &Directives<'static>, choices: &Choices) -> BTreeSet<&'static str> {
    let mut left = body.needs.clone();
    let mut seen = BTreeSet::new();
    while let Some(name) = left.pop() {
        if seen.insert(name) {
            left.extend(read_part(name, choices).map_or_else(Vec::new, |part| part.needs));
        }
    }
    seen
}

/// Whether a model has a function `scores` of its own.
fn has_own_scores(models: &[ProgramModel]) -> bool {
    let mut models = models.iter();
    models.any(|model| model.code.scores == ScoreCode::Function)
}

/// The blocks of a program in order, without imports and constants.
struct Program<'a> {
    models: &'a [ProgramModel],
    choices_on_page: &'a Choices,
    /// The words of the figure's lines and of all parts.
    words: BTreeSet<String>,
    /// The figure's lines and the code of all parts.
    code: String,
    /// Whether mean queries and keys are those of a text.
    needs_text_means: bool,
    blocks: Vec<String>,
    parts: BTreeSet<String>,
    choices: Vec<&'static str>,
    files: Vec<String>,
}

impl<'a> Program<'a> {
    fn new(models: &'a [ProgramModel], choices: &'a Choices, body: &Directives<'static>) -> Self {
        let parts = all_needs(body, choices);
        let needs_text_means = parts.contains(TEXT_MEANS);
        let parts = parts
            .into_iter()
            .filter(|name| *name != MAP_PARTS || !has_own_scores(models))
            .filter_map(|name| read_part(name, choices));
        let codes = parts.map(|part| part.code).chain([body.code.clone()]);
        let code = codes.collect::<Vec<_>>().join("\n");
        let code_words = words(&code);
        Self {
            models,
            choices_on_page: choices,
            words: code_words,
            code,
            needs_text_means,
            blocks: Vec::new(),
            parts: BTreeSet::new(),
            choices: Vec::new(),
            files: Vec::new(),
        }
    }

    /// Adds a part after the parts that it needs.
    fn add_part(&mut self, name: &str) -> Result<(), String> {
        if !self.parts.insert(name.to_owned()) {
            return Ok(());
        }
        match MODEL_PARTS.iter().position(|part| *part == name) {
            Some(0) => return self.add_model(),
            Some(1) => return self.add_models(),
            Some(_) => return self.add_snapshots(),
            None => {}
        }
        if name == MAP_PARTS && has_own_scores(self.models) {
            return self.add_part(MODEL_PARTS[0]);
        }
        let found = read_part(name, self.choices_on_page);
        let part = found.ok_or_else(|| format!("There is no part {name}."))?;
        for need in &part.needs {
            self.add_part(need)?;
        }
        self.choices.extend(part.choices);
        self.blocks.push(part.code);
        Ok(())
    }

    /// Adds the parts that a model's code calls, and its files.
    fn add_files(&mut self, model: &ProgramModel, segments: &[&CodeSegment]) -> Result<(), String> {
        let reader = &model.code.reader;
        if !model.code.files.is_empty() {
            self.add_part(reader)?;
            self.files.extend(model.code.files.iter().cloned());
        }
        for part in segments.iter().flat_map(|segment| &segment.parts) {
            self.add_part(part)?;
        }
        if segments
            .iter()
            .any(|segment| has_word(&segment.code, "AS_COMPUTED"))
        {
            self.choices.push("AS_COMPUTED");
        }
        Ok(())
    }

    /// Adds the code of the only model.
    fn add_model(&mut self) -> Result<(), String> {
        let [model] = self.models else {
            return Err("No model is open.".to_owned());
        };
        let mut segments = used_segments(&model.code, &self.words);
        if self.needs_text_means {
            segments.retain(|segment| {
                let mut names = segment.names.iter();
                !names.any(|name| OF_TEXT_MEANS.contains(&name.as_str()))
            });
        }
        self.check(model)?;
        self.add_files(model, &segments)?;
        let mut block =
            "# The model. Tensors have their names in the file; maps are applied as x @ W.\n"
                .to_owned();
        if !model.code.files.is_empty() {
            block += &format!("tensor = {}(*FILES)\n", model.code.reader);
        }
        self.blocks.push(block + &join_segments(&segments));
        Ok(())
    }

    /// Refuses a model whose code lacks what the program needs.
    fn check(&self, model: &ProgramModel) -> Result<(), String> {
        let code = &model.code;
        let is_used = |name: &str| self.words.contains(name);
        let calls = |name: &str| calls(&self.code, name);
        let has = |name: &str| {
            let mut segments = code
                .segments
                .iter()
                .filter(|segment| !segment.code.starts_with("E = None"));
            segments.any(|segment| segment.names.iter().any(|other| other == name))
        };
        let has_no_scores = code.scores == ScoreCode::Missing;
        let lacks = |names: &[&str]| names.iter().any(|name| calls(name) && !has(name));
        let missing = if calls("scores") && has_no_scores || lacks(HEAD_FUNCTIONS) {
            let reason = code
                .head_failure
                .as_deref()
                .map(|reason| format!(" {reason}"));
            return Err(format!(
                "Programs cannot compute the heads of {}.{}",
                model.name,
                reason.unwrap_or_default()
            ));
        } else if lacks(&["entering_states"]) {
            "words with positions that are added to them"
        } else if ["E", "POSITION_ROWS"].into_iter().any(is_used) && !has("E") && has_no_scores {
            "the positions"
        } else if is_used("PATCH_ANGLES") && !has("PATCH_ANGLES") {
            "the angles of the patches"
        } else if lacks(&["output_maps"]) {
            "the values and outputs of the layers"
        } else if lacks(&["scores_and_values", "sink_scores"]) {
            let reason = code.text_failure.as_deref().unwrap_or_default();
            return Err(format!(
                "Programs cannot run {} over a text. {reason}",
                model.name
            ));
        } else {
            return Ok(());
        };
        Err(format!("Programs cannot read {missing} of {}.", model.name))
    }

    /// Adds the code of several models, each as a function that returns a namespace, and their list.
    fn add_models(&mut self) -> Result<(), String> {
        let models = self.models;
        let mut entries = Vec::new();
        for (at, model) in models.iter().enumerate() {
            let first = self.files.len();
            let code = self.namespace_code(model)?;
            let code = match model.code.files.is_empty() {
                true => code,
                false => {
                    let files = format!("FILES[{first}:{}]", self.files.len());
                    format!("tensor = {}(*{files})\n{code}", model.code.reader)
                }
            };
            let name = format!("model_{}()", at + 1);
            self.blocks
                .push(namespace_function(&name, &docstring(&model.name), &code));
            entries.push(format!("({}, {name})", string_literal(&model.name)));
        }
        self.blocks
            .push(format!("MODELS = [{}]", entries.join(", ")));
        Ok(())
    }

    /// Adds the code of the checkpoints of a run, and their list. Those that are read alike share a function of their
    /// files.
    fn add_snapshots(&mut self) -> Result<(), String> {
        let models = self.models;
        if models.is_empty() {
            return Err("No checkpoint is open.".to_owned());
        }
        let mut functions: Vec<String> = Vec::new();
        let mut entries = Vec::new();
        for model in models {
            let first = self.files.len();
            let code = self.namespace_code(model)?;
            let code = format!("tensor = {}(*files)\n{code}", model.code.reader);
            let place = functions.iter().position(|other| *other == code);
            let place = place.unwrap_or_else(|| {
                functions.push(code);
                functions.len() - 1
            });
            entries.push(format!(
                "    ({}, {}, checkpoint_{}(*FILES[{first}:{}])),\n",
                model.step.unwrap_or_default(),
                string_literal(&model.name),
                place + 1,
                self.files.len()
            ));
        }
        for (at, code) in functions.iter().enumerate() {
            let name = format!("checkpoint_{}(*files)", at + 1);
            let about = "A checkpoint in some files.";
            self.blocks.push(namespace_function(&name, about, code));
        }
        self.blocks.push(format!(
            "SNAPSHOTS = [  # steps, names and models\n{}]",
            entries.concat()
        ));
        Ok(())
    }

    /// The definitions of a model that the program uses, without the reader of its files, which are added.
    fn namespace_code(&mut self, model: &ProgramModel) -> Result<String, String> {
        let maps = read_part(MAP_PARTS, self.choices_on_page).unwrap_or_default();
        let mut names = self.words.clone();
        let has_heads = MAP_FUNCTIONS.iter().any(|name| names.contains(*name));
        if has_heads {
            names.extend(words(&maps.code));
            self.choices.extend(maps.choices);
        }
        let segments = used_segments(&model.code, &names);
        self.add_files(model, &segments)?;
        let mut code = join_segments(&segments);
        if has_heads && model.code.scores == ScoreCode::Maps {
            code += &format!("\n\n{}", maps.code);
        }
        Ok(code)
    }

    /// The text of the program.
    fn text(&self, figure: FigureId, constants: &[String]) -> String {
        let code = self.blocks.iter().map(|block| block.trim_matches('\n'));
        let code = code.collect::<Vec<_>>().join("\n\n\n");
        let command = format!(
            "python {}.py{}",
            figure.id(),
            match self.files.as_slice() {
                [] => "",
                [_] => " FILE",
                _ => " FILE ...",
            }
        );
        let mut text = format!(
            "\"\"\"{}: the numbers of the figure {} of Diagonal, as CSV.\n\n    {command} > {}.csv\n\"\"\"\n\n",
            figure.title().replace('’', "'"),
            figure.id(),
            figure.id()
        );
        let is_used =
            |module: &&&str| mentions(&code, module) || **module == "sys" && !self.files.is_empty();
        for module in MODULES.iter().filter(is_used) {
            text += &format!("import {module}\n");
        }
        if MODULES.iter().any(|module| is_used(&module)) {
            text.push('\n');
        }
        for (module, line) in LIBRARIES {
            if code.contains(module) {
                text += &format!("import {line}\n");
            }
        }
        text.push('\n');
        if !self.files.is_empty() {
            let files: Vec<String> = self.files.iter().map(|name| string_literal(name)).collect();
            text += &format!("FILES = sys.argv[1:] or [{}]\n", files.join(", "));
        }
        for constant in constants {
            text += constant;
            text.push('\n');
        }
        if !self.files.is_empty() || !constants.is_empty() {
            text += "\n\n";
        }
        text + &code + "\n"
    }
}

/// The definitions of a model's code that a program uses, directly or through others.
fn used_segments<'a>(model: &'a NumpyModel, names: &BTreeSet<String>) -> Vec<&'a CodeSegment> {
    let mut names = names.clone();
    let mut segments = Vec::new();
    for segment in model.segments.iter().rev() {
        if segment.names.iter().any(|name| names.contains(name)) {
            names.extend(words(&segment.code));
            segments.push(segment);
        }
    }
    segments.reverse();
    segments
}
