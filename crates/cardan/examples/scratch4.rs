//! scratch
use cardan::gallery;
use cardan::model::*;
use cardan::{Settings, Simulation};
fn main() {
    let s = gallery::car_axis().assemble().unwrap();
    println!("{}", s.report);
    for h in [1e-3, 5e-4, 2.5e-4, 1.25e-4] {
        let mut sim =
            Simulation::new(&s.model, &Settings::new("generalized-alpha", h).rho(0.8), &s.initial)
                .unwrap();
        let mut l = Ledger::new(&s.model, sim.now());
        while sim.now().t < 3.0 - 0.5 * h {
            sim.step().unwrap();
            l.record(&s.model, sim.now());
        }
        let p = [
            s.model.read("left.position", sim.now()).unwrap(),
            s.model.read("right.position", sim.now()).unwrap(),
        ];
        println!(
            "{h:e} {:?} balance {:e}",
            [
                p[0][0] - 0.0493455784275240921,
                p[0][1] - 0.496989460230008107,
                p[1][0] - 1.041742524885426115,
                p[1][1] - 0.373911027265365819
            ],
            l.balance
        );
    }
    // gap of 1 m
    let mut m = Mechanism::new();
    m.gravity([0.0, -9.81, 0.0]);
    m.add(
        Body::planar("bar")
            .mass(1.0)
            .inertia(0.1)
            .position([0.5, 0.0])
            .point("a", [-0.5, 0.0])
            .point("b", [0.5, 0.0]),
    );
    m.add(
        Body::planar("bar2")
            .mass(1.0)
            .inertia(0.1)
            .position([2.5, 0.3])
            .point("a", [-0.5, 0.0])
            .point("b", [0.5, 0.0]),
    );
    m.add(Joint::revolute("A", "ground", "bar.a").at([0.0, 0.0]));
    m.add(Joint::revolute("B", "bar.b", "bar2.a"));
    println!("{}", m.assemble().unwrap().report);
    m.point("far", [5.0, 0.0]);
    m.add(Joint::revolute("C", "ground.far", "bar2.b"));
    match m.assemble() {
        Ok(s) => println!("{}", s.report),
        Err(e) => println!("{e}"),
    }
    // spatial, gap 1 m and tilted
    let mut m = Mechanism::new();
    m.gravity([0.0, -9.81, 0.0]);
    m.add(
        Body::spatial("bar")
            .mass(1.0)
            .inertia([0.1; 3])
            .position([0.5, 0.0, 0.2])
            .rotated([0.3, 0.2, 0.1])
            .point("a", [-0.5, 0.0, 0.0])
            .point("b", [0.5, 0.0, 0.0]),
    );
    m.add(
        Joint::revolute("A", "ground", "bar.a")
            .at([0.0, 0.0, 1.0])
            .axes_on_bodies([0.0, 0.0, 1.0], [0.0, 0.0, 1.0]),
    );
    println!("{}", m.assemble().unwrap().report);
    let mut m2 = Mechanism::new();
    m2.add(
        Body::spatial("bar")
            .mass(1.0)
            .inertia([0.1; 3])
            .rotated([2.0, 0.0, 0.0])
            .point("a", [-0.5, 0.0, 0.0]),
    );
    m2.add(
        Joint::revolute("A", "ground", "bar.a")
            .at([0.0, 0.0, 1.0])
            .axes_on_bodies([0.0, 0.0, 1.0], [0.0, 0.0, 1.0]),
    );
    println!("{}", m2.assemble().map(|s| s.report.to_string()).unwrap_or_else(|e| e.to_string()));
    // locked triangle & drive on it
    let mut m = Mechanism::new();
    m.add(Body::planar("x").mass(1.0).inertia(0.1).position([0.5, 0.0]));
    m.add(Body::planar("y").mass(1.0).inertia(0.1).position([0.5, 0.5]));
    m.add(Joint::revolute("A", "ground", "x").at([0.0, 0.0]));
    m.add(Joint::revolute("B", "x", "y").at([1.0, 0.0]));
    m.add(Joint::revolute("C", "y", "ground").at([0.0, 1.0]));
    println!("{}", m.assemble().map(|s| s.report.to_string()).unwrap_or_else(|e| e.to_string()));
    m.add(Drive::angle("motor", "A", Function::linear(0.0, 1.0)));
    println!("{}", m.assemble().map(|s| s.report.to_string()).unwrap_or_else(|e| e.to_string()));
    // flat parallelogram
    let mut m = Mechanism::new();
    m.gravity([0.0, -9.81, 0.0]);
    m.add(Body::planar("l").mass(1.0).inertia(0.1).position([0.5, 0.0]).spin(1.0));
    m.add(Body::planar("c").mass(1.0).inertia(0.1).position([2.0, 0.0]));
    m.add(Body::planar("r").mass(1.0).inertia(0.1).position([2.5, 0.0]));
    m.add(Joint::revolute("A", "ground", "l").at([0.0, 0.0]));
    m.add(Joint::revolute("B", "l", "c").at([1.0, 0.0]));
    m.add(Joint::revolute("C", "c", "r").at([3.0, 0.0]));
    m.add(Joint::revolute("D", "r", "ground").at([2.0, 0.0]));
    match m.assemble() {
        Ok(s) => {
            println!("{}", s.report);
            let mut sim = Simulation::new(
                &s.model,
                &Settings::new("generalized-alpha", 1e-3).rho(0.8),
                &s.initial,
            )
            .unwrap();
            println!("{:?}", sim.now().v);
            println!("{:?}", sim.run_until(0.5));
            println!(
                "{:?} {:?}",
                s.model.read("A.angle", sim.now()),
                s.model.read("D.angle", sim.now())
            );
        }
        Err(e) => println!("{e}"),
    }
    // thin rod between two balls: spin without inertia
    let mut m = Mechanism::new();
    m.add(Body::spatial("rod").shape(Shape::Rod { length: 1.0 }, 1.0).position([0.5, 0.0, 0.0]));
    m.add(Joint::spherical("A", "ground", "rod").at([0.0; 3]));
    println!("{}", m.assemble().map(|s| s.report.to_string()).unwrap_or_else(|e| e.to_string()));
    // pendulum of point mass on massless bar: IFToMM A01
    let mut m = Mechanism::new();
    m.gravity([0.0, -9.81, 0.0]);
    m.add(Body::planar("bob").mass(1.0).position([0.0, 0.0]).centre([1.0, 0.0]));
    m.add(Joint::revolute("A", "ground", "bob").at([0.0, 0.0]));
    let s = m.assemble().unwrap();
    let mut sim =
        Simulation::new(&s.model, &Settings::new("generalized-alpha", 1e-3).rho(0.9), &s.initial)
            .unwrap();
    sim.run_until(10.0).unwrap();
    println!(
        "{:?} {}",
        s.model.read("A.angle", sim.now()).unwrap()[0] + std::f64::consts::FRAC_PI_2
            - 2.0 * std::f64::consts::PI * 0.0,
        -0.2786806735699829484
    );
}
