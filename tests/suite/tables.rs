//! Tables: values and derivatives of the interpolations, and what is reported about damaged data.

use crate::mechanisms::Noise;
use cardan::expression::Expression;
use cardan::model::Law;
use cardan::results::write_columns;
use cardan::table::{Interpolation, MapInterpolation, Outside, Table};
use std::sync::Arc;

const X: [f64; 6] = [0.0, 0.5, 1.0, 2.5, 3.0, 5.0];
const VALUES: [f64; 6] = [1.0, 2.0, 2.5, 2.25, 4.0, -1.0];

fn curve(interpolation: Interpolation) -> Table {
    Table::new(X.to_vec(), VALUES.to_vec(), interpolation).unwrap().named("curve")
}

fn map(interpolation: MapInterpolation) -> Table {
    let values = [[1.0, 2.0, 0.5], [0.0, 1.5, 3.0], [2.0, -1.0, 1.0], [4.0, 0.0, 2.0]];
    let rows = values.map(|row| row.to_vec()).to_vec();
    let (x, y) = (vec![0.0, 1.0, 2.5, 4.0], vec![-1.0, 0.0, 2.0]);
    Table::map(x, y, rows, interpolation).unwrap().named("map")
}

fn assert_near(found: f64, expected: f64, what: &str) {
    // some roundings of numbers below 100
    assert!(
        (found - expected).abs() < 1e-12 * (1.0 + expected.abs()),
        "{what}: {found}, not {expected}"
    );
}

/// PchipInterpolator and CubicSpline(bc_type='natural') of scipy 1.17.1.
#[test]
fn cubic_interpolations_agree_with_scipy() {
    let reference = [
        (0.0, [1.0, 2.5, -1.3333333333333321], [1.0, 2.1540609542045637, 0.0]),
        (
            0.2,
            [1.468, 2.1533333333333333, -2.1333333333333337],
            [1.4258822403063667, 2.080111696186373, -0.7394925801819057],
        ),
        (
            0.5,
            [2.0, 1.3333333333333333, 1.333333333333334],
            [2.0, 1.6918780915908729, -1.848731450454764],
        ),
        (
            0.8,
            [2.388, 1.0133333333333332, -3.466666666666667],
            [2.3995634274772617, 0.889187809159087, -3.502537099090474],
        ),
        (
            1.7,
            [2.3874814814814815, -0.24888888888888888, -0.04444444444444451],
            [1.9158058613903517, -1.0487665549704803, 1.3845220998883034],
        ),
        (
            2.9,
            [3.8179999999999996, 3.360000000000003, -25.19999999999999],
            [3.6804375299186205, 3.48842189245253, -4.7724269985639065],
        ),
        (
            4.2,
            [2.8623999999999996, -2.7240000000000006, -4.340000000000001],
            [2.79714696026807, -3.89064943354077, -3.2091910004786985],
        ),
    ];
    for (x, pchip, spline) in reference {
        for (interpolation, expected) in
            [(Interpolation::Pchip, pchip), (Interpolation::Spline, spline)]
        {
            let found = curve(interpolation).jet(x);
            for k in 0..3 {
                assert_near(found[k], expected[k], &format!("{interpolation:?} {k} at {x}"));
            }
        }
    }
}

/// The spline along y, then along x, by CubicSpline of scipy 1.17.1.
#[test]
fn bicubic_maps_agree_with_scipy() {
    let reference = [
        (
            0.3,
            -0.5,
            [
                1.3587077702702703,
                -0.8309966216216219,
                1.4583096846846846,
                0.04560810810810856,
                1.1211974474474475,
                -0.8073918918918919,
            ],
        ),
        (
            1.0,
            1.0,
            [2.4375, -0.8671171171171169, 0.6875, -4.851351351351351, 1.1253753753753752, -0.375],
        ),
        (
            3.1,
            0.7,
            [
                -1.5669739459459462,
                0.42123972972973045,
                0.5276169369369369,
                2.357808108108108,
                -0.07056246246246214,
                3.1787459459459457,
            ],
        ),
    ];
    let map = map(MapInterpolation::Bicubic);
    for (x, y, expected) in reference {
        let jet = map.map_jet(x, y);
        let found = [&[jet.value], &jet.first[..], &jet.second[..]].concat();
        for k in 0..6 {
            assert_near(found[k], expected[k], &format!("{k} at {x}, {y}"));
        }
    }
}

