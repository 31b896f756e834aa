//! Reads a pickle as a list of tensors, without running anything.
//!
//! A pickle is a program for a stack machine. This machine supports its instructions for numbers, text, containers and
//! objects, but never calls anything. `PyTorch`'s functions are recognised, see [`Global`]: "rebuild a tensor" records a
//! storage, a shape and strides. Any other class or function, `os.system` as well as one of the file's author, is a
//! name; calling it records an [`Instance`](super::pickle_objects::Instance) with the arguments and the state that the
//! pickle gives to it. `pickle_tensors.rs` looks for tensors in these.
//!
//! The `pickle` module of candle-core was considered and rejected: it deep-clones an object whenever the pickle refers
//! to it again, and allocates any length an instruction claims. Both allow denial of service. Here values are small and
//! `Copy`, and the contents of containers lie in a few flat lists, so that neither nested nor circular data costs more
//! than its bytes.

use super::{
    partial_bytes::{ByteReader, Stop},
    pickle_globals::Global,
    pickle_objects::{ClassName, InstanceOrigin, Objects, PickleValue, malformed},
};

/// Maximum size of a pickle in bytes. It holds names and shapes; the numbers are stored elsewhere.
pub(super) const LONGEST: u64 = 64 << 20;
/// Maximum number of values in memory per file. A tensor takes about thirty.
const MOST_VALUES: usize = 4 << 20;
/// Maximum length in bytes of a module or a name that may have a meaning, see [`Global::find`]. Longer ones are not
/// looked up.
const LONGEST_KNOWN_NAME: usize = 64;

/// The stack machine, and the objects made so far by the pickles of one file.
pub(super) struct Machine<'a> {
    reader: ByteReader<'a>,
    stack: Vec<PickleValue>,
    /// Stack height at each open mark.
    marks: Vec<usize>,
    memo: Vec<PickleValue>,
    objects: Objects<'a>,
    /// The result of each pickle.
    roots: Vec<PickleValue>,
}

