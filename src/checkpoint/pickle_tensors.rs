//! Finds the tensors among the objects of a pickle, and names them.
//!
//! Containers and modules come first: the name of a tensor is its path, keys and indices joined by dots, and a module
//! names its tensors as its `state_dict()` would. Other objects with attributes follow, those nearest to the root first;
//! each is visited once, and a tensor that has a name already gets no second one. So the graph of objects of a whole
//! training program costs no more than its size.

use std::collections::{HashSet, VecDeque};

use super::{
    partial_bytes::Stop,
    pickle_objects::{Instance, InstanceOrigin, Objects, PickleValue, Tensor, malformed},
};

/// Maximum number of tensors per file.
const MOST_TENSORS: usize = 1 << 20;
/// Maximum nesting of containers.
const DEEPEST: usize = 64;
/// Maximum number of names of a module's buffers that are no part of its state.
const MOST_TRANSIENT: usize = 64;
/// Maximum total length of all names in bytes. Each name repeats the names of the containers around its tensor.
const MOST_NAMES: usize = 64 << 20;
/// Maximum total length in bytes of the paths of objects that wait for the walk.
const MOST_PATHS: usize = 16 << 20;
/// Maximum length in bytes of a key that is a part of a name.
const LONGEST_KEY: usize = 1024;

/// The tensors of a pickle by name, and which of its classes they come from.
pub(super) struct NamedTensors<'a> {
    pub(super) tensors: Vec<(String, &'a Tensor)>,
    /// For each class of no known meaning, whether any of its objects is a module or holds tensors that are listed.
    pub(super) is_read: Vec<bool>,
    /// Whether containers or objects were left out, because they are nested too deeply or refer to one another too often.
    pub(super) is_cut: bool,
}

/// Returns the tensors in `root` with their names. A tensor that lies in no container is called `tensor`.
///
/// # Errors
/// If names take too much memory, or if the containers refer to one another more often than those of any program do.
pub(super) fn named_tensors<'a>(
    objects: &'a Objects<'_>,
    root: PickleValue,
) -> Result<NamedTensors<'a>, Stop> {
    let mut walk = TensorWalk {
        objects,
        name: String::new(),
        names: NamedTensors {
            tensors: Vec::new(),
            is_read: vec![false; objects.classes().count()],
            is_cut: false,
        },
        lists: vec![VisitState::New; objects.list_count()],
        instances: vec![VisitState::New; objects.instances.len()],
        is_listed: vec![false; objects.tensors.len()],
        references: 0,
        queue: VecDeque::new(),
        is_in_objects: false,
        // Tied weights refer to a tensor several times. Only a malicious file refers to containers over and over.
        steps: objects.value_count().saturating_mul(4).saturating_add(1000),
        letters: MOST_NAMES,
        path_letters: MOST_PATHS,
    };
    walk.visit(root, 0)?;
    let in_containers = walk.names.tensors.len();
    walk.is_in_objects = true;
    while let Some((name, depth, at)) = walk.queue.pop_front() {
        walk.path_letters += name.len();
        walk.name = name;
        walk.visit_attributes(at, depth)?;
    }
    let NamedTensors {
        mut tensors,
        is_read,
        is_cut,
    } = walk.names;
    if tensors.is_empty() && is_cut {
        return Err(malformed(
            "its containers are nested more than 64 deep or contain one another too often",
        ));
    }
    // An attribute and a key may have one name; the first one counts.
    let in_objects = tensors.split_off(in_containers);
    let mut names: HashSet<String> = HashSet::new();
    if !in_objects.is_empty() {
        names.extend(tensors.iter().map(|(name, _)| name.clone()));
    }
    let is_new = |(name, _): &(String, _)| names.insert(name.clone());
    tensors.extend(in_objects.into_iter().filter(is_new));
    Ok(NamedTensors {
        tensors,
        is_read,
        is_cut,
    })
}

/// How far the walk is with a container or an object.
#[derive(Clone, Copy, PartialEq, Eq)]
enum VisitState {
    New,
    /// On the path to what is visited. To enter it again would be to go in a circle.
    Open,
    Closed,
}

/// Depth-first walk through containers and modules. It visits each once per reference, which may be far more often than
/// it was made. Objects with attributes wait in a queue.
struct TensorWalk<'a> {
    objects: &'a Objects<'a>,
    /// Path to the value that is visited.
    name: String,
    names: NamedTensors<'a>,
    lists: Vec<VisitState>,
    instances: Vec<VisitState>,
    /// By tensor.
    is_listed: Vec<bool>,
    /// Number of references to tensors so far.
    references: usize,
    /// Objects with attributes: path, depth, index.
    queue: VecDeque<(String, usize, u32)>,
    /// Whether the walk has come to objects with attributes, so that each container is visited once.
    is_in_objects: bool,
    /// Number of values that may still be visited.
    steps: usize,
    /// Number of bytes that names may still take.
    letters: usize,
    /// Number of bytes that paths in the queue may still take.
    path_letters: usize,
}

