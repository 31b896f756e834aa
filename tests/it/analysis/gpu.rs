//! GPU tasks with a fake GPU: it computes on the CPU, until a fault is injected.

use diagonal::{
    analysis::{
        AttentionMask, BackendChoice, ComputeReport, Device, FromGpu, Gpu, GpuFault, HeadAttention,
        Host, ScoreMode, Session,
    },
    checkpoint::MemorySource,
    encoding::{Kernel, Kernels},
    math::{
        Grid, GridToeplitz, LowRank, Scores, Tile, Toeplitz, Window, attention_rows,
        device_tasks::{Attention, Product},
    },
    url_state::Link,
};
use futures_util::FutureExt;
use ndarray::Array2;
use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};

use crate::{
    checkpoint::hostile::assert_is_sentence,
    support::questions::{head_of_first, hear, open_bert},
};

thread_local! {
    /// Number of GPU requests, and the refusal of later ones.
    static OPENED: Cell<usize> = const { Cell::new(0) };
    static REFUSAL: RefCell<Option<GpuFault>> = const { RefCell::new(None) };
    /// Faults of the next tasks.
    static FAULTS: RefCell<Vec<GpuFault>> = const { RefCell::new(Vec::new()) };
}

/// A fake GPU that computes on the CPU.
struct MadeUp;

fn finish<'a, T: 'a>(value: impl FnOnce() -> T + 'a) -> FromGpu<'a, T> {
    async move {
        FAULTS
            .with_borrow_mut(Vec::pop)
            .map_or_else(|| Ok(value()), Err)
    }
    .boxed_local()
}

impl Gpu for MadeUp {
    fn is_software(&self) -> bool {
        false
    }

    fn product<'a>(&'a self, task: Product<'a>) -> FromGpu<'a, Array2<f32>> {
        finish(move || task.here())
    }

    fn attention_map<'a, 'b: 'a>(
        &'a self,
        task: &'a Attention<'b>,
        window: Window,
        step: usize,
    ) -> FromGpu<'a, Tile> {
        finish(move || task.map_here(window, step))
    }
}

/// Runs jobs in place, and has the fake GPU.
struct WithGpu;

impl Host for WithGpu {
    type Source = MemorySource;

    async fn open_gpu(&self) -> Result<Rc<dyn Gpu>, GpuFault> {
        OPENED.set(OPENED.get() + 1);
        match REFUSAL.with_borrow(Clone::clone) {
            Some(fault) => Err(fault),
            None => Ok(Rc::new(MadeUp)),
        }
    }
}

type GpuSession = Session<WithGpu>;

/// A session with the fake GPU and an open model.
fn session(refusal: Option<GpuFault>, faults: Vec<GpuFault>) -> GpuSession {
    OPENED.set(0);
    REFUSAL.set(refusal);
    FAULTS.set(faults);
    let session = Session::new(WithGpu);
    open_bert(&session);
    session
}

fn question(by: BackendChoice, n: usize, window: Window) -> HeadAttention {
    HeadAttention {
        of: head_of_first(ScoreMode::Paper, 0, 1),
        kernels: Kernels::default(),
        n,
        cells: AttentionMask::Causal,
        window,
        limit: 256,
        by,
    }
}

/// The map, and the device that reports to have computed it.
fn answered(session: &GpuSession, asked: HeadAttention) -> (Tile, ComputeReport) {
    let mut events = hear(session, asked, Vec::new());
    let computed = events.computed.pop().expect("a device has computed it");
    assert!(events.computed.is_empty(), "nothing is computed twice");
    (events.answer().expect("a map"), computed)
}

#[track_caller]
fn assert_alike(a: &Tile, b: &Tile) {
    assert_eq!((&a.window, a.row_step), (&b.window, b.row_step));
    assert_eq!(a.values.len(), b.values.len());
    for (a, b) in a.values.iter().zip(&b.values) {
        assert!(a.is_nan() && b.is_nan() || (a - b).abs() < 1e-6, "{a} {b}");
    }
    match (a.cells, b.cells) {
        (Some(a), Some(b)) => assert!((a.0 - b.0).abs() + (a.1 - b.1).abs() < 1e-6),
        (a, b) => assert_eq!(a, b),
    }
}

#[test]
fn a_gpu_answers_as_the_cpu_does() {
    let session = session(None, Vec::new());
    let part = Window {
        rows: 3..40,
        cols: 0..21,
    };
    // Also beyond the last position of the model.
    for (n, window) in [
        (24, Window::whole(24, 24)),
        (40, part),
        (300, Window::whole(300, 300)),
    ] {
        let (by_cpu, computed) =
            answered(&session, question(BackendChoice::Cpu, n, window.clone()));
        assert_eq!((computed.by, computed.instead), (Device::Cpu, None));
        let (by_gpu, computed) = answered(&session, question(BackendChoice::Gpu, n, window));
        assert_eq!((computed.by, computed.instead), (Device::Gpu, None));
        assert_alike(&by_gpu, &by_cpu);
    }
    // An empty window is not computed.
    let beyond = Window {
        rows: 290..299,
        cols: 280..300,
    };
    let events = hear(
        &session,
        question(BackendChoice::Gpu, 300, beyond),
        Vec::new(),
    );
    assert!(events.computed.is_empty());
    let map = events.answer().expect("a map");
    assert!(map.values.iter().all(|v| v.is_nan()) && map.values.len() == 180);
    assert_eq!(OPENED.get(), 1);
    let kernel = Kernel::new(2.0, 0.5, 1.0);
    let added = |by| HeadAttention {
        of: head_of_first(ScoreMode::Paper, 1, 0),
        kernels: Kernels(vec![kernel]),
        cells: AttentionMask::Whole,
        ..question(by, 30, Window::whole(30, 30))
    };
    let map = |by| {
        hear(&session, added(by), Vec::new())
            .answer()
            .expect("a map")
    };
    assert_alike(&map(BackendChoice::Gpu), &map(BackendChoice::Cpu));
}

