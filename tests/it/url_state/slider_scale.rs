//! Sliders and their values.

use diagonal::url_state::{KernelNumber, NumberRange, SliderReach, SliderScale, four_digits};

const POWERS: SliderScale = SliderScale::powers_of(2.0, 3.0, 14.0, 0.0625);

/// The slider of a kernel's sharpness; logarithmic.
fn sharpness() -> SliderScale {
    KernelNumber::Sharpness.slider(SliderReach::default())
}

#[test]
fn a_linear_slider_stands_where_its_number_is() {
    let slider = SliderScale::linear(-64.0, 64.0, 1.0);
    assert_eq!(
        (slider.at_position(-5.0), slider.position_of(-5.0)),
        (-5.0, -5.0)
    );
}

#[test]
fn a_slider_over_powers_comes_back_to_where_it_was() {
    let steps = ((POWERS.high - POWERS.low) / POWERS.step) as usize;
    for step in 0..=steps {
        let position = POWERS.low + step as f64 * POWERS.step;
        let back = POWERS.position_of(POWERS.at_position(position));
        // Rounding to three digits moves it by less than a step.
        assert!(
            (back - position).abs() < POWERS.step / 2.0,
            "{position} became {back}"
        );
    }
}

#[test]
fn numbers_over_powers_have_three_digits() {
    assert_eq!(POWERS.at_position(9.0625), 535.0);
    assert_eq!(POWERS.at_position(13.0625), 8550.0);
    assert_eq!(sharpness().at_position(-1.77), 0.017);
}

#[test]
fn whole_powers_are_not_rounded() {
    assert_eq!(POWERS.at_position(12.0), 4096.0);
    assert_eq!(POWERS.at_position(13.0), 8192.0);
    let tens: Vec<_> = (-7..=1)
        .map(|power| sharpness().at_position(power.into()))
        .collect();
    assert_eq!(tens, [1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.1, 1.0, 10.0]);
}

#[test]
fn what_has_no_place_over_powers_stands_leftmost() {
    assert_eq!(
        (POWERS.position_of(0.0), POWERS.position_of(-1.0)),
        (3.0, 3.0)
    );
    assert_eq!(
        (POWERS.position_of(4.0), sharpness().position_of(1e-9)),
        (3.0, -7.0)
    );
}

#[test]
fn steps_have_no_tails() {
    let slider = SliderScale::linear(-1.0, 1.0, 0.1);
    assert_eq!(slider.step(0.1, 2.0), 0.3);
    assert_eq!(slider.step(0.7, -1.0), 0.6);
    // Values between two steps stay between two steps.
    assert_eq!(
        SliderScale::linear(-0.05, 0.05, 0.000_05).step(0.004_25, 1.0),
        0.0043
    );
    assert_eq!(POWERS.step(512.0, 16.0), 1024.0);
}

#[test]
fn numbers_are_read_with_point_or_comma() {
    let range = NumberRange::all(-10.0..=10.0);
    for (typed, number) in [
        ("1.5", 1.5),
        ("1,5", 1.5),
        (" -2,25 ", -2.25),
        ("−3", -3.0),
        ("1e-3", 0.001),
    ] {
        assert_eq!(range.read(typed), Ok(number), "{typed}");
    }
}

#[test]
fn what_cannot_be_taken_is_said() {
    let range = NumberRange::all(-10.0..=10.5);
    for typed in ["", "11", "-10.01", "NaN", "inf", "1,000.5", "1,2,3", "two"] {
        let result = range.read(typed);
        assert_eq!(
            result,
            Err("Numbers from −10 to 10.5.".to_owned()),
            "{typed}"
        );
    }
    let whole = NumberRange::from_counts(&(8..=64));
    assert_eq!(whole.read("8"), Ok(8.0));
    for typed in ["0", "8.5", "65"] {
        let result = whole.read(typed);
        assert_eq!(
            result,
            Err("Whole numbers from 8 to 64.".to_owned()),
            "{typed}"
        );
    }
    assert_eq!((whole.nearest(9.4), whole.nearest(1e9)), (9.0, 64.0));
}

#[test]
fn a_field_shows_four_digits_and_whole_numbers_in_full() {
    for (value, text) in [
        (152.44432, "152.4"),
        (-0.012_345_6, "-0.01235"),
        (0.25, "0.25"),
        (16_384.0, "16384"),
        (999_999.0, "999999"),
        (0.0, "0"),
        (-1.0, "-1"),
        (0.999_96, "1"),
        (0.000_305_81, "3.058e-4"),
        (1.234_56e-6, "1.235e-6"),
        (1e-7, "1e-7"),
        (12_345.6, "12350"),
        (1.234_56e9, "1.235e9"),
    ] {
        assert_eq!(four_digits(value), text, "{value}");
        // Displayed numbers can be typed.
        let typed = NumberRange::all(-1e12..=1e12).read(&four_digits(value));
        assert!((typed.expect("a number") - value).abs() <= 5e-4 * value.abs());
    }
}
