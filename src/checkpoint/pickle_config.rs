//! The configuration that a training program saves beside its tensors, as JSON. Files of other formats have theirs in
//! `config.json`.
//!
//! Programs have no common place for it: nanoGPT writes a dictionary `model_args`, Lightning `hyper_parameters`, fairseq
//! `args` (a namespace) or `cfg` (dictionaries around one), Whisper `dims`; a whole module has a `config`. Those in
//! [`PLACES`] are looked at in this order, and then the ones inside a module. The first that says a number of heads, a
//! width or a type of model is taken, or the part of it that describes the model, if only that says one.
//!
//! Only plain values are read: numbers, words, booleans, short lists, and dictionaries or attributes of these. A
//! container of omegaconf, whose nodes hold one value each, is read as what it contains.

use serde_json::{Map, Number, Value};

use super::pickle_objects::{Instance, Objects, PickleValue};

/// Names under which programs save a configuration, the most specific first: nanoGPT's `config` is that of its
/// training and `model_args` that of the model.
const PLACES: [&str; 12] = [
    "model_args",
    "model_config",
    "dims",
    "config",
    "hyper_parameters",
    "hparams",
    "_hparams",
    "cfg",
    "args",
    "opt",
    "params",
    "options",
];
/// Names under which programs save a module, which may have a configuration of its own.
const MODULES: [&str; 5] = ["model", "module", "net", "ema", "state_dict"];
/// Names of the part of a program's configuration that describes the model.
const PARTS: [&str; 8] = [
    "model",
    "model_args",
    "model_config",
    "config",
    "args",
    "hparams",
    "transformer",
    "net",
];
/// Entries with a count or a width in any model that has attention.
const COUNTS: [&str; 22] = [
    "num_attention_heads",
    "num_heads",
    "n_heads",
    "n_head",
    "nhead",
    "nheads",
    "heads",
    "attention_heads",
    "encoder_attention_heads",
    "decoder_attention_heads",
    "n_audio_head",
    "n_text_head",
    "hidden_size",
    "d_model",
    "dim",
    "n_embd",
    "embed_dim",
    "emb_dim",
    "encoder_embed_dim",
    "decoder_embed_dim",
    "n_audio_state",
    "n_text_state",
];
/// Maximum size of the JSON in bytes, roughly.
const LONGEST: usize = 64 << 10;
/// Maximum nesting of dictionaries and lists.
const DEEPEST: usize = 4;
/// Maximum number of items of a list.
const LONGEST_LIST: usize = 256;
/// Maximum length of a word in bytes.
const LONGEST_TEXT: usize = 1024;
/// Maximum number of values that are looked at, most of which may be unusable.
const MOST_VALUES: usize = 20_000;
/// Maximum depth of wrappers around one value.
const MOST_WRAPPERS: usize = 8;

/// The configuration beside the tensors in `root`, as a JSON object; `None` if there is none.
///
/// `is_read` is by class; those of the objects that are read are marked in it.
pub(super) fn configuration(
    objects: &Objects,
    root: PickleValue,
    is_read: &mut [bool],
) -> Option<String> {
    let mut reader = ConfigReader {
        objects,
        is_read,
        values: MOST_VALUES,
        bytes: LONGEST,
    };
    let modules = MODULES.iter().filter_map(|key| reader.entry(root, key));
    let owners: Vec<PickleValue> = std::iter::once(root).chain(modules).collect();
    let inside: Vec<PickleValue> = owners
        .iter()
        .filter_map(|owner| reader.inner_module(*owner))
        .collect();
    for owner in owners.into_iter().chain(inside) {
        for place in PLACES {
            let Some(place) = reader.entry(owner, place) else {
                continue;
            };
            let parts = PARTS.iter().filter_map(|part| reader.entry(place, part));
            let candidates: Vec<PickleValue> = std::iter::once(place).chain(parts).collect();
            for candidate in candidates {
                if reader.describes_model(candidate) {
                    reader.mark_class(place);
                    reader.mark_class(candidate);
                    let object = reader.object(candidate, 0)?;
                    return serde_json::to_string(&object).ok();
                }
            }
        }
    }
    None
}

struct ConfigReader<'a> {
    objects: &'a Objects<'a>,
    is_read: &'a mut [bool],
    /// Number of values that may still be looked at.
    values: usize,
    /// Number of bytes that the JSON may still take.
    bytes: usize,
}