impl TensorWalk<'_> {
    fn visit(&mut self, value: PickleValue, depth: usize) -> Result<(), Stop> {
        let has_steps = self.steps > 0;
        if !has_steps && !self.is_in_objects {
            return Err(malformed("it names the same containers over and over"));
        }
        self.count_step();
        if depth > DEEPEST || !has_steps {
            self.names.is_cut = true;
            return Ok(());
        }
        match value {
            PickleValue::Tensor(at) => self.list(at, depth),
            PickleValue::Dict(at) | PickleValue::List(at) => {
                let state = self.lists[at as usize];
                if state == VisitState::Open || (self.is_in_objects && state == VisitState::Closed)
                {
                    return Ok(());
                }
                self.lists[at as usize] = VisitState::Open;
                self.visit_items(value, depth)?;
                self.lists[at as usize] = VisitState::Closed;
                Ok(())
            }
            PickleValue::Tuple(..) => self.visit_items(value, depth),
            PickleValue::Instance(at) => self.visit_instance(at, depth),
            PickleValue::Opaque
            | PickleValue::None
            | PickleValue::Bool(_)
            | PickleValue::Int(_)
            | PickleValue::Float(_)
            | PickleValue::Text(..)
            | PickleValue::Global(_)
            | PickleValue::Class(_)
            | PickleValue::Storage(_) => Ok(()),
        }
    }

    /// Counts a value that is visited or passed over.
    fn count_step(&mut self) {
        self.steps = self.steps.saturating_sub(1);
    }

    fn visit_items(&mut self, container: PickleValue, depth: usize) -> Result<(), Stop> {
        let objects = self.objects;
        if let PickleValue::Dict(_) = container {
            for [key, value] in objects.pairs(container) {
                self.enter(*key, *value, depth)?;
            }
            return Ok(());
        }
        for (at, item) in (0..).zip(objects.items(container)) {
            self.enter(PickleValue::Int(at), *item, depth)?;
        }
        Ok(())
    }

    fn visit_instance(&mut self, at: u32, depth: usize) -> Result<(), Stop> {
        let objects = self.objects;
        let Some(instance) = objects.instance_at(at) else {
            return Ok(());
        };
        if let Some(tensor) = local_tensor(objects, &instance) {
            return self.visit(tensor, depth);
        }
        let modules = objects.value_of(instance.state, "_modules");
        let parameters = objects.value_of(instance.state, "_parameters");
        let is_script = objects.is_script(&instance);
        let state = self.instances[at as usize];
        let is_module = is_script || (modules.is_some() && parameters.is_some());
        if !is_module {
            // A dictionary of a subclass is named like any other.
            let before = self.references;
            self.visit(instance.pairs, depth)?;
            if self.references > before {
                self.mark_class(&instance);
            }
            if state == VisitState::New {
                self.instances[at as usize] = VisitState::Closed;
                self.postpone(at, depth);
            }
            return Ok(());
        }
        if state == VisitState::Open || (self.is_in_objects && state == VisitState::Closed) {
            return Ok(());
        }
        self.instances[at as usize] = VisitState::Open;
        self.mark_class(&instance);
        if is_script {
            self.visit_items(instance.state, depth)?;
        } else {
            self.visit_module(&instance, depth)?;
        }
        self.instances[at as usize] = VisitState::Closed;
        Ok(())
    }

    /// Puts an object with attributes into the queue, if there is room for its path.
    fn postpone(&mut self, at: u32, depth: usize) {
        match self.path_letters.checked_sub(self.name.len()) {
            Some(letters) => {
                self.path_letters = letters;
                self.queue.push_back((self.name.clone(), depth, at));
            }
            None => self.names.is_cut = true,
        }
    }

    /// Visits what `state_dict()` would list: parameters, persistent buffers, and the modules inside.
    fn visit_module(&mut self, module: &Instance, depth: usize) -> Result<(), Stop> {
        let objects = self.objects;
        let part = |key| objects.value_of(module.state, key);
        let transient = part("_non_persistent_buffers_set").unwrap_or(PickleValue::None);
        let transient: Vec<&[u8]> = objects
            .items(transient)
            .iter()
            .take(MOST_TRANSIENT)
            .filter_map(|name| objects.as_text(*name))
            .filter(|name| name.len() <= LONGEST_KEY)
            .collect();
        for key in ["_parameters", "_buffers"] {
            for [name, value] in objects.pairs(self.dictionary(part(key))) {
                let is_transient = key == "_buffers"
                    && objects
                        .as_text(*name)
                        .is_some_and(|name| transient.contains(&name));
                if is_transient {
                    self.count_step();
                } else {
                    self.enter(*name, *value, depth)?;
                }
            }
        }
        for [name, value] in objects.pairs(self.dictionary(part("_modules"))) {
            self.enter(*name, *value, depth)?;
        }
        Ok(())
    }

    /// A dictionary, or the pairs of an object of a subclass.
    fn dictionary(&self, value: Option<PickleValue>) -> PickleValue {
        match value {
            Some(PickleValue::Instance(at)) => self
                .objects
                .instance_at(at)
                .map_or(PickleValue::None, |instance| instance.pairs),
            value => value.unwrap_or(PickleValue::None),
        }
    }

    /// Visits attributes, slots and list items of an object, and the arguments from which its class makes it. The arguments
    /// of a function are not visited: what it makes of them is not known.
    fn visit_attributes(&mut self, at: u32, depth: usize) -> Result<(), Stop> {
        let objects = self.objects;
        let Some(instance) = objects.instance_at(at) else {
            return Ok(());
        };
        let before = self.references;
        if let Some(slots) = objects.slots_of(&instance) {
            self.visit(slots, depth)?;
        }
        self.visit(objects.attributes_of(&instance), depth)?;
        self.visit(instance.members, depth)?;
        if instance.origin == InstanceOrigin::Class {
            self.visit(instance.arguments, depth)?;
        }
        if self.references > before {
            self.mark_class(&instance);
        }
        Ok(())
    }

    fn mark_class(&mut self, instance: &Instance) {
        let class = self.objects.class_of(instance);
        if let Some(class) = class.and_then(|at| self.names.is_read.get_mut(at)) {
            *class = true;
        }
    }

    /// Visits a value under a key. A key that is neither a number nor text of at most [`LONGEST_KEY`] bytes makes no name,
    /// and its value is passed over.
    fn enter(&mut self, key: PickleValue, value: PickleValue, depth: usize) -> Result<(), Stop> {
        let length = self.name.len();
        if depth > 0 {
            self.name.push('.');
        }
        match key {
            PickleValue::Int(key) => self.name.push_str(&key.to_string()),
            key => {
                let key = self.objects.as_text(key);
                let Some(key) = key.filter(|key| key.len() <= LONGEST_KEY) else {
                    self.name.truncate(length);
                    self.count_step();
                    return Ok(());
                };
                self.name.push_str(&String::from_utf8_lossy(key));
            }
        }
        self.visit(value, depth + 1)?;
        self.name.truncate(length);
        Ok(())
    }

    fn list(&mut self, at: u32, depth: usize) -> Result<(), Stop> {
        let Some(tensor) = self.objects.tensor_at(at) else {
            return Ok(());
        };
        self.references += 1;
        let is_listed = &mut self.is_listed[at as usize];
        if self.is_in_objects && *is_listed {
            return Ok(());
        }
        *is_listed = true;
        let name = match self.name.as_str() {
            "" if depth == 0 => "tensor",
            name => name,
        };
        let letters = self.letters.checked_sub(name.len());
        self.letters = letters.ok_or_else(|| malformed("its names take more than 64 MiB"))?;
        if self.names.tensors.len() == MOST_TENSORS {
            return Err(malformed("it holds more than a million tensors"));
        }
        self.names.tensors.push((name.to_owned(), tensor));
        Ok(())
    }
}

/// The tensor inside a distributed tensor (`DTensor`), if this file has all of it.
fn local_tensor(objects: &Objects, instance: &Instance) -> Option<PickleValue> {
    if instance.origin != InstanceOrigin::Wrapper {
        return None;
    }
    let attributes = [
        objects.slots_of(instance),
        Some(objects.attributes_of(instance)),
    ];
    let inside = |dict: PickleValue| objects.value_of(dict, "_local_tensor");
    let value = attributes.into_iter().flatten().find_map(inside)?;
    let PickleValue::Tensor(at) = value else {
        return None;
    };
    // (class, dtype, shape, strides, …)
    let shape = objects.as_lengths(*objects.as_tuple(instance.arguments)?.get(2)?)?;
    (objects.tensor_at(at)?.shape == shape).then_some(value)
}
