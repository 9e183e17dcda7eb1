//! Steps that are tried and not taken leave no trace; what is known between two instants.

use cardan::methods::{self, MethodInfo, Permission};
use cardan::model::{Body, Drive, Function, Joint, Mechanism};
use cardan::system::System;
use cardan::{Error, Formulation, Instant, Settings, Simulation, State};
use cardan_lab::exam::{self, ExamProblem, problems};

/// Numbers between 0 and 1, the same in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// Every method with every formulation that it allows.
fn combinations() -> impl Iterator<Item = (&'static MethodInfo, Formulation)> {
    let allowed = |info: &MethodInfo, f: &Formulation| info.permission(*f) == Permission::Allowed;
    methods::all().flat_map(move |info| {
        Formulation::ALL.into_iter().filter(move |f| allowed(info, f)).map(move |f| (info, f))
    })
}

/// Ten steps, each after some that are tried and not taken: of the same size, of others, and of one so large that
/// nothing can be computed.
fn restless(motion: &mut Simulation<'_>, rejections: usize, random: &mut Random) {
    let h = motion.settings().step_size;
    for _ in 0..10 {
        let before = motion.state().clone();
        for _ in 0..rejections / 10 {
            let choice = random.next();
            let other = h * (0.2 + 1.6 * random.next());
            let is_variable = motion.method().variable_step;
            let trial = match choice {
                ..0.4 => motion.attempt(),
                ..0.9 if is_variable => motion.attempt_with(other),
                _ if is_variable => motion.attempt_with(1e6),
                _ => motion.attempt(),
            };
            let looked_at = trial.map(|trial| {
                assert_eq!(trial.from(), &before.now);
                let middle = 0.5 * (trial.from().t + trial.to().t);
                assert!(trial.interpolant().at(middle).q.iter().all(|x| x.is_finite()));
            });
            assert!(looked_at.is_ok() || is_variable);
            assert_eq!(motion.state(), &before);
        }
        motion.step().unwrap();
    }
}

/// A thousand rejections at random, for every method and formulation: the same bits as if they had never been.
#[test]
fn a_rejected_trial_leaves_no_trace() {
    let problems = [problems::HeavyTop::problem(), problems::spatial_pendulum()];
    let mut random = Random(1);
    let mut count = 0;
    for (info, constraints) in combinations() {
        for ExamProblem { system, initial, name, .. } in &problems {
            let settings = Settings::new(info.name, 1e-3).constraints(constraints);
            let begin = || Simulation::new(system.as_ref(), &settings, initial).unwrap();
            let (mut calm, mut tried) = (begin(), begin());
            (0..10).for_each(|_| calm.step().unwrap());
            restless(&mut tried, 500, &mut random);
            // what is not part of the state must have been left alone as well
            for _ in 0..5 {
                calm.step().unwrap();
                tried.step().unwrap();
            }
            assert_eq!(calm.state(), tried.state(), "{} {constraints} {name}", info.name);
        }
        count += 1;
    }
    assert!(count > 60, "{count}");
}

/// The same for a mechanism whose solvers choose new pivots as it turns over, and for one with a constant matrix.
#[test]
fn nor_do_pivots_and_constant_matrices() {
    let mut random = Random(2);
    let file = |name: &str| {
        let path = format!("{}/../models/{name}.toml", env!("CARGO_MANIFEST_DIR"));
        cardan::file::ModelFile::read(std::path::Path::new(&path), &[]).unwrap()
    };
    for (name, h) in [("andrews", 2e-4), ("stiff_soft", 1e-2)] {
        let start = file(name).assemble().unwrap();
        for method in ["generalized-alpha", "lms2", "esdirk436", "trbdf2"] {
            let settings = Settings::new(method, h);
            let begin = || start.simulate(&settings).unwrap();
            let (mut calm, mut tried) = (begin(), begin());
            for _ in 0..10 {
                (0..10).for_each(|_| calm.step().unwrap());
                restless(&mut tried, 40, &mut random);
                assert_eq!(calm.state(), tried.state(), "{name} {method}");
            }
        }
    }
}

/// A trial shows both ends, an estimate if the method has one, and what lies between; taken, it is the state.
#[test]
fn a_trial_can_be_looked_at_and_taken() -> Result<(), Error> {
    let problem = problems::HeavyTop::problem();
    let settings = Settings::new("esdirk436", 1e-2).constraints(Formulation::Acceleration);
    let mut motion = Simulation::new(problem.system.as_ref(), &settings, &problem.initial)?;
    assert!(motion.interpolant().is_none() && motion.error_estimate().is_none());
    let trial = motion.attempt_with(5e-3)?;
    assert_eq!((trial.step_size(), trial.from().t), (5e-3, 0.0));
    assert!(trial.estimate().is_some_and(|e| e.iter().any(|x| *x != 0.0)));
    let (end, middle) = (trial.to().clone(), trial.interpolant().at(2e-3));
    trial.accept();
    assert_eq!(motion.now(), &end);
    assert_eq!(motion.interpolant().unwrap().at(2e-3), middle);
    // steps go on with the size that was taken
    motion.step()?;
    assert_eq!(motion.now().t, 1e-2);
    // a method of fixed steps says so
    let settings = Settings::new("lms3", 1e-2);
    let mut motion = Simulation::new(problem.system.as_ref(), &settings, &problem.initial)?;
    let refused = motion.attempt_with(5e-3).err().unwrap().to_string();
    assert!(refused.contains("lms3") && refused.contains("esdirk436"), "{refused}");
    Ok(())
}