impl ConfigReader<'_> {
    /// A dictionary as it is, or the one that holds the entries of an object; and a second one, of a class with slots.
    fn dictionaries(&self, value: PickleValue) -> Vec<PickleValue> {
        match self.unwrap(value) {
            dict @ PickleValue::Dict(_) => vec![dict],
            PickleValue::Instance(at) => match self.objects.instance_at(at) {
                Some(instance) => self.dictionaries_of(&instance),
                None => Vec::new(),
            },
            _ => Vec::new(),
        }
    }

    fn dictionaries_of(&self, instance: &Instance) -> Vec<PickleValue> {
        let attributes = self.objects.attributes_of(instance);
        // Data classes with checks (pydantic) keep their attributes inside their state.
        let inner = self.objects.value_of(attributes, "__dict__");
        let slots = self.objects.slots_of(instance);
        [
            Some(inner.unwrap_or(attributes)),
            slots,
            Some(instance.pairs),
        ]
        .into_iter()
        .flatten()
        .filter(|dict| matches!(dict, PickleValue::Dict(_)))
        .collect()
    }

    /// The value in a node of omegaconf: `_content` of a container, `_val` of anything else.
    fn unwrap(&self, value: PickleValue) -> PickleValue {
        let mut value = value;
        for _ in 0..MOST_WRAPPERS {
            let PickleValue::Instance(at) = value else {
                break;
            };
            let Some(instance) = self.objects.instance_at(at) else {
                break;
            };
            let inside = |key| self.objects.value_of(instance.state, key);
            match inside("_content").or_else(|| inside("_val")) {
                Some(inner) => value = inner,
                None => break,
            }
        }
        value
    }

    /// The module inside a wrapper: of several devices, or compiled.
    fn inner_module(&self, module: PickleValue) -> Option<PickleValue> {
        let modules = self.entry(module, "_modules")?;
        let keys = ["module", "_orig_mod", "model"];
        keys.iter().find_map(|key| self.entry(modules, key))
    }

    fn mark_class(&mut self, value: PickleValue) {
        if let PickleValue::Instance(at) = value
            && let Some(instance) = self.objects.instance_at(at)
            && let Some(class) = self.objects.class_of(&instance)
            && let Some(is_read) = self.is_read.get_mut(class)
        {
            *is_read = true;
        }
    }

    fn entry(&self, owner: PickleValue, key: &str) -> Option<PickleValue> {
        let dictionaries = self.dictionaries(owner);
        let find = |dict: &PickleValue| self.objects.value_of(*dict, key);
        dictionaries.iter().find_map(find)
    }

    /// Whether a dictionary says a number of heads, a width or a type of model.
    fn describes_model(&self, value: PickleValue) -> bool {
        let entry = |key: &str| self.entry(value, key).map(|value| self.unwrap(value));
        COUNTS
            .iter()
            .any(|key| matches!(entry(key), Some(PickleValue::Int(1..))))
            || matches!(entry("model_type"), Some(PickleValue::Text(..)))
    }

    /// The plain entries of a dictionary or an object.
    fn object(&mut self, value: PickleValue, depth: usize) -> Option<Map<String, Value>> {
        let dictionaries = self.dictionaries(value);
        if dictionaries.is_empty() {
            return None;
        }
        let mut object = Map::new();
        let objects = self.objects;
        for dict in dictionaries {
            for [key, value] in objects.pairs(dict).iter().take(self.values) {
                self.values = self.values.saturating_sub(1);
                let Some(key) = self.text(*key) else {
                    continue;
                };
                if let Some(value) = self.value(*value, depth + 1) {
                    object.insert(key, value);
                }
            }
        }
        Some(object)
    }

    /// A plain value as JSON; `None` for any other, or if there is no room for it.
    fn value(&mut self, value: PickleValue, depth: usize) -> Option<Value> {
        self.values = self.values.checked_sub(1)?;
        self.bytes = self.bytes.checked_sub(8)?;
        let inner = self.unwrap(value);
        let json = self.inner_value(inner, depth)?;
        self.mark_class(value);
        self.mark_class(inner);
        Some(json)
    }

    fn inner_value(&mut self, value: PickleValue, depth: usize) -> Option<Value> {
        match value {
            PickleValue::None => Some(Value::Null),
            PickleValue::Bool(value) => Some(Value::Bool(value)),
            PickleValue::Int(value) => Some(Value::Number(value.into())),
            PickleValue::Float(value) => Number::from_f64(value).map(Value::Number),
            text @ PickleValue::Text(..) => self.text(text).map(Value::String),
            _ if depth >= DEEPEST => None,
            list @ (PickleValue::List(_) | PickleValue::Tuple(..)) => {
                let items = self.objects.items(list);
                if items.len() > LONGEST_LIST {
                    return None;
                }
                // A list with an item left out would be another list.
                let values = items.iter().map(|item| self.value(*item, depth + 1));
                values.collect::<Option<_>>().map(Value::Array)
            }
            object => self.object(object, depth).map(Value::Object),
        }
    }

    fn text(&mut self, text: PickleValue) -> Option<String> {
        let text = self.objects.as_text(text)?;
        let text = (text.len() <= LONGEST_TEXT).then_some(text)?;
        let text = str::from_utf8(text).ok()?;
        // Quotation marks, a colon and a comma; escapes may take six bytes a letter.
        let escapes = text
            .chars()
            .filter(|c| c.is_control() || matches!(c, '"' | '\\'));
        let bytes = text.len() + 5 * escapes.count() + 4;
        self.bytes = self.bytes.checked_sub(bytes)?;
        Some(text.to_owned())
    }
}
