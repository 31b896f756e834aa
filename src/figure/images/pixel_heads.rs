//! Heads around the query pixel, Gaussians or boxes: centres that can be dragged, and rings that contain 50 % and 90 % of
//! a profile (Figures 4, 12 and 14 of the paper behind the slides).

use crate::{
    figure::{
        Figure, FormulaTerm, Ink, LinearScale, Mark, Rect, Scene, Table, number,
        plot::frame::{
            ABOVE, BELOW, bottom_tick, bottom_ticks, horizontal_name, value_label, value_ticks,
            vertical_name,
        },
    },
    math::{Covariance, HeadShape, PixelHead},
};

const LEFT: f64 = 34.0;
const RIGHT: f64 = 6.0;
const HIGHEST: f64 = 340.0;
/// Number of points of a ring.
const POINTS: usize = 96;
/// Distances in pixels within which a centre or a ring is hit.
const REACH: f64 = 13.0;
const RING_REACH: f64 = 9.0;
const RADIUS: f64 = 8.5;

/// Shares of a continuous Gaussian inside the rings.
const SOLID_RING: f64 = 0.5;
const DOTTED_RING: f64 = 0.9;

/// A sentence on the share of a head's attention inside its rings on whole pixels, far from any edge. `None` if the
/// head attends everywhere alike. `at` counts heads from 0.
#[must_use]
pub fn ring_words(heads: &[PixelHead], at: usize) -> Option<String> {
    let head = heads.get(at)?;
    let inside = |ring| Some(100.0 * head.share_inside(ring)?);
    let (solid, dotted) = (inside(SOLID_RING)?, inside(DOTTED_RING)?);
    Some(format!(
        "On whole pixels and at {}, the solid ring of head {} holds {solid:.1} % of its attention and the dotted one \
         {dotted:.1} %; of a continuous {}, the rings would hold 50 % and 90 %.",
        shape_words(head),
        at + 1,
        if head.radius().is_some() {
            "box"
        } else {
            "Gaussian"
        },
    ))
}

/// α of a Gaussian head, or τ of a box.
fn shape_words(head: &PixelHead) -> String {
    match head.shape {
        HeadShape::Box(radius) => format!("τ = {}", number(radius)),
        HeadShape::Round(_) | HeadShape::Oval(_) => {
            format!("α = {}", number(head.alpha().unwrap_or(f64::NAN)))
        }
    }
}

/// The part of a head that is dragged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeadHandle {
    /// The centre of a head.
    Centre(usize),
    /// The inner ring of a head.
    Ring(usize),
}

/// Heads around their query pixel.
#[derive(Debug, Clone, PartialEq)]
pub struct PixelHeads {
    heads: Vec<PixelHead>,
    /// The open head, from 0; `None` if the figure has none.
    open: Option<usize>,
    /// Half the height of the figure in pixels of the image.
    reach: f64,
}

impl PixelHeads {
    /// Creates the figure, with one head open. `reach` is half the height in pixels of the image; by default it shows
    /// every centre and most rings.
    #[must_use]
    pub fn new(heads: &[PixelHead], open: usize, reach: Option<f64>) -> Self {
        Self {
            heads: heads.to_vec(),
            open: Some(open),
            reach: reach.unwrap_or_else(|| natural_reach(heads)),
        }
    }

    /// Creates the figure without an open head, at a reach.
    pub(super) fn without_open_head(heads: &[PixelHead], reach: f64) -> Self {
        Self {
            heads: heads.to_vec(),
            open: None,
            reach,
        }
    }

    /// Returns half the height of the figure in pixels of the image.
    #[must_use]
    pub fn reach(&self) -> f64 {
        self.reach
    }

    fn frame(width: f64) -> Rect {
        let side = (width - LEFT - RIGHT).max(1.0);
        Rect {
            x: LEFT,
            y: ABOVE,
            width: side,
            height: (0.8 * side).min(HIGHEST),
        }
    }

    /// Scales from Δx and Δy to screen pixels, equal in both directions.
    fn scales(&self, frame: &Rect) -> (LinearScale, LinearScale) {
        let across = self.reach * frame.width / frame.height;
        (
            LinearScale::new((-across, across), (frame.x, frame.right())),
            LinearScale::new((-self.reach, self.reach), (frame.y, frame.bottom())),
        )
    }

