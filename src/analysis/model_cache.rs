//! Cache of values derived from a model, limited by element count; evicts the least recently used.

use futures_util::lock::Mutex;
use std::{
    any::Any,
    cell::RefCell,
    rc::{Rc, Weak},
};

/// Key of a cached value, which also measures the value.
pub(super) trait CacheKey: PartialEq + 'static {
    /// Type of the value.
    type Value: 'static;

    /// Number of elements of a value.
    fn numbers(value: &Self::Value) -> usize;
}

/// Values with at most this many elements are never evicted: that would free little memory, and reading them again may
/// take minutes.
const SMALL: usize = 1 << 16;

/// Values by key. Evicts the least recently used first; the newest value always stays, however large it is.
pub(super) struct ModelCache {
    /// Maximum number of elements in total; small values and the newest one may exceed it.
    most: usize,
    /// Values, the most recently used last.
    values: RefCell<Vec<CachedValue>>,
    /// Values that are being computed.
    pending_values: RefCell<Vec<PendingValue>>,
}

/// A key, and the lock that is held while its value is computed.
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
            pending_values: RefCell::default(),
        }
    }

    /// Returns the value of a key, and computes it if it is not cached. Of two concurrent calls one computes and the
    /// other waits; if the first fails or is dropped, the other computes.
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

    /// Same as [`Self::get`], and forgets the values of other keys of this type: only the newest is of use.
    pub(super) async fn get_only<K: CacheKey + Clone, E>(
        &self,
        key: K,
        make: impl Future<Output = Result<K::Value, E>>,
    ) -> Result<Rc<K::Value>, E> {
        if !self.has(&key) {
            self.forget::<K>();
        }
        self.get(key, make).await
    }

    /// Whether the value of a key is cached.
    pub(super) fn has<K: CacheKey>(&self, key: &K) -> bool {
        (self.values.borrow().iter()).any(|entry| is(&*entry.key, key))
    }

    /// Drops every value with a key of type `K`.
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
        let mut numbers: usize = values.iter().map(|entry| entry.numbers).sum();
        let mut at = 0;
        values.retain(|entry| {
            let goes = numbers > self.most && at < newest && entry.numbers > SMALL;
            if goes {
                numbers -= entry.numbers;
            }
            at += 1;
            !goes
        });
    }

    fn lock_of<K: CacheKey + Clone>(&self, key: &K) -> Rc<Mutex<()>> {
        let mut making = self.pending_values.borrow_mut();
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

    /// Requests a layer with so many elements. Returns whether it had to be computed.
    fn is_made(cache: &ModelCache, layer: usize, numbers: usize) -> bool {
        let is_computed = Cell::new(false);
        let make = async {
            is_computed.set(true);
            Ok::<_, Infallible>(numbers)
        };
        let value = pollster::block_on(cache.get(TestLayer(layer), make));
        assert_eq!(value.map(|value| *value), Ok(numbers));
        is_computed.get()
    }

    #[test]
    fn a_layer_larger_than_the_budget_is_kept_until_another_comes() {
        let cache = ModelCache::new(8 * MILLION);
        // Queries and keys of OPT-2.7B: 2 × 2560².
        let large = 2 * 2560 * 2560;
        assert!(large > 8 * MILLION);
        assert!(is_made(&cache, 0, large));
        assert!(!is_made(&cache, 0, large), "it is asked for now");
        assert!(is_made(&cache, 1, large));
        assert!(!is_made(&cache, 1, large));
        assert!(is_made(&cache, 0, large), "two are too many");
    }

    #[test]
    fn what_was_not_asked_for_the_longest_goes_first_and_small_things_stay() {
        let cache = ModelCache::new(4 * MILLION);
        assert!(is_made(&cache, 9, 10));
        for layer in 0..4 {
            assert!(is_made(&cache, layer, MILLION - 10));
        }
        assert!(!is_made(&cache, 0, MILLION - 10));
        assert!(is_made(&cache, 4, MILLION));
        assert!(!is_made(&cache, 0, MILLION - 10), "it was asked for since");
        assert!(is_made(&cache, 1, MILLION - 10));
        assert!(!is_made(&cache, 9, 10));
        let other = async { Ok::<_, Infallible>(20) };
        let value = pollster::block_on(cache.get_only(TestLayer(8), other));
        assert_eq!(value.map(|value| *value), Ok(20));
        assert!(!is_made(&cache, 8, 20), "it is the only one");
        assert!(is_made(&cache, 9, 10));
        cache.forget::<TestLayer>();
        assert!(is_made(&cache, 9, 10));
    }

    #[test]
    fn of_two_who_ask_at_once_one_reads() {
        let (cache, reads) = (ModelCache::new(MILLION), Cell::new(0));
        let ask = || {
            cache.get(TestLayer(0), async {
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
        let cache = ModelCache::new(MILLION);
        let endless = std::future::pending::<Result<usize, Infallible>>();
        let mut given_up = Box::pin(cache.get(TestLayer(0), endless));
        let waker = std::task::Waker::noop();
        let mut context = std::task::Context::from_waker(waker);
        assert!(given_up.as_mut().poll(&mut context).is_pending());
        drop(given_up);
        assert!(is_made(&cache, 0, 5));
    }
}
