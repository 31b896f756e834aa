//! The browser's history: Back undoes every change of view, model or head, and no state is lost on the way.

use super::any_link::link;
use diagonal::{
    analysis::{AttentionMask, Similarity},
    encoding::{Kernel, Kernels, Sinusoidal},
    url_state::{AddressHistory, HistoryStep, Link, ModelRef, View},
};
use proptest::{collection::vec, prelude::*};

fn change_link(link: &Link, change: impl FnOnce(&mut Link)) -> Link {
    let mut link = link.clone();
    change(&mut link);
    link
}

fn slide(link: &mut Link, a: f64) {
    link.kernels.kernels.0[0] = Kernel::new(a, 1.0, 0.0);
}

#[test]
fn view_model_choice_layer_and_head_are_steps_and_nothing_else_is() {
    let before = Link {
        model: ModelRef::Sinusoidal(Sinusoidal::default()),
        ..Link::default()
    };
    let steps: [fn(&mut Link); 5] = [
        |link| link.view = View::Compare,
        |link| link.model = ModelRef::Preset("minilm-l6".into()),
        |link| link.choice.source = Some("decoder".into()),
        |link| link.heads.layer = 3,
        |link| link.heads.head = 3,
    ];
    for (at, change) in steps.into_iter().enumerate() {
        assert!(change_link(&before, change).is_step_from(&before), "{at}");
    }
    let same: [fn(&mut Link); 8] = [
        |link| {
            link.model = ModelRef::Sinusoidal(Sinusoidal {
                rows: 99,
                ..Sinusoidal::default()
            });
        },
        |link| slide(link, 2.0),
        |link| link.kernels.length = Some(99),
        |link| link.cursor.pin = Some((1, 2)),
        |link| link.matrices.clip = 5.0,
        |link| link.positions.similarity = Similarity::Cosine,
        |link| link.heads.cells = Some(AttentionMask::Causal),
        |link| link.encodings.choice.all = true,
    ];
    for (at, change) in same.into_iter().enumerate() {
        let after = change_link(&before, change);
        assert!(after != before && !after.is_step_from(&before), "{at}");
    }
    // A newly known hash of a file does not make an entry; another table of the file does.
    let file = |hash| {
        let name = "a.npz".to_owned();
        change_link(&before, |link| link.model = ModelRef::File { name, hash })
    };
    assert!(!file(Some(1)).is_step_from(&file(None)));
    assert!(file(Some(1)).is_step_from(&file(Some(2))));
}

/// A browser's history: its entries, and the index of the current one.
struct Browser {
    entries: Vec<String>,
    at: usize,
}

impl Browser {
    fn take(&mut self, steps: impl IntoIterator<Item = HistoryStep>) {
        for step in steps {
            match step {
                HistoryStep::Replace(query) => self.entries[self.at] = query,
                HistoryStep::Push(query) => {
                    self.entries.truncate(self.at + 1);
                    self.entries.push(query);
                    self.at += 1;
                }
            }
        }
    }
}

#[test]
fn back_shows_the_kernels_as_they_were_left() {
    let first = "view=kernels&model=sinusoidal&fit=head";
    let (link, _) = Link::parse(first);
    let mut address = AddressHistory::new(&format!("?{first}"), link.clone());
    let mut browser = Browser {
        entries: vec![first.to_owned()],
        at: 0,
    };
    // The person moves a slider and changes the view before the address has followed.
    let slid = change_link(&link, |link| slide(link, 7.0));
    browser.take(address.change(&slid));
    assert_eq!(browser.entries, [first]);
    let heads = change_link(&slid, |link| link.view = View::Heads);
    browser.take(address.change(&heads));
    assert_eq!(browser.entries, [slid.query(), heads.query()]);
    assert_eq!(address.pause(), None);
    // A change just before going back does not reach the entry that is shown then.
    let pinned = change_link(&heads, |link| link.cursor.pin = Some((1, 2)));
    browser.take(address.change(&pinned));
    let (back, warnings) = address.go_to(&slid.query()).expect("another entry");
    assert_eq!((&back, warnings.count()), (&slid, 0));
    assert_eq!((address.change(&back), address.pause()), (vec![], None));
}

