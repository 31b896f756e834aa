//! Ticks of an axis of layers or heads: 1, and round numbers.

/// A number and its label.
type Ticks = &'static [(f64, &'static str)];

const ONES: Ticks = &[
    (1.0, "1"),
    (2.0, "2"),
    (3.0, "3"),
    (4.0, "4"),
    (5.0, "5"),
    (6.0, "6"),
    (7.0, "7"),
    (8.0, "8"),
];
const FIVES: Ticks = &[
    (1.0, "1"),
    (5.0, "5"),
    (10.0, "10"),
    (15.0, "15"),
    (20.0, "20"),
    (25.0, "25"),
    (30.0, "30"),
    (35.0, "35"),
    (40.0, "40"),
];
const TWENTIES: Ticks = &[
    (1.0, "1"),
    (20.0, "20"),
    (40.0, "40"),
    (60.0, "60"),
    (80.0, "80"),
    (100.0, "100"),
    (120.0, "120"),
    (140.0, "140"),
    (160.0, "160"),
];
const HUNDREDS: Ticks = &[
    (1.0, "1"),
    (100.0, "100"),
    (200.0, "200"),
    (300.0, "300"),
    (400.0, "400"),
    (500.0, "500"),
    (600.0, "600"),
    (700.0, "700"),
    (800.0, "800"),
];
const FIVE_HUNDREDS: Ticks = &[
    (1.0, "1"),
    (500.0, "500"),
    (1000.0, "1,000"),
    (1500.0, "1,500"),
    (2000.0, "2,000"),
    (2500.0, "2,500"),
    (3000.0, "3,000"),
    (3500.0, "3,500"),
    (4000.0, "4,000"),
];
const THOUSANDS: Ticks = &[
    (1.0, "1"),
    (5000.0, "5,000"),
    (10_000.0, "10,000"),
    (15_000.0, "15,000"),
    (20_000.0, "20,000"),
    (30_000.0, "30,000"),
];

/// Ticks of an axis from 1 to `last`, at most nine.
pub(super) fn ticks(last: f64) -> Ticks {
    let reach = |ticks: Ticks| ticks.last().map_or(0.0, |last| last.0 + 4.5);
    let all = [ONES, FIVES, TWENTIES, HUNDREDS, FIVE_HUNDREDS, THOUSANDS];
    let mut enough = all.into_iter().filter(|ticks| reach(ticks) >= last);
    enough.next().unwrap_or(THOUSANDS)
}
