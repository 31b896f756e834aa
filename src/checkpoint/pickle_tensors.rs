//! Finds the tensors in the containers of a pickle, and names them.

use super::{
    partial_bytes::Stop,
    pickle_objects::{Objects, PickleValue, Tensor, malformed},
};

/// Maximum number of tensors per file.
const MOST_TENSORS: usize = 1 << 20;
/// Maximum nesting of containers.
const DEEPEST: usize = 64;
/// Maximum total length of all names in bytes. Each name repeats the names of the containers around its tensor.
const MOST_NAMES: usize = 64 << 20;

/// Returns the tensors in `root`. The name of each is its path: keys and indices joined by dots. A tensor that lies in
/// no container is called `tensor`.
pub(super) fn named_tensors<'a>(
    objects: &'a Objects<'_>,
    root: PickleValue,
) -> Result<Vec<(String, &'a Tensor)>, Stop> {
    let mut walk = Walk {
        objects,
        name: String::new(),
        tensors: Vec::new(),
        // Tied weights refer to a tensor several times. Only a malicious file refers to containers over and over.
        steps: objects.value_count().saturating_mul(4).saturating_add(1000),
        letters: MOST_NAMES,
    };
    walk.visit(root, 0)?;
    Ok(walk.tensors)
}

/// Depth-first walk. It visits a container once per reference, which may be far more often than it was made.
struct Walk<'a> {
    objects: &'a Objects<'a>,
    name: String,
    tensors: Vec<(String, &'a Tensor)>,
    steps: usize,
    letters: usize,
}

impl Walk<'_> {
    fn visit(&mut self, value: PickleValue, depth: usize) -> Result<(), Stop> {
        let Some(steps) = self.steps.checked_sub(1) else {
            return Err(malformed("it names the same containers over and over"));
        };
        self.steps = steps;
        if depth > DEEPEST {
            return Err(malformed("its containers are nested more than 64 deep"));
        }
        let objects = self.objects;
        match value {
            PickleValue::Tensor(at) => {
                let Some(tensor) = objects.tensor_at(at) else {
                    return Ok(());
                };
                let name = match self.name.as_str() {
                    "" if depth == 0 => "tensor",
                    name => name,
                };
                let letters = self.letters.checked_sub(name.len());
                self.letters =
                    letters.ok_or_else(|| malformed("its names take more than 64 MiB"))?;
                if self.tensors.len() == MOST_TENSORS {
                    return Err(malformed("it holds more than a million tensors"));
                }
                self.tensors.push((name.to_owned(), tensor));
            }
            PickleValue::Dict(_) => {
                for pair in objects.items(value).chunks_exact(2) {
                    let key = match pair[0] {
                        PickleValue::Int(key) => key.to_string(),
                        key => match objects.as_text(key) {
                            Some(key) => String::from_utf8_lossy(key).into_owned(),
                            None => continue,
                        },
                    };
                    self.enter(&key, pair[1], depth)?;
                }
            }
            PickleValue::List(_) | PickleValue::Tuple(..) => {
                for (at, item) in objects.items(value).iter().enumerate() {
                    self.enter(&at.to_string(), *item, depth)?;
                }
            }
            PickleValue::Opaque
            | PickleValue::Int(_)
            | PickleValue::Text(..)
            | PickleValue::Global(_)
            | PickleValue::Storage(_) => {}
        }
        Ok(())
    }

    fn enter(&mut self, key: &str, value: PickleValue, depth: usize) -> Result<(), Stop> {
        let length = self.name.len();
        if depth > 0 {
            self.name.push('.');
        }
        self.name.push_str(key);
        self.visit(value, depth + 1)?;
        self.name.truncate(length);
        Ok(())
    }
}
