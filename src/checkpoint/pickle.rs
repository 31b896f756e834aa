//! A pickle read as a list of tensors. Nothing is ever run.
//!
//! A pickle is a program for a machine with a stack. This machine knows the instructions that numbers, texts
//! and containers are written with, and of the things a pickle may name only those that tensors need, see
//! [`Global`]. `PyTorch`'s functions are recognised, not called: "rebuild a tensor" is a note of a storage,
//! a shape and strides. A few kinds of plain data that people save beside tensors (settings, scalars,
//! paths) become [`PickleValue::Opaque`], which swallows whatever is put into it. Anything else is refused by its
//! name, `os.system` as well as a class of somebody's own.
//!
//! The `pickle` module of candle-core was judged and not taken: it clones an object and all that is in it
//! whenever the pickle names it again, and allocates whatever length an instruction claims; both are
//! bombs. Here values are small and copied, and what is in them lies side by side in a few lists, so that
//! neither deep nor circular data costs more than its bytes.

use super::{
    error::CheckpointError,
    partial_bytes::{ByteReader, Stop},
    pickle_globals::Global,
    pickle_objects::{Objects, PickleValue, malformed},
};

/// The longest pickle. It holds names and shapes; numbers are elsewhere.
pub(super) const LONGEST: u64 = 64 << 20;
/// The most values one pickle makes. A tensor takes about thirty.
const MOST_VALUES: usize = 4 << 20;

/// The machine, and what the pickles of one file have made of it so far.
pub(super) struct Machine<'a> {
    reader: ByteReader<'a>,
    stack: Vec<PickleValue>,
    /// How high the stack was where a container began.
    marks: Vec<usize>,
    memo: Vec<PickleValue>,
    objects: Objects<'a>,
    /// The value that each pickle came to.
    roots: Vec<PickleValue>,
}

impl<'a> Machine<'a> {
    /// Reads one pickle, or several that follow one another.
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

    /// How many bytes have been read.
    pub(super) fn position(&self) -> u64 {
        self.reader.position() as u64
    }

    /// The objects that the pickles have made.
    pub(super) fn objects(&self) -> &Objects<'a> {
        &self.objects
    }

    /// The value that pickle `number` came to.
    pub(super) fn root(&self, number: usize) -> PickleValue {
        self.roots
            .get(number)
            .copied()
            .unwrap_or(PickleValue::Opaque)
    }

    /// Reads the next pickle.
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
            if self.objects.made() > MOST_VALUES {
                return Err(malformed("it makes more than four million values"));
            }
        }
    }

    /// One instruction.
    fn step(&mut self, code: u8) -> Result<(), Stop> {
        match code {
            // The version, and a hint of how much to read at once.
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
            // Texts, bytes of version 2 and 3 of Python, which say how long they are in 1, 4 or 8 bytes.
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
                    return Err(malformed("it names something by what is no name"));
                };
                self.global(module, name)?;
            }
            b'Q' => {
                let id = self.pop()?;
                let storage = self.objects.make_storage(id);
                self.push(storage.ok_or_else(|| malformed("it names a storage that is none"))?);
            }
            b'R' | 0x81 => {
                let (arguments, callable) = (self.pop()?, self.pop()?);
                let made = self.objects.reduce(callable, arguments)?;
                self.push(made);
            }
            0x92 => {
                self.pop()?;
                let (arguments, callable) = (self.pop()?, self.pop()?);
                let made = self.objects.reduce(callable, arguments)?;
                self.push(made);
            }
            // The attributes of an object: notes on a dictionary, or what is opaque anyway.
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

    /// How high the stack was at the last mark, below which nothing is taken.
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

    /// Takes all that was made since the last mark.
    fn since_mark(&mut self) -> Result<Vec<PickleValue>, Stop> {
        let mark = self.mark()?;
        Ok(self.stack.split_off(mark))
    }

    fn tuple(&mut self, from: usize) {
        let tuple = self.objects.make_tuple(self.stack.drain(from..));
        self.push(tuple);
    }

    fn list(&mut self, items: Vec<PickleValue>) {
        // An empty list takes more memory than the one byte it is written with.
        self.objects.count(2);
        let list = self.objects.make_list(items);
        self.push(list);
    }

    fn dict(&mut self, items: Vec<PickleValue>) {
        self.objects.count(2);
        let dict = self.objects.make_dict(items);
        self.push(dict);
    }

    /// Adds to the list, dictionary or other object on top.
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
        self.push(value.ok_or_else(|| malformed("it recalls what it never made"))?);
        Ok(())
    }

    /// Remembers the value on top. Writers count up, one number a value.
    fn keep(&mut self, at: usize) -> Result<(), Stop> {
        let top = self.top()?;
        if at > self.objects.made() {
            return Err(malformed("it counts what it remembers by leaps"));
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
        let Some(global) = Global::named(&module, &name) else {
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

/// A whole number of any length; one beyond 64 bits is none that tensors need.
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
