//! Craig and Bampton's reduction of finite elements, against analytic beams.

use std::fmt::Write;
use std::path::PathBuf;

use cardan::linalg::SparseMatrix;
use cardan::math::Vector3;
use cardan::model::{
    Dimension, FiniteElements, FlexibleBody, Joint, MassPoint, Mechanism, ModalBasis, Model,
    ReductionError,
};
use cardan::modes::{Modes, ModesOptions};
use cardan::statics::StaticOptions;
use cardan::{Formulation, Settings, Simulation, StateView, System};

use super::slider_crank::{self, ROD};
use crate::mechanisms::{At, Noise};

/// A planar beam of Hermite's cubic elements with consistent mass, (x, y, rotation) at each node.
pub fn hermite(
    elements: usize,
    length: f64,
    mass: f64,
    axial: f64,
    bending: f64,
) -> [SparseMatrix; 2] {
    let l = length / elements as f64;
    let n = 3 * (elements + 1);
    let assemble = |stretch: [f64; 2], bend: [[f64; 4]; 4]| {
        SparseMatrix::written(n, n, |out| {
            for e in 0..elements {
                let axial = [3 * e, 3 * e + 3];
                let cross = [3 * e + 1, 3 * e + 2, 3 * e + 4, 3 * e + 5];
                for i in 0..2 {
                    for j in 0..2 {
                        out.add(axial[i], axial[j], stretch[usize::from(i != j)]);
                    }
                }
                for i in 0..4 {
                    for j in 0..4 {
                        out.add(cross[i], cross[j], bend[i][j]);
                    }
                }
            }
        })
    };
    let k = bending / l.powi(3);
    let bend = [
        [12.0 * k, 6.0 * l * k, -12.0 * k, 6.0 * l * k],
        [6.0 * l * k, 4.0 * l * l * k, -6.0 * l * k, 2.0 * l * l * k],
        [-12.0 * k, -6.0 * l * k, 12.0 * k, -6.0 * l * k],
        [6.0 * l * k, 2.0 * l * l * k, -6.0 * l * k, 4.0 * l * l * k],
    ];
    let m = mass * l / 420.0;
    let inertia = [
        [156.0 * m, 22.0 * l * m, 54.0 * m, -13.0 * l * m],
        [22.0 * l * m, 4.0 * l * l * m, 13.0 * l * m, -3.0 * l * l * m],
        [54.0 * m, 13.0 * l * m, 156.0 * m, -22.0 * l * m],
        [-13.0 * l * m, -3.0 * l * l * m, -22.0 * l * m, 4.0 * l * l * m],
    ];
    [assemble([mass * l / 3.0, mass * l / 6.0], inertia), assemble([axial / l, -axial / l], bend)]
}

fn line(elements: usize, length: f64) -> Vec<Vector3> {
    (0..=elements).map(|i| Vector3::new(length * i as f64 / elements as f64, 0.0, 0.0)).collect()
}

fn ends(elements: usize) -> [(String, Vec<usize>); 2] {
    [("start".into(), vec![0]), ("end".into(), vec![elements])]
}

/// The rod of the slider-crank from finite elements; E S = 1.15e8 N.
fn rod(elements: usize, modes: usize) -> ModalBasis {
    let [mass, stiffness] = hermite(elements, ROD[0], ROD[1], 1.152e8, ROD[2]);
    let model =
        FiniteElements::new(line(elements, ROD[0]), Dimension::Plane, mass, stiffness).unwrap();
    model.reduce(&ends(elements), modes).unwrap()
}