#[test]
fn small_work_asks_for_no_gpu() {
    let session = session(None, Vec::new());
    let (_, computed) = answered(
        &session,
        question(BackendChoice::Auto, 24, Window::whole(24, 24)),
    );
    assert_eq!((computed.by, computed.instead), (Device::Cpu, None));
    assert_eq!(OPENED.get(), 0);
}

#[test]
fn without_a_gpu_the_cpu_answers_and_says_why() {
    for fault in [GpuFault::Absent, GpuFault::Refused, GpuFault::Untrustworthy] {
        let session = session(Some(fault.clone()), Vec::new());
        let ask = |by| answered(&session, question(by, 24, Window::whole(24, 24)));
        let (expected, _) = ask(BackendChoice::Cpu);
        for _ in 0..3 {
            let (map, computed) = ask(BackendChoice::Gpu);
            assert_alike(&map, &expected);
            assert_eq!(computed.by, Device::Cpu);
            let sentence = computed.instead.expect("why");
            assert!(sentence.starts_with(&fault.to_string()), "{sentence}");
            assert_is_sentence(&sentence);
        }
        assert_eq!(OPENED.get(), 1, "{fault:?} is for good");
    }
}

#[test]
fn a_device_that_fails_is_replaced_or_given_up() {
    // The faults, the number of GPU requests in four questions, and the device that answers each.
    let (cpu, gpu) = (Device::Cpu, Device::Gpu);
    for (faults, opened, by) in [
        (vec![GpuFault::Lost], 2, [cpu, gpu, gpu, gpu]),
        (vec![GpuFault::OutOfMemory], 2, [cpu, gpu, gpu, gpu]),
        (vec![GpuFault::Lost; 3], 3, [cpu, cpu, cpu, cpu]),
        (vec![GpuFault::Slow], 1, [cpu, cpu, cpu, cpu]),
        (vec![GpuFault::Invalid], 1, [cpu, cpu, cpu, cpu]),
        (vec![GpuFault::TooLarge], 1, [cpu, gpu, gpu, gpu]),
    ] {
        let session = session(None, faults.clone());
        let ask = |by| answered(&session, question(by, 24, Window::whole(24, 24)));
        let (expected, _) = ask(BackendChoice::Cpu);
        for computer in by {
            let (map, computed) = ask(BackendChoice::Gpu);
            assert_alike(&map, &expected);
            assert_eq!(computed.by, computer, "{faults:?}");
            assert_eq!(computed.instead.is_some(), computer == cpu);
        }
        assert_eq!(OPENED.get(), opened, "{faults:?}");
    }
}

#[test]
fn attention_is_that_of_the_scores_it_is_made_of() {
    let numbers = |n, seed| {
        diagonal::encoding::Random {
            rows: n,
            width: 5,
            seed,
        }
        .table()
    };
    let grid = Grid {
        height: 4,
        width: 6,
    };
    let all = [
        Scores::Product(LowRank::product(numbers(24, 1), numbers(24, 2), 0.5), None),
        Scores::Toeplitz(Toeplitz::from_fn(24, |k| (k as f64 * 0.7).sin())),
        Scores::Grid(GridToeplitz::from_fn(grid, |y, x| (y * 3 - x) as f64 * 0.1)),
    ];
    for scores in &all {
        for cells in [AttentionMask::Whole, AttentionMask::Causal] {
            let task = Attention::new(scores, cells);
            let mut map = scores.rows(0..24).into_raw_vec_and_offset().0;
            attention_rows(&mut map, 24, 0, cells);
            let found = task.map_here(Window::whole(24, 24), 1);
            for (i, row) in map.chunks_exact(24).enumerate() {
                for (j, cell) in row.iter().enumerate().take(cells.visible_keys(i, 24)) {
                    let at = found.at(i, j).expect("a cell");
                    assert!((cell - at).abs() < 1e-6, "{cell} {at}");
                }
            }
        }
    }
}

#[test]
fn the_choice_is_part_of_the_link() {
    let (mut link, _) = Link::parse("?view=kernels&compute=gpu");
    assert_eq!(link.backend.by, BackendChoice::Gpu);
    assert!(link.query().contains("compute=gpu"));
    // Defaults are not written to links.
    link.backend.by = BackendChoice::Auto;
    assert!(!link.query().contains("compute"));
    let (link, warnings) = Link::parse("?compute=abacus");
    assert_eq!(link.backend.by, BackendChoice::Auto);
    assert_eq!(warnings.count(), 1);
}
