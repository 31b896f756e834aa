//! What is worth keeping of an open model between questions: values by key, in no more than so much memory.

use futures_util::lock::Mutex;
use std::{
    any::Any,
    cell::RefCell,
    rc::{Rc, Weak},
};

/// Names something that can be kept, and says how large it is.
pub(super) trait CacheKey: PartialEq + 'static {
    /// What is kept under the key.
    type Value: 'static;

    /// How many numbers a value holds.
    fn numbers(value: &Self::Value) -> usize;
}

/// What holds this many numbers or fewer stays: dropping it frees next to nothing, and reading it again may
/// take minutes.
const SMALL: usize = 1 << 16;

/// Values by key. What has not been asked for the longest goes first; what is asked for now always stays,
/// however large it is.
pub(super) struct ModelCache {
    /// Numbers held at most, besides small values and the one that was kept last.
    most: usize,
    /// The one that was asked for last is last.
    values: RefCell<Vec<CachedValue>>,
    /// The values that are being made.
    making: RefCell<Vec<PendingValue>>,
}

/// A key, and the lock that is held while its value is made.
type PendingValue = (Box<dyn Any>, Weak<Mutex<()>>);

struct CachedValue {
    key: Box<dyn Any>,
    value: Rc<dyn Any>,
    numbers: usize,
}

impl ModelCache {
    pub(super) fn new(most: usize) -> Self {
        Self {
            most,
            values: RefCell::default(),
            making: RefCell::default(),
        }
    }

    /// The value of a key, made now where it is not kept. Of two who ask at once, one makes it and the other
    /// waits; where the one fails or gives up, the other makes it.
    pub(super) async fn get<K: CacheKey + Clone, E>(
        &self,
        key: K,
        make: impl Future<Output = Result<K::Value, E>>,
    ) -> Result<Rc<K::Value>, E> {
        if let Some(value) = self.find(&key) {
            return Ok(value);
        }
        let lock = self.lock_of(&key);
        let _alone = lock.lock().await;
        if let Some(value) = self.find(&key) {
            return Ok(value);
        }
        let value = Rc::new(make.await?);
        self.keep(key, &value);
        Ok(value)
    }

    /// Whether the value of a key is kept.
    pub(super) fn has<K: CacheKey>(&self, key: &K) -> bool {
        (self.values.borrow().iter()).any(|entry| is(&*entry.key, key))
    }

    /// Lets go of every value under keys of a type.
    pub(super) fn forget<K: CacheKey>(&self) {
        self.values
            .borrow_mut()
            .retain(|entry| !entry.key.is::<K>());
    }

    fn find<K: CacheKey>(&self, key: &K) -> Option<Rc<K::Value>> {
        let mut values = self.values.borrow_mut();
        let at = values.iter().position(|entry| is(&*entry.key, key))?;
        let entry = values.remove(at);
        let value = Rc::clone(&entry.value).downcast().ok();
        values.push(entry);
        value
    }

    fn keep<K: CacheKey>(&self, key: K, value: &Rc<K::Value>) {
        let mut values = self.values.borrow_mut();
        values.push(CachedValue {
            key: Box::new(key),
            numbers: K::numbers(value),
            value: Rc::<K::Value>::clone(value),
        });
        let newest = values.len() - 1;
        let mut held: usize = values.iter().map(|entry| entry.numbers).sum();
        let mut at = 0;
        values.retain(|entry| {
            let goes = held > self.most && at < newest && entry.numbers > SMALL;
            if goes {
                held -= entry.numbers;
            }
            at += 1;
            !goes
        });
    }

    fn lock_of<K: CacheKey + Clone>(&self, key: &K) -> Rc<Mutex<()>> {
        let mut making = self.making.borrow_mut();
        making.retain(|(_, lock)| lock.strong_count() > 0);
        let same = making.iter().find(|(other, _)| is(&**other, key));
        if let Some(lock) = same.and_then(|(_, lock)| lock.upgrade()) {
            return lock;
        }
        let lock = Rc::new(Mutex::new(()));
        making.push((Box::new(key.clone()), Rc::downgrade(&lock)));
        lock
    }
}

fn is<K: CacheKey>(other: &dyn Any, key: &K) -> bool {
    other.downcast_ref::<K>() == Some(key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::future::join;
    use std::{cell::Cell, convert::Infallible, future::poll_fn, task::Poll};

    #[derive(Clone, PartialEq)]
    struct TestLayer(usize);

    impl CacheKey for TestLayer {
        type Value = usize;

        fn numbers(value: &usize) -> usize {
            *value
        }
    }

    const MILLION: usize = 1 << 20;

    /// Asks for a layer of so many numbers; says whether it had to be made.
    fn is_made(kept: &ModelCache, layer: usize, numbers: usize) -> bool {
        let made = Cell::new(false);
        let make = async {
            made.set(true);
            Ok::<_, Infallible>(numbers)
        };
        let value = pollster::block_on(kept.get(TestLayer(layer), make));
        assert_eq!(value.map(|value| *value), Ok(numbers));
        made.get()
    }

    #[test]
    fn a_layer_larger_than_the_budget_is_kept_until_another_comes() {
        let kept = ModelCache::new(8 * MILLION);
        // Queries and keys of OPT-2.7B: 2 × 2560².
        let large = 2 * 2560 * 2560;
        assert!(large > 8 * MILLION);
        assert!(is_made(&kept, 0, large));
        assert!(!is_made(&kept, 0, large), "it is asked for now");
        assert!(is_made(&kept, 1, large));
        assert!(!is_made(&kept, 1, large));
        assert!(is_made(&kept, 0, large), "two are too many");
    }

    #[test]
    fn what_was_not_asked_for_the_longest_goes_first_and_small_things_stay() {
        let kept = ModelCache::new(4 * MILLION);
        assert!(is_made(&kept, 9, 10));
        for layer in 0..4 {
            assert!(is_made(&kept, layer, MILLION - 10));
        }
        assert!(!is_made(&kept, 0, MILLION - 10));
        assert!(is_made(&kept, 4, MILLION));
        assert!(!is_made(&kept, 0, MILLION - 10), "it was asked for since");
        assert!(is_made(&kept, 1, MILLION - 10));
        assert!(!is_made(&kept, 9, 10));
        kept.forget::<TestLayer>();
        assert!(is_made(&kept, 9, 10));
    }

    #[test]
    fn of_two_who_ask_at_once_one_reads() {
        let (kept, reads) = (ModelCache::new(MILLION), Cell::new(0));
        let ask = || {
            kept.get(TestLayer(0), async {
                reads.set(reads.get() + 1);
                let mut paused = false;
                poll_fn(|context| {
                    if std::mem::replace(&mut paused, true) {
                        Poll::Ready(())
                    } else {
                        context.waker().wake_by_ref();
                        Poll::Pending
                    }
                })
                .await;
                Ok::<_, Infallible>(7)
            })
        };
        let (one, other) = pollster::block_on(join(ask(), ask()));
        assert_eq!((one, other), (Ok(Rc::new(7)), Ok(Rc::new(7))));
        assert_eq!(reads.get(), 1);
    }

    #[test]
    fn whoever_gives_up_leaves_the_way_free() {
        let kept = ModelCache::new(MILLION);
        let endless = std::future::pending::<Result<usize, Infallible>>();
        let mut given_up = Box::pin(kept.get(TestLayer(0), endless));
        let waker = std::task::Waker::noop();
        let mut context = std::task::Context::from_waker(waker);
        assert!(given_up.as_mut().poll(&mut context).is_pending());
        drop(given_up);
        assert!(is_made(&kept, 0, 5));
    }
}