/// A free body from finite elements has the frequencies of a free beam, and three rigid motions.
#[test]
fn a_reduced_free_beam_swings_as_a_beam() {
    let unit = (ROD[2] / (ROD[1] * ROD[0].powi(4))).sqrt();
    let known = [22.3732854480613, 61.6728228679202, 120.903391727124];
    let errors = [8, 24].map(|count| {
        let modal = rod(32, count);
        let mut free = Mechanism::new();
        free.add(FlexibleBody::planar("rod", modal.clone()));
        let start = free.assemble().unwrap();
        let settings = Settings::new("lms2", 1e-3);
        let motion = Simulation::new(&start.model, &settings, &start.initial).unwrap();
        let modes = Modes::new(&start.model, motion.now(), &ModesOptions::default()).unwrap();
        assert!((start.model.energy(motion.now()).kinetic).abs() < 1e-20);
        let found: Vec<f64> = modes.modes.iter().map(|mode| mode.frequency()).collect();
        assert_eq!((found.len(), &found[..3]), (10, &[0.0; 3][..]), "{found:?}");
        // the modes of the body are free of each other, with unit masses
        for (found, square) in found[3..].iter().zip(modal.stiffness().diagonal().iter()) {
            assert!((found / square.sqrt() - 1.0).abs() < 1e-10, "{found} {}", square.sqrt());
        }
        [0, 1, 2].map(|k| found[3 + k] / unit / known[k] - 1.0)
    });
    // Ritz's values lie above, and come nearer with more modes between held ends
    for [few, many] in [0, 1, 2].map(|k| errors.map(|x| x[k])) {
        assert!(many > 0.0 && few < 2e-3 && many < 0.25 * few, "{errors:?}");
    }
}

/// The slider-crank with the rod from finite elements moves as with analytic modes.
#[test]
fn a_reduced_rod_moves_as_an_analytic_one() {
    let motion = |modal: ModalBasis| {
        let start = slider_crank::with(modal, 9.81).assemble().unwrap();
        let settings = Settings::new("generalized-alpha", 2e-5)
            .rho(0.6)
            .constraints(Formulation::Acceleration);
        let mut motion = Simulation::new(&start.model, &settings, &start.initial).unwrap();
        motion.run_until(0.1).unwrap();
        let read = |name: &str| start.model.read(name, motion.now()).unwrap();
        [read("crank.angle")[0], read("O.angle.rate")[0], read("rod.end")[0]]
    };
    let (analytic, reduced) = (motion(slider_crank::rod(4)), motion(rod(16, 4)));
    eprintln!("{analytic:?} {reduced:?}");
    // the rod bends by 4e-6 m and stretches by 1e-8 m; angles know that over 0.3 m, and rates swing with
    // the first frequency, 1665/s times what is left of the modes beyond the fourth
    for (k, tolerance) in [1e-7, 1e-3, 1e-7].into_iter().enumerate() {
        assert!((analytic[k] - reduced[k]).abs() < tolerance, "{k}: {analytic:?} {reduced:?}");
    }
}

/// A spatial beam with six coordinates a node, from two planar ones and a twisting bar.
fn spatial(elements: usize) -> FiniteElements {
    let n = 6 * (elements + 1);
    let (length, mass, polar) = (1.2, 2.0, 0.01);
    let [along_y, along_z] =
        [3.0, 5.0].map(|bending| hermite(elements, length, mass, 4e4, bending));
    let twist = hermite(elements, length, polar, 0.8, 1.0);
    let whole = |k: usize| {
        SparseMatrix::written(n, n, |out| {
            for (i, j, x) in along_y[k].iter() {
                // x, y, and the rotation about z
                let place = |i: usize| 6 * (i / 3) + [0, 1, 5][i % 3];
                out.add(place(i), place(j), x);
            }
            for (i, j, x) in along_z[k].iter().filter(|(i, j, _)| i % 3 > 0 && j % 3 > 0) {
                // z, and a rotation about y the other way round
                let place = |i: usize| {
                    (6 * (i / 3) + [0, 2, 4][i % 3], if i % 3 == 2 { -1.0 } else { 1.0 })
                };
                let ((i, a), (j, b)) = (place(i), place(j));
                out.add(i, j, a * b * x);
            }
            for (i, j, x) in twist[k].iter().filter(|(i, j, _)| i % 3 == 0 && j % 3 == 0) {
                out.add(6 * (i / 3) + 3, 6 * (j / 3) + 3, x);
            }
        })
    };
    FiniteElements::new(line(elements, length), Dimension::Space, whole(0), whole(1)).unwrap()
}

