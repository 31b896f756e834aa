//! Ranges of remote files in a storage that outlasts the page.

use super::{Fault, Script, Served, Server};
use diagonal::checkpoint::{ByteSource, Network, RangeStore, RemoteSource, StoreFull, StoredFile};
use futures_util::{
    FutureExt,
    future::{LocalBoxFuture, ready},
};
use pollster::block_on;
use proptest::prelude::*;
use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
    ops::Range,
    rc::Rc,
};

const URL: &str = "https://one.example/model.safetensors";

/// Storage in memory that holds a limited number of bytes, under the addresses of ranges.
#[derive(Debug)]
struct Memory {
    stored: RefCell<BTreeMap<String, Vec<u8>>>,
    space: Cell<usize>,
}

impl Memory {
    fn new(space: usize) -> Rc<Self> {
        Rc::new(Self {
            stored: RefCell::default(),
            space: Cell::new(space),
        })
    }

    /// Begin and end of every range.
    fn ranges(&self) -> Vec<(u64, u64)> {
        let stored = self.stored.borrow();
        let range = |address: &String| {
            let (_, range) = StoredFile::from_address(address)?;
            Some((range.start, range.end))
        };
        stored.keys().filter_map(range).collect()
    }
}

impl RangeStore for Memory {
    fn read<'a>(
        &'a self,
        file: &'a StoredFile,
        range: Range<u64>,
    ) -> LocalBoxFuture<'a, Option<Vec<u8>>> {
        let found = self.stored.borrow().get(&file.address(&range)).cloned();
        ready(found).boxed_local()
    }

    fn write<'a>(
        &'a self,
        file: &'a StoredFile,
        begin: u64,
        bytes: &'a [u8],
    ) -> LocalBoxFuture<'a, Result<(), StoreFull>> {
        let address = file.address(&(begin..begin + bytes.len() as u64));
        let written = match self.space.get().checked_sub(bytes.len()) {
            Some(rest) => {
                self.space.set(rest);
                self.stored.borrow_mut().insert(address, bytes.to_vec());
                Ok(())
            }
            None => Err(StoreFull),
        };
        ready(written).boxed_local()
    }
}

fn server(size: u64) -> Script {
    let served = Served {
        beginning: Vec::new(),
        size,
    };
    Script(Rc::new(Server {
        files: [(URL.to_owned(), served)].into(),
        ..Server::default()
    }))
}

/// A visit: a new network, whose memory is empty, with the same storage.
fn visit(server: &Script, store: &Rc<Memory>, is_storing: bool) -> Rc<Network<Script>> {
    let store: Rc<dyn RangeStore> = Rc::clone(store) as _;
    let network = Network::new(server.clone()).with_store(store);
    network.set_storing(is_storing);
    Rc::new(network)
}

fn read(network: &Rc<Network<Script>>, range: Range<u64>) -> Vec<u8> {
    let source = RemoteSource::lazy(network, URL, false);
    block_on(source.read(range)).expect("bytes")
}

fn requests(server: &Script) -> usize {
    server.0.log.borrow().len()
}

#[test]
fn a_later_visit_reads_what_was_stored() {
    let (server, store) = (server(1 << 20), Memory::new(usize::MAX));
    let range = 200_000..300_000;
    let bytes = read(&visit(&server, &store, true), range.clone());
    assert_eq!(store.ranges(), [(range.start, range.end)]);
    // The first 64 KiB tell the version; nothing else is fetched.
    let before = requests(&server);
    assert!(read(&visit(&server, &store, false), range.clone()) == bytes);
    assert_eq!(requests(&server), before + 1);
    // Bytes beyond the stored range are fetched, and not stored without consent.
    read(&visit(&server, &store, false), 400_000..500_000);
    assert_eq!(store.ranges().len(), 1);
}

#[test]
fn another_version_of_a_file_is_fetched_anew() {
    let (server, store) = (server(1 << 20), Memory::new(usize::MAX));
    let range = 200_000..200_100;
    read(&visit(&server, &store, true), range.clone());
    server
        .0
        .faults
        .borrow_mut()
        .extend([Fault::OtherEtag, Fault::OtherEtag]);
    let before = requests(&server);
    read(&visit(&server, &store, true), range);
    assert_eq!(requests(&server), before + 2);
    assert_eq!(store.ranges().len(), 2);
}

#[test]
fn a_full_storage_is_written_no_further_and_reading_goes_on() {
    let (server, store) = (server(1 << 20), Memory::new(150));
    let network = visit(&server, &store, true);
    for begin in [100_000, 200_000, 300_000] {
        assert_eq!(read(&network, begin..begin + 100).len(), 100);
        assert_eq!(network.is_storage_full(), begin > 100_000);
    }
    assert_eq!(store.ranges(), [(100_000, 100_100)]);
    network.set_storing(true);
    assert!(!network.is_storage_full());
}

/// A file whose version the server does not state is never stored, since nothing tells a newer one apart.
#[test]
fn files_without_a_version_are_not_stored() {
    let served = Served {
        beginning: Vec::new(),
        size: 1 << 20,
    };
    let server = Script(Rc::new(Server {
        files: [(URL.to_owned(), served)].into(),
        lacks: &["etag"],
        ..Server::default()
    }));
    let store = Memory::new(usize::MAX);
    read(&visit(&server, &store, true), 200_000..200_100);
    assert!(store.ranges().is_empty());
}

proptest! {
    #[test]
    fn addresses_name_their_file_and_range(url: String, version: String, begin in 0..1_u64 << 50, length in 1..1_u64 << 40) {
        let file = StoredFile { url, version };
        let range = begin..begin + length;
        let address = file.address(&range);
        for address in [address.clone(), format!("https://page.example/app/{address}")] {
            prop_assert_eq!(StoredFile::from_address(&address), Some((file.clone(), range.clone())));
        }
    }

    #[test]
    fn other_addresses_name_nothing(address: String) {
        prop_assert_eq!(StoredFile::from_address(&address), None);
    }
}