impl<'a> Machine<'a> {
    /// Starts a machine for one pickle, or for several that follow one another.
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self {
            reader: ByteReader::new(bytes),
            stack: Vec::new(),
            marks: Vec::new(),
            memo: Vec::new(),
            objects: Objects::new(bytes),
            roots: Vec::new(),
        }
    }

    /// Number of bytes read so far.
    pub(super) fn position(&self) -> u64 {
        self.reader.position() as u64
    }

    /// The objects made by the pickles.
    pub(super) fn objects(&self) -> &Objects<'a> {
        &self.objects
    }

    /// The result of pickle `number`.
    pub(super) fn root(&self, number: usize) -> PickleValue {
        self.roots
            .get(number)
            .copied()
            .unwrap_or(PickleValue::Opaque)
    }

    /// Runs the next pickle.
    pub(super) fn load(&mut self) -> Result<(), Stop> {
        self.stack.clear();
        self.marks.clear();
        self.memo.clear();
        loop {
            let code = self.reader.u8()?;
            if code == b'.' {
                let root = self.pop()?;
                self.roots.push(root);
                return Ok(());
            }
            self.step(code)?;
            let values = self.stack.len() + self.marks.len() + self.memo.len();
            if self.objects.item_count() + values > MOST_VALUES {
                return Err(malformed("it makes more than four million values"));
            }
        }
    }

    /// Executes one instruction.
    fn step(&mut self, code: u8) -> Result<(), Stop> {
        match code {
            // The protocol version, and a frame length.
            0x80 => drop(self.reader.u8()?),
            0x95 => drop(self.reader.u64()?),
            b'(' => self.marks.push(self.stack.len()),
            b'0' => {
                // Right after a mark, this removes the mark. The oldest protocol does so for a tuple that contains itself.
                if self.marks.last() == Some(&self.stack.len()) {
                    self.marks.pop();
                } else {
                    self.pop()?;
                }
            }
            b'1' => drop(self.since_mark()?),
            b'2' => {
                let top = self.top()?;
                self.push(top);
            }
            b'N' => self.push(PickleValue::None),
            0x88 | 0x89 => self.push(PickleValue::Bool(code == 0x88)),
            b'G' => {
                let bits = self.reader.u64()?;
                self.push(PickleValue::Float(f64::from_bits(bits.swap_bytes())));
            }
            // Numbers and text of the oldest protocol, a line each.
            b'I' | b'L' | b'F' => {
                let line = self.reader.line()?;
                self.push(number(code, line));
            }
            b'S' | b'V' => self.text_line(code)?,
            b'K' => {
                let int = self.reader.u8()?;
                self.push(PickleValue::Int(int.into()));
            }
            b'M' => {
                let int = self.reader.u16()?;
                self.push(PickleValue::Int(int.into()));
            }
            b'J' => {
                let int = self.reader.u32()?;
                self.push(PickleValue::Int(int.cast_signed().into()));
            }
            0x8a | 0x8b => {
                let length = match code {
                    0x8a => self.reader.u8()?.into(),
                    _ => self.reader.u32()?,
                };
                let int = self.reader.take(length.into())?;
                self.push(long(int));
            }
            // Text, and bytes of Python 2 and 3, with a length of 1, 4 or 8 bytes.
            b'U' | 0x8c => {
                let length = self.reader.u8()?;
                self.text(length.into())?;
            }
            b'T' | b'X' => {
                let length = self.reader.u32()?;
                self.text(length.into())?;
            }
            0x8d => {
                let length = self.reader.u64()?;
                self.text(length)?;
            }
            b'C' => {
                let length = self.reader.u8()?;
                self.skip_bytes(length.into())?;
            }
            b'B' => {
                let length = self.reader.u32()?;
                self.skip_bytes(length.into())?;
            }
            0x8e | 0x96 => {
                let length = self.reader.u64()?;
                self.skip_bytes(length)?;
            }
            b')' => self.tuple(self.stack.len()),
            b't' => {
                let mark = self.mark()?;
                self.tuple(mark);
            }
            0x85..=0x87 => {
                let from = self.stack.len().checked_sub(usize::from(code - 0x84));
                let from = from.filter(|from| *from >= self.floor());
                self.tuple(from.ok_or_else(too_little)?);
            }
            b']' => self.list(Vec::new()),
            b'}' => self.dict(Vec::new()),
            // A set becomes a list.
            0x8f => self.list(Vec::new()),
            b'l' | 0x91 => {
                let items = self.since_mark()?;
                self.list(items);
            }
            b'd' => {
                let items = self.since_mark()?;
                self.dict(items);
            }
            b'a' => {
                let item = self.pop()?;
                let container = self.top()?;
                self.objects.append(container, &[item]);
            }
            b's' => {
                let (value, key) = (self.pop()?, self.pop()?);
                let container = self.top()?;
                self.objects.insert(container, &[key, value]);
            }
            b'e' | 0x90 => {
                let items = self.since_mark()?;
                let container = self.top()?;
                self.objects.append(container, &items);
            }
            b'u' => {
                let items = self.since_mark()?;
                let container = self.top()?;
                self.objects.insert(container, &items);
            }
            b'g' => {
                let at = line_number(self.reader.line()?)?;
                self.recall(at)?;
            }
            b'p' => {
                let at = line_number(self.reader.line()?)?;
                self.keep(at as usize)?;
            }
            b'h' => {
                let at = self.reader.u8()?;
                self.recall(at.into())?;
            }
            b'j' => {
                let at = self.reader.u32()?;
                self.recall(at)?;
            }
            b'q' => {
                let at = self.reader.u8()?;
                self.keep(at.into())?;
            }
            b'r' => {
                let at = self.reader.u32()?;
                self.keep(at as usize)?;
            }
            0x94 => self.keep(self.memo.len())?,
            b'c' => {
                let global = self.global_lines()?;
                self.push(global);
            }
            0x93 => {
                let (name, module) = (self.pop()?, self.pop()?);
                let (PickleValue::Text(..), PickleValue::Text(..)) = (module, name) else {
                    return Err(malformed("it has a name that is not text"));
                };
                let global = self.global(module, name)?;
                self.push(global);
            }
            b'Q' => {
                let id = self.pop()?;
                let object = self.objects.resolve_id(id)?;
                self.push(object);
            }
            b'P' => {
                self.reader.line()?;
                self.objects.unread += 1;
                self.push(PickleValue::Opaque);
            }
            b'R' | 0x81 => {
                let origin = if code == b'R' {
                    InstanceOrigin::Call
                } else {
                    InstanceOrigin::Class
                };
                let (arguments, callable) = (self.pop()?, self.pop()?);
                self.call(callable, origin, arguments)?;
            }
            0x92 => {
                self.pop()?;
                let (arguments, callable) = (self.pop()?, self.pop()?);
                self.call(callable, InstanceOrigin::Class, arguments)?;
            }
            // An instance of a class, by its arguments since the mark; the class is the first of them or named here.
            b'o' => {
                let items = self.since_mark()?;
                let (class, arguments) = items.split_first().ok_or_else(too_little)?;
                let arguments = self.objects.make_tuple(arguments.iter().copied());
                self.call(*class, InstanceOrigin::Class, arguments)?;
            }
            b'i' => {
                let class = self.global_lines()?;
                let arguments = self.since_mark()?;
                let arguments = self.objects.make_tuple(arguments);
                self.call(class, InstanceOrigin::Class, arguments)?;
            }
            // The state of an object.
            b'b' => {
                let state = self.pop()?;
                let object = self.top()?;
                self.objects.set_state(object, state);
            }
            _ => {
                return Err(malformed(format!(
                    "instruction {code:#04x} is not one that tensors need"
                )));
            }
        }
        Ok(())
    }

    fn push(&mut self, value: PickleValue) {
        self.objects.count_value();
        self.stack.push(value);
    }

    /// Stack height at the last mark. Nothing below it may be popped.
    fn floor(&self) -> usize {
        self.marks.last().copied().unwrap_or(0)
    }

    fn pop(&mut self) -> Result<PickleValue, Stop> {
        if self.stack.len() <= self.floor() {
            return Err(too_little());
        }
        self.stack.pop().ok_or_else(too_little)
    }

    fn top(&self) -> Result<PickleValue, Stop> {
        if self.stack.len() <= self.floor() {
            return Err(too_little());
        }
        self.stack.last().copied().ok_or_else(too_little)
    }

    fn mark(&mut self) -> Result<usize, Stop> {
        self.marks.pop().ok_or_else(too_little)
    }

    /// Pops all values since the last mark.
    fn since_mark(&mut self) -> Result<Vec<PickleValue>, Stop> {
        let mark = self.mark()?;
        Ok(self.stack.split_off(mark))
    }

    fn tuple(&mut self, from: usize) {
        let tuple = self.objects.make_tuple(self.stack.drain(from..));
        self.push(tuple);
    }

    fn list(&mut self, items: Vec<PickleValue>) {
        let list = self.objects.make_list(items);
        self.push(list);
    }

    fn dict(&mut self, items: Vec<PickleValue>) {
        let dict = self.objects.make_dict(items);
        self.push(dict);
    }

    fn call(
        &mut self,
        callable: PickleValue,
        origin: InstanceOrigin,
        arguments: PickleValue,
    ) -> Result<(), Stop> {
        let object = self.objects.call(callable, origin, arguments)?;
        self.push(object);
        Ok(())
    }

    fn text(&mut self, length: u64) -> Result<(), Stop> {
        let begin = self.reader.position() as u32;
        self.reader.take(length)?;
        self.push(PickleValue::Text(begin, self.reader.position() as u32));
        Ok(())
    }

    /// Reads text of the oldest protocol: in quotes (`S`) or not (`V`). Escapes remain as they are, because no name of a
    /// tensor needs them.
    fn text_line(&mut self, code: u8) -> Result<(), Stop> {
        let quotes = u32::from(code == b'S');
        let (begin, _) = self.line()?;
        let end = (self.reader.position() as u32 - 1).saturating_sub(quotes);
        let begin = (begin + quotes).min(end);
        self.push(PickleValue::Text(begin, end));
        Ok(())
    }

    /// Reads a line, and returns the range of its bytes.
    fn line(&mut self) -> Result<(u32, u32), Stop> {
        let begin = self.reader.position();
        self.reader.line()?;
        Ok((begin as u32, self.reader.position() as u32 - 1))
    }

    /// Reads bytes, which no tensor needs.
    fn skip_bytes(&mut self, length: u64) -> Result<(), Stop> {
        self.reader.take(length)?;
        self.push(PickleValue::Opaque);
        Ok(())
    }

    fn recall(&mut self, at: u32) -> Result<(), Stop> {
        let value = self.memo.get(at as usize).copied();
        self.push(value.ok_or_else(|| malformed("it reads a value that it never stored"))?);
        Ok(())
    }

    /// Stores the value on top in the memo. Writers number entries consecutively, so a large jump is rejected.
    fn keep(&mut self, at: usize) -> Result<(), Stop> {
        let top = self.top()?;
        if at > self.objects.value_count().min(MOST_VALUES) {
            return Err(malformed("the numbers of its stored values have gaps"));
        }
        if at >= self.memo.len() {
            self.memo.resize(at + 1, PickleValue::Opaque);
        }
        self.memo[at] = top;
        Ok(())
    }

    /// Reads the module and the name of a global, a line each.
    fn global_lines(&mut self) -> Result<PickleValue, Stop> {
        let (module, name) = (self.line()?, self.line()?);
        self.global(
            PickleValue::Text(module.0, module.1),
            PickleValue::Text(name.0, name.1),
        )
    }

    /// The global of this name: one of known meaning, or a class that is only a name.
    fn global(&mut self, module: PickleValue, name: PickleValue) -> Result<PickleValue, Stop> {
        let texts = (self.objects.as_text(module), self.objects.as_text(name));
        let (
            (Some(module_text), Some(name_text)),
            (PickleValue::Text(module_from, module_to), PickleValue::Text(name_from, name_to)),
        ) = (texts, (module, name))
        else {
            return Err(malformed("it has a name that is not text"));
        };
        let short = |text: &'a [u8]| {
            let text = (text.len() <= LONGEST_KNOWN_NAME).then_some(text)?;
            str::from_utf8(text).ok()
        };
        let names = short(module_text).zip(short(name_text));
        let global = names.and_then(|(module, name)| Global::find(module, name));
        Ok(global.map_or_else(
            || {
                self.objects.make_class(ClassName {
                    module: (module_from, module_to),
                    name: (name_from, name_to),
                })
            },
            PickleValue::Global,
        ))
    }
}