#[test]
fn linear_tables_are_straight_between_points() {
    let table = curve(Interpolation::Linear);
    assert_eq!(table.jet(0.25), [1.5, 2.0, 0.0]);
    // at a point the slope on the right, at the end the last one
    assert_eq!(table.jet(0.5), [2.0, 1.0, 0.0]);
    assert_eq!(table.jet(5.0), [-1.0, -2.5, 0.0]);
    for (x, value) in X.into_iter().zip(VALUES) {
        for interpolation in [Interpolation::Linear, Interpolation::Pchip, Interpolation::Spline] {
            assert_eq!(curve(interpolation).value(x), value);
        }
    }
    // 1 + 0.25 (2 − 1) and the like, by hand: rows x = 0 and 1, columns y = −1 and 0
    let map = map(MapInterpolation::Bilinear);
    assert_eq!(map.map_value(0.5, -0.5), 0.25 * (1.0 + 2.0 + 0.0 + 1.5));
    let jet = map.map_jet(0.5, -0.5);
    assert_eq!(jet.first, [0.5 * (0.0 + 1.5 - 1.0 - 2.0), 0.5 * (2.0 + 1.5 - 1.0 - 0.0)]);
    assert_eq!(jet.second, [0.0, 1.5 - 0.0 - 2.0 + 1.0, 0.0]);
}

/// Whatever the data, the monotone interpolation stays between the values of neighbouring points.
#[test]
fn pchip_rises_and_falls_only_where_the_points_do() {
    let mut noise = Noise(5);
    for _ in 0..200 {
        let n = 12;
        let mut x = 0.0;
        let xs: Vec<f64> = (0..n)
            .map(|_| {
                x += 1e-3 + noise.next().abs().powi(3);
                x
            })
            .collect();
        let values: Vec<f64> = (0..n).map(|_| noise.next().powi(5)).collect();
        let table = Table::new(xs.clone(), values.clone(), Interpolation::Pchip).unwrap();
        for k in 0..n - 1 {
            let (from, to) = (values[k], values[k + 1]);
            let mut last = from;
            for part in 1..=20 {
                let at = xs[k] + (xs[k + 1] - xs[k]) * f64::from(part) / 20.0;
                let value = table.value(at.min(xs[k + 1]));
                let step = (value - last) * (to - from).signum();
                assert!(step >= -1e-15, "{xs:?} {values:?} {at}");
                last = value;
            }
        }
    }
}

#[test]
fn derivatives_agree_with_differences() {
    let h = 1e-5;
    for interpolation in [Interpolation::Linear, Interpolation::Pchip, Interpolation::Spline] {
        for outside in [Outside::Hold, Outside::Extend] {
            let table = curve(interpolation).outside(outside);
            for x in [-3.0, 0.3, 0.77, 1.9, 2.7, 4.4, 6.0] {
                let [_, first, second] = table.jet(x);
                let at = |k: f64| table.value(x + k * h);
                let slope = (at(1.0) - at(-1.0)) / (2.0 * h);
                let bend = (at(1.0) - 2.0 * at(0.0) + at(-1.0)) / (h * h);
                // h² times third derivatives below 200, and ε/h² = 2e-6
                assert!((first - slope).abs() < 1e-7, "{interpolation:?} {x}: {first} {slope}");
                assert!((second - bend).abs() < 1e-4, "{interpolation:?} {x}: {second} {bend}");
            }
        }
    }
    for interpolation in [MapInterpolation::Bilinear, MapInterpolation::Bicubic] {
        for outside in [Outside::Hold, Outside::Extend] {
            let table = map(interpolation).outside(outside);
            for (x, y) in [(0.4, 0.7), (3.3, -0.2), (-1.0, 1.0), (5.0, 3.0), (2.0, -4.0)] {
                let jet = table.map_jet(x, y);
                let at = |i: f64, j: f64| table.map_value(x + i * h, y + j * h);
                let first = [
                    (at(1.0, 0.0) - at(-1.0, 0.0)) / (2.0 * h),
                    (at(0.0, 1.0) - at(0.0, -1.0)) / (2.0 * h),
                ];
                let second = [
                    (at(1.0, 0.0) - 2.0 * at(0.0, 0.0) + at(-1.0, 0.0)) / (h * h),
                    (at(1.0, 1.0) - at(1.0, -1.0) - at(-1.0, 1.0) + at(-1.0, -1.0)) / (4.0 * h * h),
                    (at(0.0, 1.0) - 2.0 * at(0.0, 0.0) + at(0.0, -1.0)) / (h * h),
                ];
                for k in 0..2 {
                    assert!((jet.first[k] - first[k]).abs() < 1e-7, "{x} {y} {jet:?} {first:?}");
                }
                for k in 0..3 {
                    assert!((jet.second[k] - second[k]).abs() < 1e-4, "{x} {y} {jet:?} {second:?}");
                }
            }
        }
    }
}

