//! Known mechanisms, ready to assemble: those of the literature that tests and benchmarks use.

use std::f64::consts::{FRAC_PI_6, TAU};

use cardan::math::{Matrix3, Quaternion, Vector3};
pub use cardan::model::Dimension;
use cardan::model::{Body, Drive, Force, Function, Joint, Mechanism, Rolling, Scalar, Shape};

/// Standard gravity as the papers take it.
const G: f64 = 9.81;

/// A rigid link in the x–y plane, as a planar or spatial body.
fn link(dimension: Dimension, name: &str, mass: f64, inertia: f64) -> Body {
    match dimension {
        Dimension::Plane => Body::planar(name).mass(mass).inertia(inertia),
        // any inertia about the other axes will do: they are not excited
        Dimension::Space => Body::spatial(name).mass(mass).inertia([inertia, inertia, inertia]),
    }
}

/// A link turned by an angle about z.
fn turned(dimension: Dimension, body: Body, angle: f64) -> Body {
    match dimension {
        Dimension::Plane => body.angle(angle),
        Dimension::Space => body.rotated([0.0, 0.0, angle]),
    }
}

/// Andrews' squeezer with the data and the start of the IVP test set: seven bodies, ten pins, a
/// spring and a torque on the crank. In space nine of the pins' rows out of the plane hold what is
/// held already; in the plane nothing is redundant.
pub fn andrews(dimension: Dimension) -> Mechanism {
    let masses = [0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498];
    let inertias = [2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5];
    let (a, b, c) = ([-0.06934, -0.00227], [-0.03635, 0.03273], [0.014, 0.072]);
    let (d, da, e, ea, rr, ra) = (0.028, 0.0115, 0.02, 0.01421, 0.007, 0.00092);
    let (ss, sa, sb, sc, sd) = (0.035, 0.01874, 0.01043, 0.018, 0.02);
    let (ta, tb, u, ua, ub) = (0.02308, 0.00916, 0.04, 0.01228, 0.00449);
    let (zf, zt, fa) = (0.02, 0.04, 0.01421);
    let (beta, gamma, delta) = (-0.0617138900142764496, 0.455279819163070380, 0.487364979543842550);
    let (phi, epsilon) = (0.222668390165885885, 1.230547444549821192);
    let angles = [beta, beta, gamma, phi + delta, delta, epsilon - phi, epsilon];

    // each body by its first point, whose place is known, and its points from the centre of mass
    type Points = Vec<(&'static str, [f64; 2])>;
    let names = ["OF", "EF", "BDE", "EG", "AG", "HE", "AH"];
    let points: [Points; 7] = [
        vec![("O", [-ra, 0.0]), ("F", [rr - ra, 0.0])],
        vec![("F", [da, 0.0]), ("E", [da - d, 0.0])],
        vec![("B", [-sb, sa]), ("E", [-sb, sa - ss]), ("D", [sd - sb, sa - sc])],
        vec![("G", [0.0, e - ea]), ("E", [0.0, -ea])],
        vec![("A", [-ta, -tb]), ("G", [zt - ta, -tb])],
        vec![("H", [fa - zf, 0.0]), ("E", [fa, 0.0])],
        vec![("A", [ub, ua]), ("H", [ub, ua - u])],
    ];
    let turn = |body: usize, at: [f64; 2]| {
        let (sine, cosine) = f64::sin_cos(angles[body]);
        [cosine * at[0] - sine * at[1], sine * at[0] + cosine * at[1]]
    };
    let mut centres = [[0.0; 2]; 7];
    let place = |centres: &[[f64; 2]; 7], body: usize, k: usize| {
        let arm = turn(body, points[body][k].1);
        [centres[body][0] + arm[0], centres[body][1] + arm[1]]
    };
    for body in [0, 1, 2, 4, 3, 6, 5] {
        let first = match body {
            0 => [0.0, 0.0],
            1 => place(&centres, 0, 1),
            2 => b,
            3 => place(&centres, 4, 1),
            5 => place(&centres, 6, 1),
            _ => a,
        };
        let arm = turn(body, points[body][0].1);
        centres[body] = [first[0] - arm[0], first[1] - arm[1]];
    }

    let mut squeezer = Mechanism::new();
    squeezer.point("O", [0.0, 0.0]).point("A", a).point("B", b).point("C", c);
    for i in 0..7 {
        let body = link(dimension, names[i], masses[i], inertias[i]).position(centres[i]);
        let body = turned(dimension, body, angles[i]);
        let body = points[i].iter().fold(body, |body, (name, at)| body.point(name, *at));
        squeezer.add(body);
    }
    let pins = [
        ("O", "ground.O", "OF.O"),
        ("F", "OF.F", "EF.F"),
        ("E1", "EF.E", "BDE.E"),
        ("E2", "EF.E", "EG.E"),
        ("E3", "EF.E", "HE.E"),
        ("B", "ground.B", "BDE.B"),
        ("G", "EG.G", "AG.G"),
        ("A1", "ground.A", "AG.A"),
        ("H", "HE.H", "AH.H"),
        ("A2", "ground.A", "AH.A"),
    ];
    for (name, one, two) in pins {
        let pin = Joint::revolute(name, one, two).axis([0.0, 0.0, 1.0]);
        squeezer.add(if name == "O" { pin.offset(beta) } else { pin });
    }
    squeezer.add(Force::spring("spring", "ground.C", "BDE.D").stiffness(4530.0).rest(0.07785));
    squeezer.add(Force::motor("torque", "O", 0.033));
    squeezer
}

/// No solver here takes more bodies than this.
const MAX_BODIES: usize = 1_000_000;

/// N four-bars in a row: 2N + 1 uniform rods of 1 m and 1 kg, upright, pushed with 1 m/s. The
/// exact motion is that of one pendulum, also through the horizontal, where the rods are in line. More than
/// a million give a mechanism without bodies, which cannot be assembled.
pub fn four_bars(n: usize, dimension: Dimension) -> Mechanism {
    let inertia = 1.0 / 12.0;
    let mut row = Mechanism::new();
    if n > MAX_BODIES {
        return row;
    }
    row.gravity([0.0, -G, 0.0]);
    for i in 0..=n {
        let x = i as f64;
        let crank = link(dimension, &format!("crank{i}"), 1.0, inertia)
            .position([x, 0.5])
            .point("foot", [0.0, -0.5])
            .point("head", [0.0, 0.5]);
        row.point(&format!("A{i}"), [x, 0.0]);
        row.add(if i == 0 {
            match dimension {
                Dimension::Plane => crank.spin(-1.0),
                Dimension::Space => crank.angular_velocity([0.0, 0.0, -1.0]),
            }
        } else {
            crank
        });
        let (foot, ground) = (format!("crank{i}.foot"), format!("ground.A{i}"));
        row.add(Joint::revolute(&format!("A{i}"), ground, foot).axis([0.0, 0.0, 1.0]));
        if i > 0 {
            let rod = link(dimension, &format!("rod{i}"), 1.0, inertia)
                .position([x - 0.5, 1.0])
                .point("left", [-0.5, 0.0])
                .point("right", [0.5, 0.0]);
            row.add(rod);
            let ends = [(i - 1, "left"), (i, "right")];
            for (crank, end) in ends {
                let name = format!("B{i}{}", &end[..1]);
                let (head, side) = (format!("crank{crank}.head"), format!("rod{i}.{end}"));
                row.add(Joint::revolute(&name, head, side).axis([0.0, 0.0, 1.0]));
            }
        }
    }
    row
}

/// Bricard's loop of five rods and six revolutes, whose constraints have rank 29 of 30 everywhere.
pub fn bricard() -> Mechanism {
    scattered_bricard(Vector3::zeros)
}

/// Bricard's loop with every rod moved and turned by displacements, so that it must be assembled.
pub fn scattered_bricard(mut displacement: impl FnMut() -> Vector3) -> Mechanism {
    let points = [
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [1.0, -1.0, 0.0],
        [1.0, -1.0, 1.0],
        [0.0, -1.0, 1.0],
        [0.0, 0.0, 1.0],
    ]
    .map(Vector3::from);
    let axes = [Vector3::y(), Vector3::z(), Vector3::x()];
    let mut loop_of_six = Mechanism::new();
    loop_of_six.gravity([0.0, -G, 0.0]).point("first", points[0]).point("last", points[5]);
    for i in 0..5 {
        let half = 0.5 * (points[i + 1] - points[i]);
        let (axial, across) = (0.02 / 12.0, 1.01 / 12.0);
        let inertia = half.abs().map(|x| if x > 0.25 { axial } else { across });
        let body = Body::spatial(&format!("rod{}", i + 1))
            .mass(1.0)
            .inertia([inertia.x, inertia.y, inertia.z])
            .position(points[i] + half + displacement())
            .rotated(displacement())
            .point("from", -half)
            .point("to", half);
        loop_of_six.add(body);
    }
    for i in 0..6 {
        let one = if i == 0 { "ground.first".into() } else { format!("rod{i}.to") };
        let two = if i == 5 { "ground.last".into() } else { format!("rod{}.from", i + 1) };
        let joint = Joint::revolute(&format!("P{i}"), one, two);
        loop_of_six.add(joint.axes_on_bodies(axes[i % 3], axes[i % 3]));
    }
    loop_of_six
}

/// The stiff flyball governor: a shaft, two arms with balls, a slider on the shaft held by stiff
/// springs; turning freely.
pub fn flyball_governor() -> Mechanism {
    let mut governor = Mechanism::new();
    governor.gravity([0.0, 0.0, -G]);
    let bar = |length: f64, x: f64| (0.3, 0.3 * (length * length + x * x) / 12.0);
    let (mass, across) = bar(1.0, 0.01);
    let thin = mass * 2e-4 / 12.0;
    let spin = TAU;
    governor.add(
        Body::spatial("shaft")
            .mass(mass)
            .inertia([across, across, thin])
            .position([0.0, 0.0, 0.5])
            .angular_velocity([0.0, 0.0, spin]),
    );
    let cube = 3.0 * 0.02 / 12.0;
    governor.add(
        Body::spatial("slider")
            .mass(3.0)
            .inertia([cube; 3])
            .position([0.0, 0.0, 0.5])
            .point("left", [-0.05, 0.0, 0.0])
            .point("right", [0.05, 0.0, 0.0]),
    );
    governor.add(Joint::revolute("bearing", "ground", "shaft").at([0.0; 3]).axis([0.0, 0.0, 1.0]));
    governor.add(
        Joint::prismatic("slide", "shaft", "slider").at([0.0, 0.0, 0.5]).axis([0.0, 0.0, 1.0]),
    );
    for (name, side) in [("left", -1.0), ("right", 1.0)] {
        // the arm along its own x, 30° below the horizontal, its ball at the far end
        let (arm, ball) = (format!("arm_{name}"), 5.0);
        let total = mass + ball;
        let centre = (0.5 * mass + ball) / total;
        let offset = mass * (centre - 0.5_f64).powi(2) + ball * (1.0 - centre).powi(2);
        let body = Body::spatial(&arm)
            .mass(total)
            .inertia([thin, across + offset, across + offset])
            .centre([centre, 0.0, 0.0])
            .position([0.05 * side, 0.0, 1.0])
            .point("middle", [0.5, 0.0, 0.0]);
        // the left arm is the right one turned about the shaft
        let down = Quaternion::from_matrix(&about_y(FRAC_PI_6));
        let around = Quaternion::new(0.0, 0.0, 0.0, 1.0);
        let turned = if side > 0.0 { down } else { around * down };
        governor.add(body.orientation(turned));
        governor.add(
            Joint::revolute(&format!("pin_{name}"), "shaft", arm.as_str())
                .at([0.05 * side, 0.0, 1.0])
                .axis([0.0, 1.0, 0.0]),
        );
        governor.add(
            Force::spring(
                &format!("spring_{name}"),
                format!("slider.{name}"),
                format!("{arm}.middle"),
            )
            .stiffness(8e5)
            .damping(4e4)
            .rest(0.5),
        );
    }
    governor
}

/// A rotation about y.
fn about_y(angle: f64) -> Matrix3 {
    let (sine, cosine) = angle.sin_cos();
    Matrix3::new(cosine, 0.0, sine, 0.0, 1.0, 0.0, -sine, 0.0, cosine)
}

/// The spatial slider–crank: a crank about x, a rod between a ball and a cross, a slider on x.
pub fn spatial_slider_crank() -> Mechanism {
    let a = Vector3::new(0.0, 0.1, 0.12);
    let b = a + Vector3::new(0.0, 0.0, 0.08);
    let reach = (0.09 - b.y * b.y - b.z * b.z).sqrt();
    let c = Vector3::new(reach, 0.0, 0.0);
    let along = (c - b).normalize();
    // the pin on the rod is perpendicular to the rod and to the slider's x
    let pin = along.cross(&Vector3::x()).normalize();
    let rod_axes = Matrix3::from_columns(&[along, pin, along.cross(&pin)]);
    let mut crank = Mechanism::new();
    crank.gravity([0.0, 0.0, -G]);
    crank.add(
        Body::spatial("crank")
            .mass(0.12)
            .inertia([1e-4, 1e-4, 1e-4])
            .position(a + Vector3::new(0.0, 0.0, 0.04)),
    );
    crank.add(
        Body::spatial("rod")
            .mass(0.5)
            .inertia([4e-4, 4e-3, 4e-3])
            .position(0.5 * (b + c))
            .orientation(Quaternion::from_matrix(&rod_axes)),
    );
    crank.add(Body::spatial("slider").mass(2.0).inertia([1e-4; 3]).position(c));
    crank.add(Joint::revolute("A", "ground", "crank").at(a).axis([1.0, 0.0, 0.0]).rate(6.0));
    crank.add(Joint::spherical("B", "crank", "rod").at(b));
    crank.add(Joint::universal("C", "slider", "rod").at(c).pins([1.0, 0.0, 0.0], pin.into()));
    crank.add(Joint::prismatic("slide", "ground", "slider").at(c).axis([1.0, 0.0, 0.0]));
    crank
}

/// The fast heavy top of the literature, held by a spherical joint at the origin.
pub fn heavy_top() -> Mechanism {
    let mut top = Mechanism::new();
    top.gravity([0.0, 0.0, -G]);
    top.add(
        Body::spatial("top")
            .mass(15.0)
            .inertia([0.234375, 0.46875, 0.234375])
            .centre([0.0, 1.0, 0.0])
            .angular_velocity([0.0, 150.0, -4.61538]),
    );
    top.add(Joint::spherical("tip", "ground", "top").at([0.0; 3]));
    top
}

/// A driven double pendulum in space: a cross whose first angle is prescribed holds the first body,
/// a revolute joint with a tilted axis the second. Ten constraints, two degrees of freedom.
pub fn spatial_pendulum() -> Mechanism {
    let hinge = [0.0, -0.1, -1.0];
    let mut pendulum = Mechanism::new();
    pendulum.gravity([0.0, 0.0, -G]);
    pendulum.add(
        Body::spatial("upper")
            .mass(2.0)
            .inertia([0.2, 0.25, 0.1])
            .position([0.0, -0.1, -0.5])
            .angular_velocity([0.7, -1.6, 0.4]),
    );
    pendulum.add(
        Body::spatial("lower").mass(1.0).inertia([0.1, 0.12, 0.06]).position([-0.1, -0.1, -1.4]),
    );
    let cross = Joint::universal("cross", "ground", "upper").at([0.0; 3]);
    pendulum.add(cross.pins([0.0, 1.0, 0.0], [1.0, 0.0, 0.0]));
    pendulum.add(Drive::angle("drive", "cross", Function::of(|t| (t * 2.0).sin() * -0.8)));
    let joint = Joint::revolute("hinge", "upper", "lower").at(hinge).axis([0.6, 0.8, 0.0]);
    pendulum.add(joint.rate(1.5));
    pendulum
}

/// The car axis of the IVP test set: two point masses at a distance on springs over a road that
/// tilts about the left wheel; the left mass stays on the road's normal.
pub fn car_axis() -> Mechanism {
    let mass = 0.5 * 10.0 * 1e-4;
    let mut axis = Mechanism::new();
    axis.gravity([0.0, -1.0, 0.0]);
    axis.add(Body::planar("road").point("left", [0.0, 0.0]).point("right", [1.0, 0.0]));
    for (name, x) in [("left", 0.0), ("right", 1.0)] {
        axis.add(Body::planar_point_mass(name, mass).position([x, 0.5]).velocity([-0.5, 0.0]));
        let spring = Force::spring(&format!("spring_{name}"), format!("road.{name}"), name);
        axis.add(spring.stiffness(1.0).rest(0.5));
    }
    axis.add(Joint::revolute("hinge", "ground", "road").at([0.0, 0.0]));
    let tilt = Function::of(|t| ((t * 10.0).sin() * 0.1).asin());
    axis.add(Drive::angle("bumps", "hinge", tilt));
    axis.add(Joint::point_on_line("strut", "road.left", "left").axis([0.0, 1.0]));
    axis.add(Joint::distance("axle", "left", "right").length(1.0));
    axis
}

/// A disc that rolls on the plane z = 0: leaning, spinning about its axis and turning.
pub fn rolling_disc() -> Mechanism {
    let (radius, lean) = (0.5, 0.3_f64);
    let mut disc = Mechanism::new();
    disc.gravity([0.0, 0.0, -G]);
    let (across, axial) = (0.25 * radius * radius, 0.5 * radius * radius);
    disc.add(
        Body::spatial("disc")
            .mass(1.0)
            .inertia([across, axial, across])
            .position([0.0, 0.0, radius * lean.cos()])
            .rotated([lean, 0.0, 0.0])
            .angular_velocity([0.0, 6.0, 0.5]),
    );
    let axis = [0.0, lean.cos(), lean.sin()];
    disc.add(Rolling::new("road", "disc", radius).axis(axis));
    disc
}

/// A hanging chain of n rods of 1 m and 1 kg, stretched along x, in the plane or in space, where
/// its revolutes are turned against each other. More than a million give a mechanism without bodies, which
/// cannot be assembled.
pub fn chain(n: usize, dimension: Dimension) -> Mechanism {
    let mut chain = Mechanism::new();
    if n > MAX_BODIES {
        return chain;
    }
    let spatial = dimension == Dimension::Space;
    chain.gravity(if spatial { [0.0, 0.0, -G] } else { [0.0, -G, 0.0] });
    let rod = Shape::Box { edges: [1.0, 0.1, 0.1] };
    for i in 0..n {
        let body = match dimension {
            Dimension::Plane => Body::planar(&format!("rod{i}")),
            Dimension::Space => Body::spatial(&format!("rod{i}")),
        };
        chain.add(body.shape(rod.clone(), 100.0).position([i as f64 + 0.5, 0.0]));
        let before = if i == 0 { "ground".into() } else { format!("rod{}", i - 1) };
        let axis = match (spatial, i % 2) {
            (false, _) => [0.0, 0.0, 1.0],
            (true, 0) => [0.0, 1.0, 0.0],
            (true, _) => [0.0, 0.6, 0.8],
        };
        let place = [i as f64, 0.0, 0.0];
        let joint = Joint::revolute(&format!("pin{i}"), before, format!("rod{i}"));
        chain.add(joint.at(place).axis(axis));
    }
    chain
}