#[test]
fn a_link_stays_as_it_was_typed_until_something_changes() {
    let typed = "layer=5&encodings=seed:7;;n:64&clip=1.0";
    let (link, _) = Link::parse(typed);
    let mut address = AddressHistory::new(typed, link.clone());
    assert_eq!((address.change(&link), address.pause()), (vec![], None));
    // An anchor makes an entry with the same query: nothing has to be restored.
    let pinned = change_link(&link, |link| link.cursor.pin = Some((1, 2)));
    assert_eq!(address.change(&pinned), []);
    assert!(address.go_to(&format!("?{typed}")).is_none());
    assert_eq!(address.pause(), Some(HistoryStep::Replace(pinned.query())));
    assert_eq!(address.pause(), None);
}

#[test]
fn parts_that_are_not_understood_leave_the_address() {
    let typed = "layer=5&nonsense=1&encodings=n:64;more&clip=1.0";
    let (link, warnings) = Link::parse(typed);
    assert_eq!(warnings.count(), 2);
    let readable = "view=positions&model=minilm-l6&layer=5&encodings=n:64";
    let replaced = HistoryStep::Replace(readable.to_owned());
    let mut address = AddressHistory::new(typed, link.clone());
    assert_eq!(address.change(&link), []);
    assert_eq!(address.pause(), Some(replaced.clone()));
    assert_eq!(address.pause(), None);
    // The same holds for an entry that the user goes back to.
    let mut address = AddressHistory::new("view=heads", Link::parse("view=heads").0);
    let (back, warnings) = address.go_to(typed).expect("another entry");
    assert_eq!((&back, warnings.count()), (&link, 2));
    assert_eq!(address.change(&back), []);
    assert_eq!(address.pause(), Some(replaced));
    assert_eq!(address.pause(), None);
}

#[derive(Debug, Clone)]
enum Deed {
    Change(Box<Link>),
    Slide(f64),
    Pause,
    Back,
    Forward,
}

fn any_deed() -> impl Strategy<Value = Deed> {
    prop_oneof![
        2 => link().prop_map(|link| Deed::Change(Box::new(link))),
        3 => (-100.0..100.0).prop_map(Deed::Slide),
        2 => Just(Deed::Pause),
        2 => Just(Deed::Back),
        2 => Just(Deed::Forward),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 64, ..ProptestConfig::default() })]

    /// After any actions: once the person pauses, the current entry equals the visible state, and going to another
    /// entry restores its state.
    #[test]
    fn the_present_entry_says_what_is_shown(deeds in vec(any_deed(), 0..30)) {
        let mut state = Link::default();
        let mut address = AddressHistory::new(&state.query(), state.clone());
        let mut browser = Browser { entries: vec![state.query()], at: 0 };
        for deed in deeds {
            let entries = browser.entries.clone();
            let go = match deed {
                Deed::Change(link) => {
                    let is_step = link.is_step_from(&state);
                    state = *link;
                    browser.take(address.change(&state));
                    prop_assert!(!is_step || browser.entries[browser.at] == state.query());
                    continue;
                }
                Deed::Slide(a) => {
                    state.kernels.kernels = Kernels(vec![Kernel::new(a, 1.0, 0.0)]);
                    browser.take(address.change(&state));
                    prop_assert_eq!(&entries, &browser.entries);
                    continue;
                }
                Deed::Pause => {
                    browser.take(address.pause());
                    prop_assert_eq!(Link::parse(&browser.entries[browser.at]).0, state.clone());
                    continue;
                }
                Deed::Back => browser.at.checked_sub(1),
                Deed::Forward => Some(browser.at + 1).filter(|at| *at < browser.entries.len()),
            };
            if let Some(at) = go {
                browser.at = at;
                if let Some((link, warnings)) = address.go_to(&browser.entries[at]) {
                    prop_assert_eq!(warnings.count(), 0);
                    prop_assert_eq!(link.query(), browser.entries[at].clone());
                    state = link;
                    browser.take(address.change(&state));
                }
                prop_assert_eq!(&entries, &browser.entries);
            }
        }
    }
}