#[test]
fn outside_the_range_the_choice_decides() {
    let table = curve(Interpolation::Spline);
    assert!(table.value(5.1).is_nan() && table.jet(-0.1).iter().all(|x| x.is_nan()));
    assert_eq!(
        table.refusal(&[5.1]).unwrap().to_string(),
        "table `curve` has no value at x = 5.1: it reaches from 0 to 5"
    );
    assert!(table.refusal(&[5.0]).is_none() && table.refusal(&[f64::NAN]).is_none());
    let held = table.clone().outside(Outside::Hold);
    assert_eq!(held.jet(7.0), [-1.0, 0.0, 0.0]);
    assert_eq!(held.jet(5.0), [-1.0, 0.0, 0.0]);
    let [value, slope, bend] = table.jet(5.0);
    let extended = table.clone().outside(Outside::Extend);
    assert_eq!(extended.jet(6.0), [value + slope, slope, 0.0]);
    // the curvature of a natural spline is zero at its ends
    assert!(bend.abs() < 1e-14 && held.refusal(&[9.0]).is_none());
    let map = map(MapInterpolation::Bicubic);
    assert_eq!(
        map.refusal(&[1.0, 2.5]).unwrap().to_string(),
        "table `map` has no value at y = 2.5: it reaches from -1 to 2"
    );
    assert!(map.map_value(1.0, 2.5).is_nan() && map.map_jet(1.0, 2.5).first[0].is_nan());
    assert_eq!(map.outside(Outside::Hold).map_value(9.0, 9.0), 2.0);
}

/// Points in very unequal distances, where the index of equal parts does not help.
#[test]
fn lookups_find_the_interval_of_any_points() {
    let mut noise = Noise(3);
    for spread in [1.0, 30.0, 600.0] {
        let mut xs: Vec<f64> =
            (0..500).map(|_| noise.next().signum() * (spread * noise.next()).exp()).collect();
        xs.extend([-1e300, 0.0, 5e-324, 1e300]);
        xs.sort_by(f64::total_cmp);
        xs.dedup();
        let table = Table::new(xs.clone(), xs.clone(), Interpolation::Linear).unwrap();
        for pair in xs.windows(2) {
            let middle = 0.5 * pair[0] + 0.5 * pair[1];
            for x in [pair[0], pair[1], middle, pair[0].next_up(), pair[1].next_down()] {
                let near = (table.value(x) - x).abs()
                    <= 4.0 * f64::EPSILON * x.abs().max(pair[1].abs()).max(pair[0].abs());
                assert!(near, "{x}: {}", table.value(x));
            }
        }
    }
}

fn csv(text: &str) -> Result<Table, String> {
    Table::from_file(text.as_bytes(), ["x", "height"], Interpolation::Linear)
        .map_err(|error| error.to_string())
}

#[test]
fn csv_files_have_several_forms() {
    let expected = Table::new(vec![0.0, 1.0, 2.0], vec![5.0, 6.5, -3e2], Interpolation::Linear);
    for text in [
        "x,height\n0,5\n1,6.5\n2,-3e2\n",
        "x,height\n0,5\n1,6.5\n2,-3e2",
        "\u{feff}x;height\r\n0;5\r\n1;6.5\r\n2;-3e2\r\n",
        "# measured on the road\n\n height\tx\n 5 \t 0\n# half\n6.5\t1\n\n-3e2\t2\n",
        "\"x\", \"note, of the day\", \"height\"\n0, \"a, b\", 5\n1, , \"6.5\"\n2, x, -3e2\n",
    ] {
        assert_eq!(csv(text).as_ref(), Ok(expected.as_ref().unwrap()), "{text}");
    }
}