    /// Returns the part of a head near a point of the figure. A centre has priority over a ring, and the open head over
    /// others.
    #[must_use]
    pub fn grasp(&self, width: f64, px: f64, py: f64) -> Option<HeadHandle> {
        let (x, y) = self.scales(&Self::frame(width));
        let away = |(dy, dx): (f64, f64)| (x.pixel(dx) - px).hypot(y.pixel(dy) - py);
        let nearest = |reach: f64, of: &dyn Fn(usize) -> f64| {
            let at = (0..self.heads.len()).map(|at| (at, of(at)));
            let near = at.filter(|(_, away)| *away <= reach);
            near.min_by(|a, b| {
                let order = |at: usize| Some(at) != self.open;
                (order(a.0), a.1)
                    .partial_cmp(&(order(b.0), b.1))
                    .unwrap_or(std::cmp::Ordering::Equal)
            })
        };
        let centre = nearest(REACH, &|at| away(self.heads[at].centre));
        if let Some((at, _)) = centre {
            return Some(HeadHandle::Centre(at));
        }
        let ring = |at: usize| {
            let outline = self.heads[at].outline(SOLID_RING, POINTS);
            outline.into_iter().map(away).fold(f64::INFINITY, f64::min)
        };
        nearest(RING_REACH, &ring).map(|(at, _)| HeadHandle::Ring(at))
    }

    /// Returns the offset (Δy, Δx) at a point of the figure.
    #[must_use]
    pub fn offset_at(&self, width: f64, px: f64, py: f64) -> (f64, f64) {
        let (x, y) = self.scales(&Self::frame(width));
        (y.value(py), x.value(px))
    }

    /// Returns the heads in the order in which they are drawn: the open one is on top.
    fn drawing_order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.heads.len()).collect();
        order.sort_by_key(|at| Some(*at) == self.open);
        order
    }

    fn draw_head(&self, scene: &mut Scene, frame: &Rect, at: usize) {
        let (x, y) = self.scales(frame);
        let head = &self.heads[at];
        let ink = Ink::Category(at);
        let open = Some(at) == self.open;
        for (share, dash) in [(DOTTED_RING, Some(3.0)), (SOLID_RING, None)] {
            let points = head.outline(share, POINTS).into_iter().map(|(dy, dx)| {
                let point = (x.pixel(dx), y.pixel(dy));
                // Points outside the frame are not drawn.
                if frame.contains(point.0, point.1) {
                    point
                } else {
                    (f64::NAN, f64::NAN)
                }
            });
            scene.marks.push(Mark::Line {
                points: points.collect(),
                stroke: ink,
                width: if open { 2.4 } else { 1.3 },
                dash,
            });
        }
        let centre = (x.pixel(head.centre.1), y.pixel(head.centre.0));
        if !frame.contains(centre.0, centre.1) {
            return;
        }
        scene.marks.push(Mark::Dot {
            at: centre,
            radius: if open { RADIUS + 1.5 } else { RADIUS },
            fill: Ink::Paper,
            stroke: ink,
        });
        scene.text_on_top((at + 1).to_string(), centre);
    }
}

/// The smallest reach that shows every centre and the inner rings of heads that are not very wide.
pub(super) fn natural_reach(heads: &[PixelHead]) -> f64 {
    let of = |head: &PixelHead| {
        let (dy, dx) = head.centre;
        let ring = match head.shape {
            HeadShape::Round(alpha) => (2_f64.ln() / alpha).sqrt(),
            HeadShape::Oval(Covariance { yy, xx, .. }) => 1.18 * yy.max(xx).sqrt(),
            HeadShape::Box(radius) => radius + 0.5,
        };
        dy.abs().max(0.8 * dx.abs()) + ring.min(6.0) + 0.4
    };
    let most = heads.iter().map(of).fold(2.2, f64::max);
    // Rounded up to a half, so that a small drag does not rescale the figure.
    (most * 2.0).ceil() / 2.0
}

impl Figure for PixelHeads {
    fn height(&self, width: f64) -> f64 {
        Self::frame(width).bottom() + BELOW
    }

