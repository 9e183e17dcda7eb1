//! Elements from outside: a drag, a controller with a state, an element that fails, closures.

use cardan::math::{Matrix3, Scalar, Vector3};
use cardan::model::{
    AssembledMechanism, BeamModes, Body, CustomJoint, Drive, Element, ElementLoads, ElementOutput,
    ElementState, ElementTangent, ElementView, EnergyFlow, FlexibleBody, Force, Frame, Function,
    Joint, Law, LawResponse, MeasureFormula, Mechanism, MechanismItem, RateTangent, Support,
};
use cardan::modes::{Modes, ModesOptions};
use cardan::statics::StaticOptions;
use cardan::system::{ValidityLimit, verify};
use cardan::{
    Derivative, Failure, Formulation, InitialValues, Settings, Simulation, StateView, System,
};

/// −c |v| v at a point.
struct Drag {
    c: f64,
    is_analytic: bool,
}

impl Element for Drag {
    fn force(&self, at: &ElementView, loads: &mut ElementLoads) -> Result<(), Failure> {
        let v = at.velocity(0);
        loads.force(0, &(-self.c * v.norm() * v));
        Ok(())
    }

    fn tangent(
        &self,
        at: &ElementView,
        tangent: &mut ElementTangent,
    ) -> Result<Derivative, Failure> {
        if !self.is_analytic {
            return Ok(Derivative::Differenced);
        }
        let v = at.velocity(0);
        let speed = v.norm();
        // at rest nothing is written: the pattern does not depend on it
        if speed > 0.0 {
            let damping = self.c * (speed * Matrix3::identity() + v * v.transpose() / speed);
            tangent.points(0, 0, &Matrix3::zeros(), &damping);
            tangent.force(0, &(-self.c * speed * v));
        }
        Ok(Derivative::Analytic)
    }

    fn flow(&self, at: &ElementView) -> Option<EnergyFlow> {
        Some(EnergyFlow { work: 0.0, lost: self.c * at.velocity(0).norm().powi(3) })
    }

    fn outputs(&self) -> Vec<ElementOutput> {
        vec![ElementOutput::vector("force", "N"), ElementOutput::number("speed", "m/s")]
    }

    fn output(&self, k: usize, at: &ElementView, values: &mut [f64]) {
        let v = at.velocity(0);
        match k {
            0 => values.copy_from_slice((-self.c * v.norm() * v).as_slice()),
            _ => values[0] = v.norm(),
        }
    }

    fn limits(&self) -> Vec<ValidityLimit> {
        vec![ValidityLimit {
            part: String::new(),
            quantity: "speed",
            unit: "m/s",
            limit: 1.0,
            beyond: "the drag law was measured up to 1 m/s",
        }]
    }

    fn limit_values(&self, at: &ElementView, values: &mut [f64]) {
        values[0] = at.velocity(0).norm();
    }
}

/// A PID controller of a joint: its state is the integral of the error.
struct Pid {
    target: f64,
    gains: [f64; 3],
    is_analytic: bool,
}

impl Element for Pid {
    fn force(&self, at: &ElementView, loads: &mut ElementLoads) -> Result<(), Failure> {
        let [p, i, d] = self.gains;
        let error = self.target - at.coordinate(0);
        loads.along(0, p * error + i * at.z[0] - d * at.rate(0));
        Ok(())
    }

    fn tangent(
        &self,
        at: &ElementView,
        tangent: &mut ElementTangent,
    ) -> Result<Derivative, Failure> {
        if !self.is_analytic {
            return Ok(Derivative::Differenced);
        }
        let [p, i, d] = self.gains;
        let force = p * (self.target - at.coordinate(0)) + i * at.z[0] - d * at.rate(0);
        tangent.coordinates(0, 0, p, d);
        tangent.along(0, force);
        tangent.coordinate_state(0, 0, -i);
        Ok(Derivative::Analytic)
    }

    fn states(&self) -> Vec<ElementState> {
        vec![ElementState { name: "integral", initial: 0.0 }]
    }

    fn rates(&self, at: &ElementView, rates: &mut [f64]) -> Result<(), Failure> {
        rates[0] = self.target - at.coordinate(0);
        Ok(())
    }

    fn rate_tangent(
        &self,
        _: &ElementView,
        tangent: &mut RateTangent,
    ) -> Result<Derivative, Failure> {
        if !self.is_analytic {
            return Ok(Derivative::Differenced);
        }
        tangent.coordinate(0, 0, -1.0, 0.0);
        Ok(Derivative::Analytic)
    }