#[test]
fn damage_is_located() {
    for (text, message) in [
        ("", "the file is empty"),
        ("# nothing\n", "the file is empty"),
        ("x,height\n", "the file has no rows of numbers"),
        ("x,height\n1,2\n", "a table needs at least two values of `x`, not 1"),
        (
            "0,1\n1,2\n",
            "line 1, column 1: there are numbers where the names of the columns are expected; begin the file with a line of names: x, value",
        ),
        (
            "x,heigth\n0,1\n1,2\n",
            "line 1, column 1: there is no column `height`; did you mean `heigth`?",
        ),
        (
            "x,b\n0,1\n1,2\n",
            "line 1, column 1: there is no column `height`; the columns are `x`, `b`",
        ),
        (
            "x,x,height\n0,1,1\n",
            "line 1, column 1: the name `x` has 2 columns; give each column another name",
        ),
        (
            "x,height\n0,1\n2,1\n1,2\n",
            "line 4, column 1: `x` falls from 2 to 1; sort the rows by rising `x`",
        ),
        (
            "x,height\n0,1\n# c\n0,1\n",
            "line 4, column 1: `x` = 0 is given twice; remove one of the two rows",
        ),
        ("x,height\n0,1\n1,\n", "line 3, column 3: the value of `height` is missing"),
        ("x,height\n0,1\n1, wet\n", "line 3, column 4: `wet` is not a finite number (`height`)"),
        ("ü,x,height\nä,0,1\nö,1,q\n", "line 3, column 5: `q` is not a finite number (`height`)"),
        ("x,height\n0,NaN\n1,1\n", "line 2, column 3: `NaN` is not a finite number (`height`)"),
        ("x,height\n0,1\ninf,1\n", "line 3, column 1: `inf` is not a finite number (`x`)"),
        ("x,height\n0,1e999\n1,1\n", "line 2, column 3: `1e999` is not a finite number (`height`)"),
        (
            "x;height\n0;1,5\n1;1\n",
            "line 2, column 3: `1,5` is not a finite number (`height`); the decimal sign is a point",
        ),
        (
            "x,height\n0,1\n1\n",
            "line 3, column 2: this row has 1 values, and the first line has 2 names",
        ),
        (
            "x,height\n0,1\n1,2,3\n",
            "line 3, column 6: this row has 3 values, and the first line has 2 names",
        ),
    ] {
        assert_eq!(csv(text).unwrap_err(), message, "{text}");
    }
    assert!(csv("x,height\n0,1\n1,\u{fffd}\u{fffd}\n").is_err());
    let list = |x: &[f64], y: &[f64]| {
        let table = Table::new(x.to_vec(), y.to_vec(), Interpolation::Spline);
        table.unwrap_err().to_string()
    };
    assert_eq!(list(&[0.0, 1.0], &[1.0]), "`x` has 2 entries, and `value` has 1");
    assert_eq!(list(&[0.0, f64::NAN], &[1.0, 1.0]), "row 2: `x` is not a number or missing");
    assert_eq!(list(&[0.0, 1.0], &[f64::INFINITY, 1.0]), "row 1: `value` is infinite");
    assert_eq!(
        list(&[0.0, 1e-300], &[0.0, 1e300]),
        "the slopes between the values are too large for numbers"
    );
}

#[test]
fn maps_in_files_have_each_combination_once() {
    let read = |text: &str| {
        let table =
            Table::map_from_file(text.as_bytes(), ["a", "b", "c"], MapInterpolation::Bilinear);
        table.map_err(|error| error.to_string())
    };
    let rows = vec![vec![1.0, 2.0, 3.0], vec![4.0, 5.0, 6.0]];
    let expected =
        Table::map(vec![0.0, 1.0], vec![-1.0, 0.0, 1.0], rows, MapInterpolation::Bilinear).unwrap();
    let text = "a,b,c\n0,-1,1\n1,-1,4\n0,0,2\n1,1,6\n1,0,5\n0,1,3\n";
    assert_eq!(read(text).unwrap(), expected);
    assert_eq!(
        read("a,b,c\n0,0,1\n0,1,2\n1,0,3\n").unwrap_err(),
        "there is no row with `a` = 1 and `b` = 1; a map has one row for each combination of the two"
    );
    assert_eq!(
        read("a,b,c\n0,0,1\n0,1,2\n1,0,3\n-0,1,3\n").unwrap_err(),
        "line 5, column 1: the row with `a` = -0 and `b` = 1 is given twice"
    );
    assert_eq!(
        read("a,b,c\n0,0,1\n0,1,2\n").unwrap_err(),
        "a map needs at least two values of `a`, not one"
    );
    let ragged = Table::map(
        vec![0.0, 1.0],
        vec![0.0, 1.0],
        vec![vec![1.0, 2.0], vec![1.0]],
        MapInterpolation::Bicubic,
    );
    assert_eq!(ragged.unwrap_err().to_string(), "row 2: `value` has 1 entries here, and `y` has 2");
}