/// In space: six rigid motions, two families of bending, twist; and a tumbling body keeps what it should.
#[test]
fn a_spatial_beam_is_reduced_too() {
    let elements = 24;
    let modal = spatial(elements).reduce(&ends(elements), 10).unwrap();
    assert!((modal.mass() - 2.4).abs() < 1e-12);
    let mut free = Mechanism::new();
    let finer = spatial(elements).reduce(&ends(elements), 40).unwrap();
    free.add(FlexibleBody::spatial("beam", finer));
    let start = free.assemble().unwrap();
    let motion =
        Simulation::new(&start.model, &Settings::new("lms2", 1e-3), &start.initial).unwrap();
    let options = ModesOptions { count: 9, ..ModesOptions::default() };
    let modes = Modes::new(&start.model, motion.now(), &options).unwrap();
    let found: Vec<f64> = modes.modes.iter().map(|mode| mode.frequency()).collect();
    assert_eq!((found.len(), &found[..6]), (9, &[0.0; 6][..]), "{found:?}");
    let bending = |stiffness: f64| 22.3732854480613 * (stiffness / (2.0 * 1.2_f64.powi(4))).sqrt();
    let twist = std::f64::consts::PI * (0.8_f64 / 0.01).sqrt() / 1.2;
    let mut known = [bending(3.0), bending(5.0), twist];
    known.sort_by(f64::total_cmp);
    for (found, known) in found[6..].iter().zip(known) {
        // forty modes between held ends, and the mesh of the twisting bar, (π/24)²/24 = 7e-4
        assert!((found / known - 1.0).abs() < 1e-3, "{found} {known}");
    }

    let errors = [2e-3, 1e-3].map(|h| {
        let mut tumbling = Mechanism::new();
        let beam = FlexibleBody::spatial("beam", modal.clone()).velocity([0.1, 0.2, -0.3]);
        tumbling.add(beam.angular_velocity([0.8, -0.5, 0.6]).amplitude(1, 0.02, 0.0));
        let start = tumbling.assemble().unwrap();
        let settings = Settings::new("generalized-alpha", h).rho(1.0);
        let mut motion = Simulation::new(&start.model, &settings, &start.initial).unwrap();
        let measure = |motion: &Simulation<'_>| {
            let energy = start.model.energy(motion.now());
            let momentum = start.model.momentum(motion.now());
            (energy.kinetic + energy.potential, momentum.linear, momentum.angular)
        };
        let before = measure(&motion);
        motion.run_until(0.5).unwrap();
        let after = measure(&motion);
        (before.0 - after.0).abs() + (before.1 - after.1).norm() + (before.2 - after.2).norm()
    });
    assert!(errors[1] < 1e-3 && errors[1] < 0.3 * errors[0], "{errors:?}");
}

/// An interface that is a single node of a plane solid holds it against moving, not against turning.
#[test]
fn one_node_may_be_an_interface() {
    // two triangles' worth of springs: a square with both diagonals
    let corners = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
    let pairs = [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2), (1, 3)];
    let stiffness = SparseMatrix::written(8, 8, |out| {
        for (a, b) in pairs {
            let d = [corners[b][0] - corners[a][0], corners[b][1] - corners[a][1]];
            let length = f64::hypot(d[0], d[1]);
            let n = [d[0] / length, d[1] / length];
            for (p, q, sign) in [(a, a, 1.0), (b, b, 1.0), (a, b, -1.0), (b, a, -1.0)] {
                for i in 0..2 {
                    for j in 0..2 {
                        out.add(2 * p + i, 2 * q + j, sign * 1e7 * n[i] * n[j]);
                    }
                }
            }
        }
    });
    let mass = SparseMatrix::written(8, 8, |out| (0..8).for_each(|i| out.add(i, i, 0.25)));
    let places = corners.map(|[x, y]| Vector3::new(x, y, 0.0)).to_vec();
    let square = FiniteElements::new(places, Dimension::Plane, mass, stiffness).unwrap();
    let modal = square.reduce(&[("pin".into(), vec![0])], 3).unwrap();
    let mut swinging = Mechanism::new();
    swinging.gravity([0.0, -9.81, 0.0]);
    swinging.point("O", [0.0, 0.0]);
    swinging.add(FlexibleBody::planar("plate", modal).angle(-0.75 * std::f64::consts::PI));
    swinging.add(Joint::revolute("O", "ground.O", "plate.pin"));
    let start = swinging.assemble().unwrap();
    let rest = start.equilibrium(&StaticOptions::default()).unwrap();
    let options = ModesOptions::default();
    let modes = Modes::new(&start.model, rest.last().unwrap(), &options).unwrap();
    // (J + m r²) ω² = m g r with r² = 1/2 and J = 1/2: the springs give next to nothing
    let known = (9.81 * 0.5_f64.sqrt()).sqrt();
    assert!(
        (modes.modes[0].frequency() / known - 1.0).abs() < 1e-5,
        "{:?}",
        modes.modes[0].eigenvalue
    );
}