    fn inputs(&self) -> &'static [&'static str] {
        &[""]
    }

    fn unit_input(&self, _: usize, _: &ElementView, loads: &mut ElementLoads) {
        loads.along(0, 1.0);
    }
}

/// A spatial pendulum with a drag at its end and a controller in its joint.
fn arm(is_analytic: bool) -> Mechanism {
    let mut arm = Mechanism::new();
    arm.gravity([0.0, -9.81, 0.0]);
    arm.add(
        Body::spatial("arm")
            .mass(2.0)
            .inertia([0.01, 0.2, 0.2])
            .position([0.5, 0.0, 0.0])
            .point("tip", [0.5, 0.1, 0.05]),
    );
    arm.add(Joint::revolute("A", "ground", "arm").at([0.0, 0.0, 0.0]).axis([0.0, 0.2, 1.0]));
    arm.add(Force::custom("drag", ["arm.tip"], Drag { c: 0.3, is_analytic }));
    let gains = [60.0, 80.0, 12.0];
    arm.add(Force::custom("pid", ["A.angle"], Pid { target: 0.8, gains, is_analytic }));
    arm
}

#[test]
fn written_tangents_agree_with_differences() {
    for is_analytic in [false, true] {
        let start = arm(is_analytic).assemble().unwrap();
        let mut motion = start.simulate(&Settings::new("lms3", 1e-3)).unwrap();
        motion.run_until(0.2).unwrap();
        let now = motion.now();
        assert_eq!(verify(&start.model, &now.into(), &now.a).unwrap(), []);
    }
}

/// The controller brings the arm to its target whatever method integrates it; both forms of the tangents
/// give the same motion.
#[test]
fn a_controller_with_a_state_reaches_its_target() {
    for method in ["lms3", "esdirk436", "trapezoidal", "bdf2"] {
        let ends: Vec<Vec<f64>> = [false, true]
            .iter()
            .map(|&is_analytic| {
                let start = arm(is_analytic).assemble().unwrap();
                assert_eq!(start.model.state_count(), 1);
                let mut motion = start.simulate(&Settings::new(method, 5e-3)).unwrap();
                motion.run_until(12.0).unwrap();
                let angle = motion.read("A.angle").unwrap()[0];
                assert!((angle - 0.8).abs() < 1e-4, "{method}: {angle}");
                assert!(motion.read("pid.integral").unwrap()[0].abs() > 0.01);
                motion.now().q.clone()
            })
            .collect();
        let apart = ends[0].iter().zip(&ends[1]).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        // Newton's tolerance
        assert!(apart < 1e-8, "{method}: {apart}");
    }
}

/// Drag alone: the energy balance closes with what the element says it loses, and without a word of it what
/// its loads do is work.
#[test]
fn the_energy_balance_knows_elements_from_outside() {
    struct Silent(Drag);
    impl Element for Silent {
        fn force(&self, at: &ElementView, loads: &mut ElementLoads) -> Result<(), Failure> {
            self.0.force(at, loads)
        }
    }
    let drag = || Drag { c: 0.3, is_analytic: true };
    for (says, force) in [
        (true, Force::custom("drag", ["ball"], drag())),
        (false, Force::custom("drag", ["ball"], Silent(drag()))),
    ] {
        let mut fall = Mechanism::new();
        fall.gravity([0.0, 0.0, -9.81]);
        fall.add(Body::point_mass("ball", 0.1).velocity([1.0, 0.0, 2.0]));
        fall.add(force);
        let start = fall.assemble().unwrap();
        let mut motion = start.simulate(&Settings::new("lms4", 1e-3)).unwrap();
        let mut ledger = cardan::model::EnergyBalance::new(&start.model, motion.now());
        while motion.now().t < 1.0 {
            motion.step().unwrap();
            ledger.record(&start.model, &motion);
        }
        let moved = if says { ledger.dissipated } else { -ledger.forces };
        assert!(moved > 0.5, "{moved}");
        assert!(ledger.balance.abs() < 1e-5 * moved, "{} of {moved}", ledger.balance);
    }
}