fn too_little() -> Stop {
    malformed("an instruction finds too little to work on")
}

/// Decodes an integer of any length; one beyond 64 bits is opaque, as no tensor needs it.
fn long(bytes: &[u8]) -> PickleValue {
    let Some(last) = bytes.last() else {
        return PickleValue::Int(0);
    };
    if bytes.len() > 8 {
        return PickleValue::Opaque;
    }
    let mut int = [if last & 0x80 == 0 { 0 } else { 0xff }; 8];
    int[..bytes.len()].copy_from_slice(bytes);
    PickleValue::Int(i64::from_le_bytes(int))
}

/// Decodes a number of the oldest protocol, which may end in `L`; `00` and `01` are booleans.
fn number(code: u8, line: &[u8]) -> PickleValue {
    let line = line.strip_suffix(b"L").unwrap_or(line);
    let text = str::from_utf8(line).unwrap_or_default().trim();
    match (code, text) {
        (b'I', "00" | "01") => PickleValue::Bool(text == "01"),
        (b'F', _) => text.parse().map_or(PickleValue::Opaque, PickleValue::Float),
        _ => text.parse().map_or(PickleValue::Opaque, PickleValue::Int),
    }
}

/// The number of a stored value, as text.
fn line_number(line: &[u8]) -> Result<u32, Stop> {
    let text = str::from_utf8(line).unwrap_or_default().trim();
    let number = text.parse().ok();
    number.ok_or_else(|| malformed("the number of a stored value is none"))
}
