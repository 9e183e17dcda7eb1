//! A step allocates nothing once the pivots are chosen: counted by the allocator itself.

use std::alloc::{GlobalAlloc, Layout, System as Default};
use std::cell::Cell;

use cardan::math::Scalar;
use cardan::methods::{self, Permission};
use cardan::model::{
    Beam, BeamForm, BeamModes, Body, CustomJoint, Drive, Element, ElementLoads, ElementState,
    ElementView, FlexibleBody, Force, Frame, Function, Gear, Joint, MeasureFormula, Mechanism,
    Rolling, Section, Structure, Support, Truss,
};
use cardan::system::System;
use cardan::{ErrorControl, Failure, Formulation, Settings, Simulation};
use cardan_lab::exam::problems::{self, ExamProblem};
use cardan_lab::gallery::{self, Dimension};

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

struct Counting;

fn count() {
    ALLOCATIONS.with(|n| n.set(n.get() + 1));
}

// SAFETY: every call is passed on unchanged to the system allocator.
#[expect(unsafe_code, reason = "an allocator can only be counted by being one")]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        unsafe { Default.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { Default.dealloc(pointer, layout) }
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        unsafe { Default.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// A mechanism with every kind of element.
fn one_of_everything() -> ExamProblem {
    let mut all = Mechanism::new();
    all.gravity([0.0, 0.0, -9.81]);
    let body = |name: &str, x: f64| {
        Body::spatial(name).mass(1.0).inertia([0.1, 0.1, 0.1]).position([x, 0.0, 0.5])
    };
    for (i, name) in ["a", "b", "c", "d"].into_iter().enumerate() {
        all.add(body(name, i as f64));
    }
    let axis = [0.0, 1.0, 0.0];
    all.add(Joint::revolute("A", "ground", "a").at([0.0, 0.0, 0.0]).axis(axis));
    all.add(Joint::cylindrical("B", "ground", "b").at([1.0, 0.0, 0.0]).axis(axis));
    all.add(Joint::prismatic("C", "ground", "c").at([2.0, 0.0, 0.0]).axis([1.0, 0.0, 0.5]));
    all.add(Joint::distance("D", "b", "c"));
    all.add(Gear::new("gear", "A", "C", 0.3));
    all.add(Rolling::new("road", "d", 0.5).axis(axis));
    all.add(Drive::angular_velocity("drive", "A", Function::linear(1.0, 0.1)));
    all.add(Force::bushing("mount", "ground", "b").at([1.0, 0.0, 0.0]).stiffnesses([9.0; 6]));
    all.add(Force::joint_spring("spring", "C").stiffness(3.0).damping(0.1));
    all.add(Force::friction("rub", "C", 0.1).transition_speed(0.5));
    // stiff enough to be a beam, soft enough for explicit methods at these steps
    let section = Section::new([40.0, 20.0, 20.0, 1.0, 1.0, 1.0]).mass(1.0).inertia([0.2; 3]);
    let form = BeamForm::FiniteVolume;
    all.add(
        Beam::new("strip", section.clone().damping(0.01)).through("d").through([4.0, 0.0, 0.5]),
    );
    let two = Beam::new("wire", section).nodes(2).form(form);
    all.add(two.through("b").through([1.0, 1.0, 0.5]));
    all.add(Body::point_mass("bead", 1.0).position([2.0, 2.0, 0.5]));
    all.add(Truss::new("bar", "bead", "wire.end").stiffness(5.0).mass(0.1));
    all.add(Force::load("push", "d", [0.1, 0.0, 0.0].map(Function::from)).following());
    let blade = BeamModes {
        bending_stiffness: [1.0; 2],
        bending: [1, 1],
        inertia: [0.05; 3],
        support: Support::Clamped,
        ..BeamModes::default()
    };
    all.add(FlexibleBody::spatial("blade", blade.body()).position([0.0, 5.0, 0.0]));
    all.add(Joint::spherical("E", "ground", "blade.start").at([0.0, 5.0, 0.0]));
    all.add(Force::spring("cord", "bead", "blade.end").stiffness(2.0).damping(0.1));
    all.add(Structure::new("chain", 1).mass(0, 1.0).spring(None, Some(0), 4.0).load(0, 1.0));
    // elements from outside, with differenced tangents
    for (name, site) in [("drag", "d"), ("wind", "blade.end")] {
        all.add(Force::closure(name, [site], |at, loads| {
            let v = at.velocity(0);
            loads.force(0, &(-0.1 * v.norm() * v));
            Ok(())
        }));
    }
    // a signal of a beam and of a flexible body, with differenced gradients
    all.signal("bend", "0.01*strip.mid.moment.y + 0.01*blade.end.deflection.y");
    all.add(Force::load("answer", "bead", [Function::formula("bend"), 0.0.into(), 0.0.into()]));
    let start = all.assemble().unwrap();
    ExamProblem {
        name: "one of everything",
        tests: "allocation",
        system: start.model,
        initial: start.initial,
        conservative: false,
        coarsest: 40.0,
    }
}

/// A pendulum with a controller that has a state, and a joint on a measure from outside.
fn controlled() -> ExamProblem {
    struct Integrator;
    impl Element for Integrator {
        fn force(&self, at: &ElementView<'_>, loads: &mut ElementLoads<'_>) -> Result<(), Failure> {
            loads.along(0, at.z[0] - 2.0 * at.coordinate(0) - at.rate(0));
            Ok(())
        }
        fn states(&self) -> Vec<ElementState> {
            vec![ElementState { name: "integral", initial: 0.1 }]
        }
        fn rates(&self, at: &ElementView<'_>, rates: &mut [f64]) -> Result<(), Failure> {
            rates[0] = 0.3 - at.coordinate(0);
            Ok(())
        }
    }
    struct Length;
    impl MeasureFormula for Length {
        fn value<T: Scalar>(&self, one: &Frame<T>, two: &Frame<T>) -> T {
            let d = two.position - one.position;
            d.dot(&d).sqrt() - T::one()
        }
    }
    let mut all = Mechanism::new();
    all.gravity([0.0, -9.81, 0.0]);
    all.add(Body::spatial("arm").mass(1.0).inertia([0.1; 3]).position([0.5, 0.0, 0.0]));
    all.add(Joint::revolute("A", "ground", "arm").at([0.0; 3]).axis([0.0, 0.0, 1.0]));
    all.add(Body::point_mass("bob", 1.0).position([1.5, 0.0, 0.0]));
    all.add(CustomJoint::new("rod", "arm", "bob").hold("changing its length", Length));
    all.add(Force::custom("controller", ["A"], Integrator));
    // signals of a joint, a reaction, a memory, another state and time, on a force and a law
    all.signal(
        "s",
        "A.angle*A.angle.rate + 0.01*A.reaction.force.x + 0.1*previous(bob.velocity.y) + sin(t)",
    );
    all.state("filter", 0.0, "s - filter + controller.integral");
    let f = Function::formula;
    all.add(Force::load("wind", "bob", [f("0.1*filter"), f("0.1*s"), f("0")]));
    all.add(Force::torque("couple", "arm", [f("0"), f("0"), f("-0.1*arm.orientation.z")]));
    let start = all.assemble().unwrap();
    ExamProblem {
        name: "controlled",
        tests: "allocation",
        system: start.model,
        initial: start.initial,
        conservative: false,
        coarsest: 40.0,
    }
}

/// Two spatial parallelograms with three inactive rows each.
fn redundant_four_bars() -> ExamProblem {
    let start = gallery::four_bars(2, Dimension::Space).assemble().unwrap();
    assert_eq!(start.initial.inactive.len(), 6);
    ExamProblem {
        name: "redundant four-bars",
        tests: "allocation",
        system: start.model,
        initial: start.initial,
        conservative: true,
        coarsest: 40.0,
    }
}

#[test]
fn steps_allocate_nothing() {
    // the allocator does count
    let before = ALLOCATIONS.get();
    drop(std::hint::black_box(vec![0_u8; 100]));
    assert_eq!(ALLOCATIONS.get(), before + 1);

    let more = [
        problems::OffsetTop::problem(),
        problems::andrews(),
        one_of_everything(),
        redundant_four_bars(),
        controlled(),
    ];
    for problem in problems::all().iter().chain(&more) {
        let system: &dyn System = problem.system.as_ref();
        // Andrews lives on milliseconds
        let h = if problem.name == "andrews" { 1e-5 } else { 1e-2 };
        for info in methods::all() {
            for constraints in Formulation::ALL {
                let refused = info.refuses.iter().any(|(feature, _)| feature.is_in(system));
                if info.permission(constraints) != Permission::Allowed || refused {
                    continue;
                }
                let settings = Settings::new(info.name, h).constraints(constraints);
                let mut run = Simulation::new(system, &settings, &problem.initial).unwrap();
                (0..5).for_each(|_| run.step().unwrap());
                let before = ALLOCATIONS.get();
                (0..50).for_each(|_| run.step().unwrap());
                let allocations = ALLOCATIONS.get() - before;
                assert_eq!(allocations, 0, "{} {} {constraints}", problem.name, info.name);
            }
        }
    }
}

/// Steps chosen by a tolerance allocate nothing either, rejected ones included.
#[test]
fn controlled_steps_allocate_nothing() {
    let all = [problems::andrews(), one_of_everything(), redundant_four_bars(), controlled()];
    let mut count = 0;
    for problem in &all {
        let system: &dyn System = problem.system.as_ref();
        for info in methods::all() {
            for has_accelerations in [false, true] {
                let mut control = ErrorControl::new(1e-4);
                control.absolute.acceleration = has_accelerations.then_some(1.0);
                let settings = Settings::with_tolerance(info.name, 1e-4).control(control);
                let Ok(mut run) = Simulation::new(system, &settings, &problem.initial) else {
                    continue;
                };
                // jumps in time are searched up to this end once
                let mut step = || _ = run.advance(100.0).unwrap();
                (0..5).for_each(|_| step());
                let before = ALLOCATIONS.get();
                (0..50).for_each(|_| step());
                let allocations = ALLOCATIONS.get() - before;
                assert_eq!(allocations, 0, "{} {}", problem.name, info.name);
                count += 1;
            }
        }
    }
    assert!(count > 80, "{count}");
}

/// Threads that share a model do not allocate either, and do not see each other.
#[test]
fn threads_that_share_a_model_allocate_nothing() {
    let ExamProblem { system, initial, .. } = one_of_everything();
    let run = || {
        let settings = Settings::new("lms3", 1e-2);
        let mut run = Simulation::new(system.clone(), &settings, &initial).unwrap();
        (0..5).for_each(|_| run.step().unwrap());
        let before = ALLOCATIONS.get();
        (0..50).for_each(|_| run.step().unwrap());
        (ALLOCATIONS.get() - before, run.now().clone())
    };
    let (_, alone) = run();
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(run)).collect();
        for thread in threads {
            assert_eq!(thread.join().unwrap(), (0, alone.clone()));
        }
    });
}