/// Falls into a drag whose limit is passed: the watch says so.
#[test]
fn limits_and_channels_of_elements_from_outside() {
    let mut fall = Mechanism::new();
    fall.gravity([0.0, 0.0, -9.81]);
    fall.add(Body::point_mass("ball", 0.1));
    fall.add(Force::custom("drag", ["ball"], Drag { c: 0.01, is_analytic: true }));
    let start = fall.assemble().unwrap();
    let mut motion = start.simulate(&Settings::new("lms3", 1e-3)).unwrap();
    motion.run_until(0.05).unwrap();
    assert!(!motion.warnings().iter().any(|x| x.to_string().contains("drag")));
    motion.run_until(0.3).unwrap();
    let warning = motion.warnings().iter().map(ToString::to_string).collect::<String>();
    assert!(warning.contains("force `drag`") && warning.contains("speed"), "{warning}");
    let speed = motion.read("drag.speed").unwrap()[0];
    assert!((speed - motion.read("ball.velocity.z").unwrap()[0].abs()).abs() < 1e-15);
    let force = motion.read("drag.force").unwrap();
    assert!((force[2] - 0.01 * speed * speed).abs() < 1e-15 && force[0] == 0.0);
    let nearest = motion.read("drag.sped").unwrap_err().to_string();
    assert!(nearest.contains("drag.speed"), "{nearest}");
}

#[test]
fn a_failure_stops_the_step_with_its_reason() {
    let mut fall = Mechanism::new();
    fall.gravity([0.0, 0.0, -9.81]);
    fall.add(Body::point_mass("ball", 0.1));
    fall.add(Force::closure("probe", ["ball"], |at, loads| {
        if at.t > 0.3 {
            return Err("the table ends at t = 0.3".into());
        }
        loads.force(0, &Vector3::new(0.0, 0.0, 0.1));
        Ok(())
    }));
    let start = fall.assemble().unwrap();
    for method in ["lms3", "esdirk436", "g3", "rk4", "ab4", "hht-si2"] {
        let mut motion = start.simulate(&Settings::new(method, 1e-2)).unwrap();
        let error = motion.run_until(1.0).unwrap_err();
        let text = error.to_string();
        assert!(text.contains("force `probe`: the table ends at t = 0.3"), "{method}: {text}");
        assert!((motion.now().t - 0.3).abs() < 0.011, "{method}: {}", motion.now().t);
        // the chain of causes ends in what the closure said
        let mut cause: &dyn std::error::Error = &error;
        while let Some(next) = cause.source() {
            cause = next;
        }
        assert!(cause.to_string().contains("the table ends"), "{method}: {cause}");
    }
}

/// What cannot be done with a site is said, at the start and in the step.
#[test]
fn wrong_sites_are_errors() {
    let with = |sites: &[&str], force: fn(&ElementView, &mut ElementLoads)| {
        let mut all = Mechanism::new();
        all.add(Body::planar("bar").mass(1.0).inertia(0.1));
        all.add(Joint::revolute("A", "ground", "bar").at([0.0, 0.0]));
        all.add(Force::closure("own", sites.iter().copied(), move |at, loads| {
            force(at, loads);
            Ok(())
        }));
        let start = all.assemble().map_err(cardan::Error::from)?;
        start.simulate(&Settings::new("lms3", 1e-2)).map(drop).map_err(cardan::Error::from)
    };
    let text = |x: Result<(), cardan::Error>| x.unwrap_err().to_string();
    let missing = text(with(&["bat"], |_, _| {}));
    assert!(missing.contains("`bat`") && missing.contains("did you mean `bar`"), "{missing}");
    let coordinate = text(with(&["A.length"], |_, _| {}));
    assert!(coordinate.contains("A"), "{coordinate}");
    let no_point = text(with(&["A"], |_, loads| loads.force(0, &Vector3::x())));
    assert!(no_point.contains("site 0") && no_point.contains("point"), "{no_point}");
    let no_site = text(with(&[], |_, loads| loads.along(3, 1.0)));
    assert!(no_site.contains("site 3"), "{no_site}");
    let not_finite = text(with(&["A"], |at, loads| loads.along(0, at.position(0).x)));
    assert!(not_finite.contains("force `own`"), "{not_finite}");
}

