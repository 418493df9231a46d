//! What a chart is drawn on: plotters' drawing area with lengths in CSS pixels, and the page's colours and fonts.

use super::ink::Ink;
use super::pen::{Pen, PenError, fine, fine_size};
use super::scale::Scale;
use crate::ui::chart::look::Size;
use plotters::chart::{ChartBuilder, ChartContext, LabelAreaPosition};
use plotters::coord::Shift;
use plotters::coord::cartesian::Cartesian2d;
use plotters::drawing::{DrawingArea, DrawingAreaErrorKind, IntoDrawingArea};
use plotters::element::{Circle, PathElement, Pie, Polygon, Rectangle};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, FontDesc, FontFamily, FontStyle, RGBAColor, RGBColor, ShapeStyle, TextStyle};
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement};

/// Whether drawing went well.
pub type Drawn = Result<(), Failure>;

/// Why drawing failed.
pub type Failure = DrawingAreaErrorKind<PenError>;

/// A plotting area with two axes.
pub type Plane<'a> = ChartContext<'a, Pen<'a>, Cartesian2d<Scale, Scale>>;

/// The font of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Face {
    /// Labels and values.
    Plain,
    /// Names, as `--font-mono`.
    Mono,
    /// Highlighted values.
    Strong,
    /// The title of a picture.
    Title,
}

/// Which part of a text is at its x.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// Its beginning.
    Left,
    /// Its middle.
    Middle,
    /// Its end.
    Right,
}

/// How a text is written; the middle of its line is at its y.
#[derive(Debug, Clone, Copy)]
pub struct Write {
    /// Font.
    pub face: Face,
    /// Which part is at x.
    pub align: Align,
    /// Colour.
    pub colour: RGBColor,
}

/// The drawing area of a chart, with lengths in CSS pixels.
pub struct Sheet<'a> {
    area: DrawingArea<Pen<'a>, Shift>,
    /// Width and height.
    pub size: Size,
    /// Colours and fonts.
    pub ink: Ink,
}