/// At both ends everything is that of the instants, so that from step to step all is continuous.
#[test]
fn interpolants_meet_the_instants() {
    for (info, constraints) in combinations() {
        let problem = problems::spatial_pendulum();
        let settings = Settings::new(info.name, 5e-3).constraints(constraints);
        let mut motion =
            Simulation::new(problem.system.as_ref(), &settings, &problem.initial).unwrap();
        for _ in 0..8 {
            motion.step().unwrap();
            let step = motion.interpolant().unwrap();
            for end in [step.from(), step.to()] {
                let found = step.at(end.t);
                let about = format!("{} {constraints}", info.name);
                let close = |a: &[f64], b: &[f64], unit: f64| {
                    a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1e-13 * unit)
                };
                // accelerations are differences of velocities and positions, over h and h²
                assert!(close(&found.q, &end.q, 1.0), "{about} q");
                assert!(close(&found.v, &end.v, 1e3), "{about} v");
                assert!(close(&found.a, &end.a, 1e6), "{about} a");
                assert!(close(&found.multipliers, &end.multipliers, 1e3), "{about} λ");
            }
        }
    }
}

/// The interpolant of the first step against a fine run from the same instant: what it adds to the error of the step is of
/// order p + 1 in q and p in v, for methods of order p up to five.
#[test]
fn interpolants_are_an_order_better_than_the_motion() {
    for (info, constraints) in combinations() {
        let is_single_step = info.build(&[]).unwrap().storage().earlier == 0;
        // position constraints take orders from the stages, which the exam measures
        let is_whole = constraints == Formulation::Acceleration || info.order == 2;
        if !is_single_step || !is_whole || info.order == 1 {
            continue;
        }
        for problem in [problems::FreeBody::problem(), problems::HeavyTop::problem()] {
            let system: &dyn System = problem.system.as_ref();
            let step = |h: f64| -> [f64; 2] {
                let settings = Settings::new(info.name, h).constraints(constraints);
                let mut motion = Simulation::new(system, &settings, &problem.initial).unwrap();
                let trial = motion.attempt().unwrap();
                let times = [0.3 * h, 0.65 * h];
                let exact = exam::reference::solve(system, trial.from(), &times).unwrap();
                let mut errors = [0.0_f64; 2];
                for exact in &exact {
                    let found = trial.interpolant().at(exact.t);
                    let d = system.space().minus(&exact.q, &found.q).unwrap();
                    let v = found.v.iter().zip(&exact.v).map(|(a, b)| a - b);
                    let largest = |values: &mut dyn Iterator<Item = f64>| {
                        values.fold(0.0_f64, |most, x| most.max(x.abs()))
                    };
                    errors[0] = errors[0].max(largest(&mut d.into_iter()));
                    errors[1] = errors[1].max(largest(&mut v.into_iter()));
                }
                errors
            };
            let h = if info.order < 4 { 2e-3 } else { 1e-2 };
            let (coarse, fine) = (step(h), step(0.5 * h));
            let order = |k: usize| (coarse[k] / fine[k]).log2();
            let p = f64::from(info.order);
            let about = format!("{} {constraints} {}", info.name, problem.name);
            assert!(order(0) > p + 0.8, "{about}: q {}", order(0));
            assert!(order(1) > p - 0.2, "{about}: v {}", order(1));
        }
    }
}

/// A wheel that is driven through several turns: the angle that counts them is continuous between instants too.
#[test]
fn angles_that_count_turns_are_continuous_in_between() {
    let mut wheel = Mechanism::new();
    wheel.add(Body::spatial("wheel").mass(1.0).inertia([1.0, 1.0, 1.0]));
    wheel.add(Joint::revolute("axle", "ground", "wheel").at([0.0; 3]).axis([0.0, 0.0, 1.0]));
    wheel.add(Drive::angle("motor", "axle", Function::of(|t| t * 20.0)));
    let start = wheel.assemble().unwrap();
    // in a step of one radian position constraints leave esdirk436 velocities that are wrong by a fortieth
    let cases = [
        ("generalized-alpha", Formulation::Position, 1e-3),
        ("esdirk436", Formulation::Position, 1e-2),
        ("esdirk436", Formulation::Acceleration, 1e-3),
        ("g4", Formulation::Position, 1e-3),
        ("rk4", Formulation::Acceleration, 1e-3),
    ];
    for (method, constraints, most) in cases {
        let settings = Settings::new(method, 0.05).constraints(constraints);
        let mut motion = start.simulate(&settings).unwrap();
        while motion.now().t < 0.9 {
            motion.step().unwrap();
            let step = motion.interpolant().unwrap();
            for k in 0..=10 {
                let t = step.from().t + 0.005 * f64::from(k);
                let angle = start.model.read("axle.angle", &step.at(t)).unwrap()[0];
                let error = (angle - 20.0 * t).abs();
                assert!(error < most, "{method} {constraints} {t}: {angle}");
            }
        }
    }
}

/// A state goes through a file while a step is being tried: neither knows of the other.
#[test]
fn checkpoints_know_nothing_of_trials() {
    let problem = problems::HeavyTop::problem();
    let settings = Settings::new("lms2", 1e-3);
    let system: &dyn System = problem.system.as_ref();
    let mut motion = Simulation::new(system, &settings, &problem.initial).unwrap();
    (0..5).for_each(|_| motion.step().unwrap());
    let save = |motion: &Simulation<'_>| serde_json::to_string(motion.state()).unwrap();
    let saved = save(&motion);
    motion.attempt_with(7e-4).unwrap().reject();
    assert_eq!(save(&motion), saved);
    let state: State = serde_json::from_str(&saved).unwrap();
    let mut resumed = Simulation::resume(system, &settings, state).unwrap();
    let taken = |motion: &mut Simulation<'_>| -> Instant {
        motion.attempt_with(7e-4).unwrap().accept();
        motion.step().unwrap();
        motion.now().clone()
    };
    assert_eq!(taken(&mut motion), taken(&mut resumed));
}