#[test]
fn parquet_files_are_read() {
    let folder = std::env::temp_dir().join(format!("cardan-tables-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let read = |columns: &[Vec<f64>], name: &str| {
        let path = folder.join("table.parquet");
        write_columns(&path, &["x", "height"], columns).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        Table::from_file(&bytes, ["x", name], Interpolation::Pchip).map_err(|x| x.to_string())
    };
    let columns = [X.to_vec(), VALUES.to_vec()];
    assert_eq!(read(&columns, "height").unwrap().named("curve"), curve(Interpolation::Pchip));
    assert_eq!(
        read(&columns, "heights").unwrap_err(),
        "there is no column `heights`; did you mean `height`?"
    );
    assert_eq!(
        read(&[vec![0.0, 2.0, 1.0], vec![0.0; 3]], "height").unwrap_err(),
        "row 3: `x` falls from 2 to 1; sort the rows by rising `x`"
    );
    assert_eq!(
        read(&[vec![0.0, 1.0], vec![0.0, f64::NAN]], "height").unwrap_err(),
        "row 2: `height` is not a number or missing"
    );
    let cut = Table::from_file(b"PAR1 and nothing else", ["x", "y"], Interpolation::Linear);
    assert!(cut.unwrap_err().message.starts_with("cannot be read as Parquet"));
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn formulas_use_tables_with_their_derivatives() {
    let tables = [
        Arc::new(curve(Interpolation::Spline)),
        Arc::new(map(MapInterpolation::Bicubic).outside(Outside::Extend)),
    ];
    let parse = |text: &str| Expression::parse_with_tables(text, &[("k", 2.0)], &tables);
    for text in [
        "curve(t)",
        "k*curve(t^2)",
        "curve(4 - t)*t",
        "map(t, 1 - t)",
        "map(sin(t), t^2) + t",
        "map(1, t)",
        "map(k*t, 0.5)",
        "curve(map(t, t) + 2)",
    ] {
        let formula = parse(text).unwrap();
        let (t, h) = (0.63, 1e-4);
        let [value, rate, acceleration] = formula.jet(t);
        assert_eq!(value.to_bits(), formula.value(t).to_bits(), "{text}");
        let at = |k: f64| formula.value(t + k * h);
        let slope = (8.0 * (at(1.0) - at(-1.0)) - at(2.0) + at(-2.0)) / (12.0 * h);
        let bend = (at(1.0) - 2.0 * at(0.0) + at(-1.0)) / (h * h);
        assert!((rate - slope).abs() < 1e-8, "{text}: {rate} {slope}");
        assert!((acceleration - bend).abs() < 1e-4, "{text}: {acceleration} {bend}");
    }
    // towards larger t: on the left of the point if the argument falls
    let linear =
        [Arc::new(curve(Interpolation::Linear)), Arc::new(map(MapInterpolation::Bilinear))];
    let jet =
        |text: &str, t: f64| Expression::parse_with_tables(text, &[], &linear).unwrap().jet(t);
    assert_eq!(jet("curve(t)", 0.5), [2.0, 1.0, 0.0]);
    assert_eq!(jet("curve(-t)", -0.5), [2.0, -2.0, 0.0]);
    assert_eq!(jet("curve(0.5 + t^2)", 0.0), [2.0, 0.0, 2.0]);
    assert_eq!(jet("curve(0.5 - t^2)", 0.0), [2.0, 0.0, -4.0]);
    assert_near(jet("map(1 + t, 0)", 0.0)[1], (-1.0 - 1.5) / 1.5, "to the right");
    assert_eq!(jet("map(1 - t, 0)", 0.0), [1.5, 0.5, 0.0]);
    // a singular argument: √t of the expansion
    let [value, slope, _] = jet("curve(0.5 + t*sqrt(t))", 0.0);
    assert_eq!((value, slope), (2.0, 0.0));

    let formula = parse("if(t < 6, 1, curve(t)) + t").unwrap();
    assert_eq!(formula.value(5.5), 6.5);
    assert!(formula.refusal(&[5.5]).is_none());
    assert_eq!(
        formula.refusal(&[7.0]).unwrap().to_string(),
        "table `curve` has no value at x = 7: it reaches from 0 to 5"
    );
    for (text, message) in [
        ("curve(1, 2)", "the table `curve` has 1 variable, not 2"),
        ("map(1)", "the table `map` has 2 variables, not 1"),
        ("curv(1)", "there is no function `curv`; did you mean `curve`?"),
        ("curve + 1", "there is no `curve`; the function is written `curve(…)`"),
        (
            "table('a.csv', 'x', 'y', t)",
            "files with tables cannot be read here: give the table a name",
        ),
        ("table(t)", "`table` takes a file, the names of its columns, and the variables"),
        ("sin('x')", "a value is expected here, not text"),
        ("sin(\"x)", "this text has no closing quote"),
    ] {
        let error = parse(text).unwrap_err().to_string();
        assert!(error.starts_with(message), "{text}: {error}");
    }
    let Law::Fallible(law) = Law::formula_with_tables("curve(x) + 2*v", &[], &linear).unwrap()
    else {
        panic!()
    };
    let response = law(0.25, 3.0).unwrap();
    assert_eq!([response.force, response.stiffness, response.damping], [7.5, 2.0, 2.0]);
    assert_eq!(
        law(9.0, 0.0).unwrap_err().reason,
        "table `curve` has no value at x = 9: it reaches from 0 to 5"
    );
}

/// Processor time of this thread, in seconds: it does not depend on the load of the machine, except through the cache.
/// Systems without this file give the time of day.
fn processor_time() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = text.split_whitespace().next().and_then(|x| x.parse::<f64>().ok());
    let day = || std::time::UNIX_EPOCH.elapsed().map_or(0.0, |x| x.as_secs_f64());
    nanoseconds.map_or_else(day, |x| 1e-9 * x)
}

/// A table of 10⁶ rows is read in less than a second and looked up in a fraction of a microsecond of processor time. The
/// limits are those of the documentation, with a factor for the caches that other processes share, and for builds
/// without full optimization.
#[test]
fn million_rows_are_read_and_looked_up_quickly() {
    const SHARED: f64 = 5.0;
    let mut noise = Noise(1);
    let mut text = String::from("x,height\n");
    let mut x = 0.0;
    for _ in 0..1_000_000 {
        x += 0.01 * (1.0 + 0.9 * noise.next());
        text += &format!("{x:.6},{:.6}\n", noise.next());
    }
    let clock = processor_time();
    let table = Table::from_file(text.as_bytes(), ["x", "height"], Interpolation::Pchip).unwrap();
    let reading = processor_time() - clock;
    let [from, to] = table.ranges()[0];
    let places: Vec<f64> =
        (0..200_000).map(|_| from + (to - from) * 0.5 * (1.0 + noise.next())).collect();
    let clock = processor_time();
    let sum: f64 = places.iter().map(|x| table.jet(*x)[0]).sum();
    let lookup = 1e9 * (processor_time() - clock) / places.len() as f64;
    println!("read in {reading:.2} s, {lookup:.0} ns per lookup ({sum:.3})");
    assert!(reading < SHARED && lookup < 200.0 * SHARED, "{reading} s, {lookup} ns");
}

/// Points that crowd at one end share a part of the search index: the interval is that of a search through all points.
#[test]
fn crowded_points_are_found() {
    let x: Vec<f64> = (0..2000).map(|k| 1e-6 * (k as f64 / 60.0).exp()).collect();
    let values: Vec<f64> = (0..2000).map(|k| ((k * k) % 97) as f64).collect();
    let table = Table::new(x.clone(), values.clone(), Interpolation::Linear).unwrap();
    for k in 0..1999 {
        for part in [0.0, 0.3, 0.9] {
            let at = x[k] + part * (x[k + 1] - x[k]);
            let wanted = values[k] + (at - x[k]) / (x[k + 1] - x[k]) * (values[k + 1] - values[k]);
            // round-off of the weight
            assert!((table.value(at) - wanted).abs() < 1e-11, "{k} {part}");
            let slope = (values[k + 1] - values[k]) / (x[k + 1] - x[k]);
            assert!((table.jet(at)[1] - slope).abs() <= 1e-12 * slope.abs(), "{k} {part}");
        }
    }
}