/// With a diagonal mass matrix finite elements are pieces of mass: the same body, whatever its state.
#[test]
fn elements_with_lumped_mass_are_pieces_of_mass() {
    let mut noise = Noise(21);
    let places: Vec<Vector3> = (0..5).map(|_| noise.vector()).collect();
    let masses: Vec<f64> = (0..5).map(|_| 1.0 + 0.5 * noise.next()).collect();
    let stiffness = SparseMatrix::written(15, 15, |out| {
        for (a, b) in (0..5).flat_map(|a| (0..a).map(move |b| (a, b))) {
            let n = (places[a] - places[b]).normalize();
            for (p, q, sign) in [(a, a, 1.0), (b, b, 1.0), (a, b, -1.0), (b, a, -1.0)] {
                for (i, j) in (0..3).flat_map(|i| (0..3).map(move |j| (i, j))) {
                    out.add(3 * p + i, 3 * q + j, sign * 40.0 * n[i] * n[j]);
                }
            }
        }
    });
    let mass =
        SparseMatrix::written(15, 15, |out| (0..15).for_each(|i| out.add(i, i, masses[i / 3])));
    let truss = FiniteElements::new(places.clone(), Dimension::Space, mass, stiffness).unwrap();
    let all: Vec<(String, Vec<usize>)> = (0..5).map(|i| (format!("n{i}"), vec![i])).collect();
    let reduced = truss.reduce(&all, 0).unwrap();
    let n = reduced.modes();
    assert_eq!(n, 9, "fifteen coordinates, six rigid motions");
    let point = |i: usize| reduced.points().find(|x| x.name == format!("n{i}")).unwrap();
    let pieces: Vec<MassPoint> = (0..5)
        .map(|i| MassPoint { mass: masses[i], place: places[i], shapes: point(i).shapes.clone() })
        .collect();
    let pieces = ModalBasis::of_masses(&pieces, reduced.stiffness().clone());
    let models = [reduced.clone(), pieces].map(|modal| {
        let mut mechanism = Mechanism::new();
        mechanism.gravity([1.0, 2.0, 3.0]);
        mechanism.add(FlexibleBody::spatial("body", modal));
        mechanism.compile().unwrap().0
    });
    let at = At::random(&models[0], &mut noise);
    let force = |model: &Model| {
        let mut force = vec![0.0; at.v.len()];
        model.force(&at.point(0.0), &mut force).unwrap();
        force
    };
    let mass = |model: &Model| {
        let mass = SparseMatrix::written(15, 15, |mass| {
            model.mass(&StateView::at(0.0, &at.q), mass).unwrap();
        });
        let mut momentum = vec![0.0; 15];
        mass.iter().for_each(|(i, j, x)| momentum[i] += x * at.a[j]);
        momentum
    };
    for of in [&force as &dyn Fn(&Model) -> Vec<f64>, &mass] {
        let [one, two] = [&models[0], &models[1]].map(of);
        for (a, b) in one.iter().zip(&two) {
            assert!((a - b).abs() < 1e-9 * (1.0 + b.abs()), "{one:?}\n{two:?}");
        }
    }
}

fn market(matrix: &SparseMatrix) -> String {
    let entries: Vec<_> = matrix.iter().filter(|(i, j, _)| i >= j).collect();
    let mut text = String::from("%%MatrixMarket matrix coordinate real symmetric\n% from a test\n");
    writeln!(text, "{} {} {}", matrix.rows(), matrix.columns(), entries.len()).unwrap();
    for (i, j, x) in entries {
        writeln!(text, "{} {} {x:e}", i + 1, j + 1).unwrap();
    }
    text
}

