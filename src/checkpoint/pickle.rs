//! Reads a pickle as a list of tensors, without running anything.
//!
//! A pickle is a program for a stack machine. This machine supports the instructions for numbers, text and containers,
//! and of the globals a pickle may refer to only those that tensors need, see [`Global`]. `PyTorch`'s functions are
//! recognised, not called: "rebuild a tensor" records a storage, a shape and strides. A few kinds of plain data that
//! are often saved beside tensors (settings, scalars, paths) become [`PickleValue::Opaque`], which ignores items added
//! to it. Any other global is rejected by its name, `os.system` as well as user-defined classes.
//!
//! The `pickle` module of candle-core was considered and rejected: it deep-clones an object whenever the pickle refers
//! to it again, and allocates any length an instruction claims. Both allow denial of service. Here values are small and
//! `Copy`, and the contents of containers lie in a few flat lists, so that neither nested nor circular data costs more
//! than its bytes.

use super::{
    error::CheckpointError,
    partial_bytes::{ByteReader, Stop},
    pickle_globals::Global,
    pickle_objects::{Objects, PickleValue, malformed},
};

/// Maximum size of a pickle in bytes. It holds names and shapes; the numbers are stored elsewhere.
pub(super) const LONGEST: u64 = 64 << 20;
/// Maximum number of values per file. A tensor takes about thirty.
const MOST_VALUES: usize = 4 << 20;

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
            if self.objects.value_count() > MOST_VALUES {
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
            b'0' => drop(self.pop()?),
            b'1' => drop(self.since_mark()?),
            b'2' => {
                let top = self.top()?;
                self.push(top);
            }
            b'N' | 0x88 | 0x89 => self.push(PickleValue::Opaque),
            b'G' => {
                self.reader.take(8)?;
                self.push(PickleValue::Opaque);
            }
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
                self.swallow(length.into())?;
            }
            b'B' => {
                let length = self.reader.u32()?;
                self.swallow(length.into())?;
            }
            0x8e | 0x96 => {
                let length = self.reader.u64()?;
                self.swallow(length)?;
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
            0x8f => self.push(PickleValue::Opaque),
            b'l' => {
                let items = self.since_mark()?;
                self.list(items);
            }
            b'd' => {
                let items = self.since_mark()?;
                self.dict(items);
            }
            0x91 => {
                self.since_mark()?;
                self.push(PickleValue::Opaque);
            }
            b'a' => {
                let item = self.pop()?;
                self.extend(&[item])?;
            }
            b's' => {
                let (value, key) = (self.pop()?, self.pop()?);
                self.extend(&[key, value])?;
            }
            b'e' | b'u' | 0x90 => {
                let items = self.since_mark()?;
                self.extend(&items)?;
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
                let (module, name) = (self.reader.line()?, self.reader.line()?);
                self.global(module, name)?;
            }
            0x93 => {
                let (name, module) = (self.pop()?, self.pop()?);
                let (Some(module), Some(name)) =
                    (self.objects.as_text(module), self.objects.as_text(name))
                else {
                    return Err(malformed("it has a name that is not text"));
                };
                self.global(module, name)?;
            }
            b'Q' => {
                let id = self.pop()?;
                let storage = self.objects.make_storage(id);
                self.push(storage.ok_or_else(|| malformed("it names a storage that is not one"))?);
            }
            b'R' | 0x81 => {
                let (arguments, callable) = (self.pop()?, self.pop()?);
                let object = self.objects.reduce(callable, arguments)?;
                self.push(object);
            }
            0x92 => {
                self.pop()?;
                let (arguments, callable) = (self.pop()?, self.pop()?);
                let object = self.objects.reduce(callable, arguments)?;
                self.push(object);
            }
            // The state of an object: attributes of a dictionary, or of an opaque object. Ignored.
            b'b' => {
                self.pop()?;
                self.top()?;
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
        self.objects.count(1);
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
        // An empty list takes more memory than its single byte in the pickle.
        self.objects.count(2);
        let list = self.objects.make_list(items);
        self.push(list);
    }

    fn dict(&mut self, items: Vec<PickleValue>) {
        self.objects.count(2);
        let dict = self.objects.make_dict(items);
        self.push(dict);
    }

    /// Adds items to the list, dictionary or other object on top of the stack.
    fn extend(&mut self, items: &[PickleValue]) -> Result<(), Stop> {
        let container = self.top()?;
        self.objects.extend(container, items);
        Ok(())
    }

    fn text(&mut self, length: u64) -> Result<(), Stop> {
        let begin = self.reader.position() as u32;
        self.reader.take(length)?;
        self.push(PickleValue::Text(begin, self.reader.position() as u32));
        Ok(())
    }

    fn swallow(&mut self, length: u64) -> Result<(), Stop> {
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
        if at > self.objects.value_count() {
            return Err(malformed("the numbers of its stored values have gaps"));
        }
        if at >= self.memo.len() {
            self.memo.resize(at + 1, PickleValue::Opaque);
        }
        self.memo[at] = top;
        Ok(())
    }

    fn global(&mut self, module: &[u8], name: &[u8]) -> Result<(), Stop> {
        let (module, name) = (
            String::from_utf8_lossy(module),
            String::from_utf8_lossy(name),
        );
        let Some(global) = Global::find(&module, &name) else {
            let name = format!("{module}.{name}");
            return Err(CheckpointError::Foreign { name }.into());
        };
        self.push(PickleValue::Global(global));
        Ok(())
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