/// A drag and a controller at points of a flexible body: the same chain rule as for built-in forces.
#[test]
fn elements_from_outside_act_on_flexible_bodies() {
    let blade = BeamModes {
        bending_stiffness: [1.0; 2],
        bending: [1, 1],
        inertia: [0.05; 3],
        support: Support::Clamped,
        ..BeamModes::default()
    };
    let mut all = Mechanism::new();
    all.gravity([0.0, 0.0, -9.81]);
    all.add(FlexibleBody::spatial("blade", blade.body()));
    all.add(Joint::revolute("A", "ground", "blade.start").axis([0.0, 1.0, 0.0]));
    all.add(Force::custom("drag", ["blade.end"], Drag { c: 0.5, is_analytic: true }));
    let gains = [5.0, 1.0, 0.5];
    all.add(Force::custom("pid", ["A"], Pid { target: 0.1, gains, is_analytic: true }));
    let start = all.assemble().unwrap();
    let mut motion = start.simulate(&Settings::new("lms3", 1e-4)).unwrap();
    motion.run_until(0.01).unwrap();
    let now = motion.now();
    assert_eq!(verify(&start.model, &now.into(), &now.a).unwrap(), []);
}

/// A closure that does what a spring does moves what a spring moves.
#[test]
fn a_closure_equals_the_built_in_spring() {
    let motion = |force: Force| {
        let mut all = Mechanism::new();
        all.add(
            Body::spatial("one").mass(1.0).inertia([0.1, 0.2, 0.3]).point("p", [0.1, 0.2, 0.0]),
        );
        all.add(
            Body::spatial("two")
                .mass(2.0)
                .inertia([0.3, 0.2, 0.1])
                .position([1.0, 0.5, 0.2])
                .velocity([0.0, 0.3, 0.0])
                .point("p", [0.0, -0.2, 0.1]),
        );
        all.add(force);
        let start = all.assemble().unwrap();
        let mut motion = start.simulate(&Settings::new("lms3", 1e-3)).unwrap();
        motion.run_until(1.0).unwrap();
        motion.now().q.clone()
    };
    let spring = Force::spring("s", "one.p", "two.p").stiffness(30.0).damping(0.4).rest(0.9);
    let closure = Force::closure("s", ["one.p", "two.p"], |at, loads| {
        let d = at.position(1) - at.position(0);
        let (length, n) = (d.norm(), d.normalize());
        let rate = n.dot(&(at.velocity(1) - at.velocity(0)));
        let pull = 30.0 * (length - 0.9) + 0.4 * rate;
        loads.force(0, &(pull * n));
        loads.force(1, &(-pull * n));
        Ok(())
    });
    let (one, two) = (motion(spring), motion(closure));
    let apart = one.iter().zip(&two).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    // 1000 steps, each solved to Newton's tolerance of 1e-10 of the motion
    assert!(apart < 1e-8, "{apart}");
}

/// A point and a drag: what is needed to move a start about.
#[test]
fn a_start_moves_to_another_thread() {
    fn is_send<T: Send>(_: &T) {}
    let start: AssembledMechanism = arm(true).assemble().unwrap();
    let mut motion = start.simulate(&Settings::new("lms3", 1e-2)).unwrap();
    is_send(&motion);
    let moved = std::thread::spawn(move || {
        motion.run_until(0.5).unwrap();
        motion.read("A.angle").unwrap()[0]
    });
    let angle = moved.join().unwrap();
    let mut here = start.simulate(&Settings::new("lms3", 1e-2)).unwrap();
    here.run_until(0.5).unwrap();
    assert_eq!(here.read("A.angle").unwrap()[0].to_bits(), angle.to_bits());
}

/// |d| between two points, as a formula.
struct Length(f64);

impl MeasureFormula for Length {
    fn value<T: Scalar>(&self, one: &Frame<T>, two: &Frame<T>) -> T {
        let d = two.position - one.position;
        d.dot(&d).sqrt() - T::constant(self.0)
    }
}

/// The angle of the second body's x axis about the z axis of the first.
struct Turn;

impl MeasureFormula for Turn {
    fn value<T: Scalar>(&self, one: &Frame<T>, two: &Frame<T>) -> T {
        let x = one.rotation.tr_mul(&two.rotation.column(0).into_owned());
        x.y.atan2(x.x)
    }

    fn is_angle(&self) -> bool {
        true
    }
}