    fn scene(&self, width: f64) -> Scene {
        let mut scene = Scene::new(width, self.height(width));
        let frame = Self::frame(width);
        let (x, y) = self.scales(&frame);
        let unit = frame.height / (2.0 * self.reach);
        // Borders of the pixels, if these are large enough.
        if unit >= 12.0 {
            let half = |reach: f64| (-reach - 0.5).ceil() as i64..=(reach - 0.5).floor() as i64;
            for at in half(self.reach * frame.width / frame.height) {
                let px = x.pixel(at as f64 + 0.5);
                scene.line(
                    vec![(px, frame.y), (px, frame.bottom())],
                    Ink::Hairline,
                    1.0,
                );
            }
            for at in half(self.reach) {
                let py = y.pixel(at as f64 + 0.5);
                scene.line(vec![(frame.x, py), (frame.right(), py)], Ink::Hairline, 1.0);
            }
        }
        scene.marks.push(Mark::Box {
            rect: frame,
            fill: None,
            stroke: Some((Ink::Hairline, 1.0)),
        });
        for (tick, label) in value_ticks(&y, frame.height) {
            value_label(&mut scene, &frame, y.pixel(tick), label);
        }
        vertical_name(&mut scene, &frame, "Δy");
        for (tick, label) in bottom_ticks(&x, frame.width, false) {
            bottom_tick(&mut scene, &frame, x.pixel(tick), label);
        }
        horizontal_name(&mut scene, &frame, "Δx");
        let query = Rect {
            x: x.pixel(-0.5),
            y: y.pixel(-0.5),
            width: unit,
            height: unit,
        };
        scene.marks.push(Mark::Box {
            rect: query,
            fill: Some(Ink::Band),
            stroke: Some((Ink::Ink, 1.5)),
        });
        for at in self.drawing_order() {
            self.draw_head(&mut scene, &frame, at);
        }
        scene
    }

    fn plot_frame(&self, width: f64) -> Option<Rect> {
        Some(Self::frame(width))
    }

    /// The numbered dots.
    fn terms(&self, width: f64) -> Vec<(FormulaTerm, Rect)> {
        let frame = Self::frame(width);
        let (x, y) = self.scales(&frame);
        let places = self.drawing_order().into_iter().filter_map(|at| {
            let (dy, dx) = self.heads[at].centre;
            let (x, y) = (x.pixel(dx), y.pixel(dy));
            let place = Rect {
                x: x - RADIUS,
                y: y - RADIUS,
                width: 2.0 * RADIUS,
                height: 2.0 * RADIUS,
            };
            frame
                .contains(x, y)
                .then_some((FormulaTerm::ImageHead(at), place))
        });
        places.collect()
    }

    fn vertical_name(&self) -> &'static str {
        "Δy"
    }

    fn summary(&self) -> String {
        let one = |(at, head): (usize, &PixelHead)| {
            format!(
                "{} at Δy {}, Δx {}, {}",
                at + 1,
                number(head.centre.0),
                number(head.centre.1),
                shape_words(head).replacen(" = ", " ", 1)
            )
        };
        let heads: Vec<String> = self.heads.iter().enumerate().map(one).collect();
        format!(
            "There are {} heads: {}.",
            self.heads.len(),
            heads.join("; ")
        )
    }

    /// `head,` and the columns of [`head_numbers`].
    fn table(&self) -> Table {
        let heads = Table::new().with("head", (1..=self.heads.len()).collect());
        heads.beside(head_numbers(&self.heads))
    }
}

/// `alpha,delta_y,delta_x`, with `yy,yx,xx` if any head is oval and `radius` if any is a box, then the shares of attention
/// inside the rings, `inside_solid,inside_dotted`. These are NaN for a head that attends everywhere alike. `radius` is NaN
/// for a Gaussian head, and the other numbers of a profile are NaN for a box.
pub(super) fn head_numbers(heads: &[PixelHead]) -> Table {
    let numbers = |of: &dyn Fn(&PixelHead) -> f64| heads.iter().map(of).collect();
    let table = Table::new()
        .with("alpha", numbers(&|head| head.alpha().unwrap_or(f64::NAN)))
        .with("delta_y", numbers(&|head| head.centre.0))
        .with("delta_x", numbers(&|head| head.centre.1));
    let is_oval = |head: &PixelHead| matches!(head.shape, HeadShape::Oval(_));
    let entry = |of: fn(Covariance) -> f64| numbers(&|head| head.covariance().map_or(f64::NAN, of));
    let table = match heads.iter().any(is_oval) {
        true => table
            .with("yy", entry(|covariance| covariance.yy))
            .with("yx", entry(|covariance| covariance.yx))
            .with("xx", entry(|covariance| covariance.xx)),
        false => table,
    };
    let table = match heads.iter().any(|head| head.radius().is_some()) {
        true => table.with("radius", numbers(&|head| head.radius().unwrap_or(f64::NAN))),
        false => table,
    };
    let inside = |head: &PixelHead, ring| head.share_inside(ring).unwrap_or(f64::NAN);
    table
        .with("inside_solid", numbers(&|head| inside(head, SOLID_RING)))
        .with("inside_dotted", numbers(&|head| inside(head, DOTTED_RING)))
}