impl<'a> Sheet<'a> {
    /// A canvas with `scale` pixels of the screen in a CSS pixel. What is there stays.
    pub fn on_canvas(canvas: &HtmlCanvasElement, size: Size, scale: f64, ink: Ink) -> Option<Sheet<'static>> {
        let pen = Pen::on_canvas(canvas, (size.width, size.height), scale)?;
        Some(Sheet { area: pen.into_drawing_area(), size, ink })
    }

    /// An SVG. `ruler` measures texts where there is a browser. [`Sheet::finish`] ends it.
    pub fn on_svg(text: &'a mut String, size: Size, ink: Ink, ruler: Option<CanvasRenderingContext2d>) -> Sheet<'a> {
        let pen = Pen::on_svg(text, (size.width, size.height), ruler);
        Sheet { area: pen.into_drawing_area(), size, ink }
    }

    /// Writes what is still to be written.
    pub fn finish(self) -> Drawn {
        self.area.present()
    }

    /// A length as plotters takes it.
    pub fn px(length: f64) -> u32 {
        fine_size(length)
    }

    /// A part of the sheet with its own drawing area.
    pub fn part(&self, at: (f64, f64), size: Size) -> Sheet<'a> {
        let area = self.area.clone().shrink((fine(at.0), fine(at.1)), (fine(size.width), fine(size.height)));
        Sheet { area, size, ink: self.ink.clone() }
    }

    /// A rectangle: x, y, width, height.
    pub fn rect(&self, [x, y, width, height]: [f64; 4], style: ShapeStyle) -> Drawn {
        self.area.draw(&Rectangle::new([(fine(x), fine(y)), (fine(x + width), fine(y + height))], style))
    }

    /// A line through points.
    pub fn line(&self, points: &[(f64, f64)], style: ShapeStyle) -> Drawn {
        self.area.draw(&PathElement::new(self::points(points), style))
    }

    /// A filled polygon.
    pub fn polygon(&self, points: &[(f64, f64)], style: ShapeStyle) -> Drawn {
        self.area.draw(&Polygon::new(self::points(points), style))
    }

    /// A circle about a point.
    pub fn circle(&self, at: (f64, f64), radius: f64, style: ShapeStyle) -> Drawn {
        self.area.draw(&Circle::new((fine(at.0), fine(at.1)), fine(radius), style))
    }

    /// A dot that is seen on any ground.
    pub fn dot(&self, at: (f64, f64), colour: RGBColor) -> Drawn {
        self.circle(at, 4.25, fill(self.ink.surface, 1.0))?;
        self.circle(at, 3.0, fill(colour, 1.0))
    }

    /// Shares of a ring, clockwise from the top.
    pub fn ring(&self, centre: (f64, f64), (hole, radius): (f64, f64), shares: &[f64], colours: &[RGBColor]) -> Drawn {
        let (centre, radius) = ((fine(centre.0), fine(centre.1)), f64::from(fine(radius)));
        // Names and shares have their own places: plotters knows no room and has one colour for all.
        let labels = vec![""; shares.len()];
        let mut pie = Pie::new(&centre, &radius, shares, colours, &labels);
        pie.start_angle(-90.0);
        pie.donut_hole(f64::from(fine(hole)));
        self.area.draw(&pie)
    }

    /// A text, vertically centred at y.
    pub fn text(&self, text: &str, (x, y): (f64, f64), write: Write) -> Drawn {
        self.area.draw_text(text, &self.style(write), (fine(x), fine(y)))
    }

    /// How wide a text is.
    pub fn width_of(&self, text: &str, face: Face) -> f64 {
        let style = self.style(Write { face, align: Align::Left, colour: self.ink.text });
        let width = self.area.estimate_text_size(text, &style).map_or(0, |s| s.0);
        f64::from(width) / f64::from(fine_size(1.0))
    }

    /// As much of a text as fits, with an ellipsis; `None` when not even three characters do.
    pub fn fitted(&self, text: &str, face: Face, width: f64) -> Option<String> {
        let whole = self.width_of(text, face);
        if whole <= width {
            return Some(text.into());
        }
        let n = text.chars().count();
        let mut keep = ((width / whole) * n as f64) as usize;
        loop {
            keep = keep.checked_sub(1).filter(|k| *k >= 2)?;
            let cut: String = text.chars().take(keep).chain(['…']).collect();
            if self.width_of(&cut, face) <= width {
                return Some(cut);
            }
        }
    }

    fn style(&self, write: Write) -> TextStyle<'_> {
        let (family, size_px, style) = match write.face {
            Face::Plain => (&self.ink.font, 12.0, FontStyle::Normal),
            Face::Mono => (&self.ink.mono, 12.0, FontStyle::Normal),
            Face::Strong => (&self.ink.font, 13.0, FontStyle::Bold),
            Face::Title => (&self.ink.font, 15.0, FontStyle::Bold),
        };
        let across = match write.align {
            Align::Left => HPos::Left,
            Align::Middle => HPos::Center,
            Align::Right => HPos::Right,
        };
        let font = FontDesc::new(FontFamily::Name(family), f64::from(fine_size(size_px)), style);
        TextStyle { font, color: write.colour.to_backend_color(), pos: Pos::new(across, VPos::Center) }
    }

    /// A plotting area at x, y, width, height with its axes.
    pub fn plane(&self, [x, y, width, height]: [f64; 4], axes: (Scale, Scale)) -> Result<Plane<'a>, Failure> {
        let right = fine_size(self.size.width - x - width);
        let below = fine_size(self.size.height - y - height);
        ChartBuilder::on(&self.area)
            .margin_top(fine(y))
            .margin_right(right)
            .y_label_area_size(fine(x))
            .x_label_area_size(below)
            .build_cartesian_2d(axes.0, axes.1)
    }

    /// Draws the mesh of a plotting area: lines and labels at the ticks of its axes; an axis without lines has marks.
    pub fn mesh(&self, plane: &mut Plane<'a>, lines: (bool, bool)) -> Drawn {
        let label = self.style(Write { face: Face::Plain, align: Align::Left, colour: self.ink.quiet });
        let mut mesh = plane.configure_mesh();
        mesh.bold_line_style(stroke(self.ink.line, 1.0)).axis_style(stroke(self.ink.axis, 1.0)).label_style(label);
        mesh.set_tick_mark_size(LabelAreaPosition::Left, fine(3.0)).set_tick_mark_size(LabelAreaPosition::Bottom, fine(3.0));
        if !lines.0 {
            mesh.disable_x_mesh();
        }
        if !lines.1 {
            mesh.disable_y_mesh();
        }
        mesh.draw()
    }
}

fn points(points: &[(f64, f64)]) -> Vec<(i32, i32)> {
    points.iter().map(|(x, y)| (fine(*x), fine(*y))).collect()
}

/// Filled with a colour.
pub fn fill(colour: RGBColor, alpha: f64) -> ShapeStyle {
    ShapeStyle { color: mixed(colour, alpha), filled: true, stroke_width: 0 }
}

/// A line so wide.
pub fn stroke(colour: RGBColor, width: f64) -> ShapeStyle {
    ShapeStyle { color: mixed(colour, 1.0), filled: false, stroke_width: fine_size(width) }
}

fn mixed(colour: RGBColor, alpha: f64) -> RGBAColor {
    RGBAColor(colour.0, colour.1, colour.2, alpha)
}