struct Files(PathBuf);

impl Files {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("cardan-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, text).unwrap();
        path
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Files give the same body as matrices; what is wrong with them is told.
#[test]
fn files_are_read_and_checked() {
    let files = Files::new("reduction");
    let [mass, stiffness] = hermite(8, 0.6, 1.5, 1e8, 5530.0);
    let places = line(8, 0.6);
    let mut text = String::from("%%MatrixMarket matrix array real general\n9 3\n");
    for k in 0..3 {
        places.iter().for_each(|place| writeln!(text, "{:e}", place[k]).unwrap());
    }
    let nodes = files.write("nodes.mtx", &text);
    let paths = [files.write("m.mtx", &market(&mass)), files.write("k.mtx", &market(&stiffness))];
    let read = FiniteElements::read(&paths[0], &paths[1], &nodes, Dimension::Plane).unwrap();
    let given =
        FiniteElements::new(places.clone(), Dimension::Plane, mass.clone(), stiffness.clone())
            .unwrap();
    assert_eq!(read.reduce(&ends(8), 3).unwrap(), given.reduce(&ends(8), 3).unwrap());

    let error = |result: Result<FiniteElements, ReductionError>| result.unwrap_err().to_string();
    let missing =
        error(FiniteElements::read(&files.0.join("no.mtx"), &paths[1], &nodes, Dimension::Plane));
    assert!(missing.contains("no.mtx") && missing.contains("cannot open"), "{missing}");
    let size =
        error(FiniteElements::new(line(7, 0.6), Dimension::Plane, mass.clone(), stiffness.clone()));
    assert!(size.contains("27×27") && size.contains("8 nodes"), "{size}");
    let spoil = |matrix: &SparseMatrix, i: usize, j: usize, by: f64| {
        SparseMatrix::written(matrix.rows(), matrix.columns(), |out| {
            matrix.iter().for_each(|(i, j, x)| out.add(i, j, x));
            out.add(i, j, by);
        })
    };
    let uneven = spoil(&stiffness, 1, 4, 1e5);
    let message =
        error(FiniteElements::new(places.clone(), Dimension::Plane, mass.clone(), uneven));
    assert!(message.contains("not symmetric") && message.contains("(2, 5)"), "{message}");
    let held = spoil(&stiffness, 1, 1, 1e9);
    let message = error(FiniteElements::new(places.clone(), Dimension::Plane, mass.clone(), held));
    assert!(message.contains("supports"), "{message}");
    let light = spoil(&mass, 4, 4, -1.0);
    let message =
        error(FiniteElements::new(places.clone(), Dimension::Plane, light, stiffness.clone()));
    assert!(message.contains("mass matrix is not positive definite"), "{message}");
    let negative = SparseMatrix::written(27, 27, |out| {
        stiffness.iter().for_each(|(i, j, x)| out.add(i, j, -x));
    });
    let message = error(FiniteElements::new(places, Dimension::Plane, mass, negative));
    assert!(message.contains("indefinite"), "{message}");
    let message = given.reduce(&[("tip".into(), vec![9])], 2).unwrap_err().to_string();
    assert!(message.contains("tip") && message.contains("no node 9"), "{message}");

    for (text, reason) in [
        ("", "must begin with"),
        ("%%MatrixMarket matrix coordinate complex general\n1 1 0\n", "complex"),
        ("%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 3\n", "ends after 1 of 2"),
        ("%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 3\n", "outside a 2×2"),
        ("%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 x\n", "line 3: `x`"),
        ("%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 inf\n", "inf"),
        ("%%MatrixMarket matrix coordinate real symmetric\n2 3 0\n", "cannot be symmetric"),
        ("%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4\n5\n", "more entries"),
        ("%%MatrixMarket matrix coordinate real general\n9999999999999999 2 1\n", "at most"),
    ] {
        let path = files.write("bad.mtx", text);
        let message = error(FiniteElements::read(&path, &paths[1], &nodes, Dimension::Plane));
        assert!(message.contains(reason), "{reason}: {message}");
    }
}