/// Two bodies and a rod between points that are not their origins.
fn rod(joint: impl Into<MechanismItem>) -> Mechanism {
    let mut all = Mechanism::new();
    all.gravity([0.0, 0.0, -9.81]);
    let body = |name: &str| {
        Body::spatial(name).mass(1.0).inertia([0.1, 0.2, 0.3]).point("p", [0.1, 0.2, -0.1])
    };
    all.add(body("one"));
    all.add(body("two").position([0.9, 0.3, 0.4]).angular_velocity([1.0, 2.0, 0.5]));
    all.add(Joint::spherical("hinge", "ground", "one").at([0.0, -0.3, 0.0]));
    all.add(joint);
    all
}

/// A joint on a measure from outside does what the built-in one does, in space, with its curvature and
/// accelerations: G, K and the acceleration term agree with differences, and the motions with each other.
#[test]
fn a_joint_on_a_measure_from_outside_equals_the_built_in_one() {
    let length = (0.9_f64.powi(2) + 0.3_f64.powi(2) + 0.4_f64.powi(2)).sqrt();
    let built_in = rod(Joint::distance("rod", "one.p", "two.p")).assemble().unwrap();
    let own = CustomJoint::new("rod", "one.p", "two.p").hold("changing its length", Length(length));
    let own = rod(own).assemble().unwrap();
    for formulation in [Formulation::Position, Formulation::Stabilized, Formulation::Acceleration] {
        let settings = Settings::new("esdirk436", 1e-3).constraints(formulation);
        let ends = [&built_in, &own].map(|start| {
            let mut motion = start.simulate(&settings).unwrap();
            motion.run_until(0.3).unwrap();
            let now = motion.now();
            assert_eq!(verify(&start.model, &now.into(), &now.a).unwrap(), []);
            (now.q.clone(), motion.read("rod.reaction.force").unwrap())
        });
        let apart =
            |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(apart(&ends[0].0, &ends[1].0) < 1e-9, "{formulation}");
        assert!(apart(&ends[0].1, &ends[1].1) < 1e-6, "{formulation}");
    }
}

/// Coordinates from outside are driven, sprung and reported like others.
#[test]
fn coordinates_from_outside_are_driven_and_sprung() {
    let mut all = Mechanism::new();
    all.add(Body::spatial("wheel").mass(1.0).inertia([0.2, 0.2, 0.4]));
    all.add(Joint::revolute("axle", "ground", "wheel").at([0.0; 3]).axis([0.0, 0.0, 1.0]));
    all.add(CustomJoint::new("dial", "ground", "wheel").coordinate("turn", Turn));
    all.add(Force::joint_spring("spring", "dial.turn").stiffness(3.0).rest(0.5));
    let start = all.assemble().unwrap();
    let mut motion = start.simulate(&Settings::new("lms4", 1e-3)).unwrap();
    motion.run_until(1.0).unwrap();
    let turn = motion.read("dial.turn").unwrap()[0];
    let exact = 0.5 - 0.5 * (3.0_f64 / 0.4).sqrt().cos();
    assert!((turn - exact).abs() < 1e-5, "{turn} {exact}");
    assert!((turn - motion.read("axle.angle").unwrap()[0]).abs() < 1e-12);
    assert!((motion.read("spring.angle").unwrap()[0] - turn).abs() < 1e-15);
    assert_eq!(start.model.channel("dial.turn").unwrap().unit(), "rad");

    let mut driven = Mechanism::new();
    driven.add(Body::spatial("wheel").mass(1.0).inertia([0.2, 0.2, 0.4]));
    driven.add(Joint::revolute("axle", "ground", "wheel").at([0.0; 3]).axis([0.0, 0.0, 1.0]));
    driven.add(CustomJoint::new("dial", "ground", "wheel").coordinate("turn", Turn));
    driven.add(Drive::angle("motor", "dial.turn", Function::of(|t| (t * 2.0).sin() * 0.3)));
    let mut motion = driven.assemble().unwrap().simulate(&Settings::new("lms3", 1e-3)).unwrap();
    motion.run_until(1.0).unwrap();
    let angle = motion.read("axle.angle").unwrap()[0];
    assert!((angle - 0.3 * 2.0_f64.sin()).abs() < 1e-12, "{angle}");
}

/// Functions and laws that fail say why, with the part and the time.
#[test]
fn functions_and_laws_fail_with_their_reason() {
    let table = |t: f64| match t <= 0.3 {
        true => Ok([t, 1.0, 0.0]),
        false => Err(Failure::new("the table ends at 0.3 s")),
    };
    let base = || {
        let mut all = Mechanism::new();
        all.add(Body::planar("bar").mass(1.0).inertia(0.1));
        all.add(Joint::revolute("A", "ground", "bar").at([0.0, 0.0]));
        all
    };
    let mut driven = base();
    driven.add(Drive::angle("motor", "A", Function::fallible(table)));
    let mut pushed = base();
    pushed.add(Force::motor("push", "A", Function::fallible(table)));
    let mut sprung = base();
    let law = Law::fallible(|s, _| match s.abs() <= 0.01 {
        true => Ok(LawResponse { force: -1.0, ..LawResponse::default() }),
        false => Err(Failure::new("the spring was measured up to 0.01 rad")),
    });
    sprung.add(Force::joint_spring("spring", "A").law(law));
    for (all, part, reason) in [
        (driven, "drive `motor`", "the table ends at 0.3 s"),
        (pushed, "force `push`", "the table ends at 0.3 s"),
        (sprung, "force `spring`", "the spring was measured up to 0.01 rad"),
    ] {
        let start = all.assemble().unwrap();
        for method in ["lms3", "esdirk436", "rk4"] {
            if method == "rk4" && part.starts_with("drive") {
                continue;
            }
            let mut motion = start.simulate(&Settings::new(method, 1e-2)).unwrap();
            let error = motion.run_until(1.0).unwrap_err().to_string();
            assert!(error.contains(part) && error.contains(reason), "{method}: {error}");
        }
    }
}

/// One model in ten threads: the bits of one alone.
#[test]
fn ten_threads_share_a_model_and_keep_its_bits() {
    let start = arm(false).assemble().unwrap();
    let run = |start: &AssembledMechanism| {
        let mut motion = start.simulate(&Settings::new("lms3", 1e-2)).unwrap();
        motion.run_until(1.0).unwrap();
        motion.now().clone()
    };
    let alone = run(&start);
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..10).map(|_| scope.spawn(|| run(&start))).collect();
        for thread in threads {
            assert_eq!(thread.join().unwrap(), alone);
        }
    });
}

/// Old features with a controller in the model: in equilibrium the arm is at its target, the linear analysis includes
/// the state, a run restarts with the same bits, resumed states of another target are refused.
#[test]
fn statics_restart_and_linear_analysis_with_states() {
    let start = arm(true).assemble().unwrap();
    let found = start.equilibrium(&StaticOptions::default()).unwrap();
    let rest = found.last().unwrap();
    // the integral carries the weight
    let angle = start.model.read("A.angle", rest).unwrap()[0];
    assert!((angle - 0.8).abs() < 1e-10, "{angle}");
    assert!(rest.z[0] > 0.01, "{:?}", rest.z);
    let modes = Modes::new(&start.model, rest, &ModesOptions::default()).unwrap();
    assert_eq!(
        modes.modes.iter().map(|x| if x.eigenvalue.im == 0.0 { 1 } else { 2 }).sum::<i32>(),
        3
    );

    let settings = Settings::new("lms3", 5e-3);
    let mut motion = Simulation::new(&start.model, &settings, &start.initial).unwrap();
    motion.run_until(0.5).unwrap();
    let state = motion.state().clone();
    motion.run_until(1.0).unwrap();
    let mut again = Simulation::resume(&start.model, &settings, state.clone()).unwrap();
    again.run_until(1.0).unwrap();
    assert_eq!(again.now(), motion.now());
    let mut other = arm(true);
    other.add(Force::joint_spring("more", "A").stiffness(1.0));
    let other = other.assemble().unwrap();
    assert!(Simulation::resume(&other.model, &settings, state).is_err());
}

/// The residuals of a model from outside the crate: the model's own force, and refusals.
#[test]
fn residuals_are_open_too() {
    let start = rod(Joint::distance("rod", "one.p", "two.p")).assemble().unwrap();
    let residuals = start.model.residuals::<f64>().unwrap();
    let InitialValues { t, q, v, .. } = &start.initial;
    let multipliers = vec![0.3; start.model.holonomic_count()];
    let mut point = StateView::new(*t, q, v);
    point.multipliers = &multipliers;
    let mut force = vec![0.0; v.len()];
    start.model.force(&point, &mut force).unwrap();
    assert_eq!(residuals.force(*t, q, v, &multipliers), force);
    assert!(residuals.force(*t, &q[1..], v, &multipliers).iter().all(|x| x.is_nan()));
    assert!(arm(true).assemble().unwrap().model.residuals::<f64>().is_err());
}
