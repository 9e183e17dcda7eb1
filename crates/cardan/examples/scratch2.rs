//! scratch
use cardan::gallery::{self, Dimension};
use cardan::model::*;
use cardan::{Settings, Simulation};
use std::time::Instant as Clock;
fn run(
    m: &Mechanism,
    method: &str,
    rho: f64,
    h: f64,
    end: f64,
) -> (Start, cardan::Instant, Simulation<'static>) {
    let s = m.assemble().unwrap();
    let model: &'static Model = Box::leak(Box::new(m.assemble().unwrap().model));
    let mut sim = Simulation::new(model, &Settings::new(method, h).rho(rho), &s.initial).unwrap();
    let e0 = sim.energy().unwrap();
    let mut ledger = Ledger::new(model, sim.now());
    let mut worst: f64 = 0.0;
    let clock = Clock::now();
    while sim.now().t < end - 0.5 * h {
        if let Err(e) = sim.step() {
            println!("ERR {e}");
            break;
        }
        ledger.record(model, sim.now());
        worst = worst.max(ledger.balance.abs());
    }
    println!(
        "{method} h={h:e}: t={:.3} E {:.3e} balance {:.3e} res {:.1e} it {:.2} {:.2} µs/step",
        sim.now().t,
        sim.energy().unwrap() - e0,
        worst,
        sim.residuals().position,
        sim.effort().iterations as f64 / sim.effort().steps as f64,
        clock.elapsed().as_secs_f64() * 1e6 / sim.effort().steps as f64
    );
    let now = sim.now().clone();
    (s, now, sim)
}
fn main() {
    for d in [Dimension::Plane, Dimension::Space] {
        println!("andrews {d:?}");
        for h in [1e-4 / 4.0, 1e-5, 5e-6] {
            let (s, now, _) = run(&gallery::andrews(d), "generalized-alpha", 0.8, h, 0.03);
            let b = s.model.read("O.angle", &now).unwrap()[0];
            println!(
                "   beta error {:.3e}  {:.3e}",
                b - 15.810771195153707097,
                (b - 15.810771195153707097) / h / h
            );
        }
    }
    for d in [Dimension::Plane, Dimension::Space] {
        for n in [1, 2, 5] {
            println!("four bars {n} {d:?}");
            let (s, now, _) = run(&gallery::four_bars(n, d), "generalized-alpha", 0.95, 1e-3, 10.0);
            println!("{:?}", s.model.read("crank0.head", &now).unwrap());
        }
    }
    println!("{}", gallery::four_bars(1, Dimension::Space).assemble().unwrap().report);
    println!("bricard");
    for h in [1e-2, 1e-3] {
        let (s, now, _) = run(&gallery::bricard(), "generalized-alpha", 0.9, h, 10.0);
        println!("{:?}", s.model.read("rod3.centre", &now).unwrap());
    }
    println!("flyball");
    for h in [1e-3, 5e-4] {
        let (s, now, _) = run(&gallery::flyball_governor(), "generalized-alpha", 0.8, h, 10.0);
        println!(
            "{:?} {:?}",
            s.model.read("slide.translation", &now).unwrap(),
            s.model.read("bearing.angle", &now)
        );
    }
    println!("slider");
    for h in [1e-3, 5e-4] {
        let (s, now, _) = run(&gallery::spatial_slider_crank(), "generalized-alpha", 0.8, h, 5.0);
        println!("{:?}", s.model.read("A.angle", &now).unwrap());
    }
    println!("car");
    for h in [1e-3, 5e-4] {
        let (s, now, _) = run(&gallery::car_axis(), "generalized-alpha", 0.8, h, 3.0);
        println!(
            "{:?} {:?}",
            s.model.read("left.position", &now).unwrap(),
            s.model.read("right.position", &now)
        );
    }
    println!("disc");
    for h in [1e-3, 5e-4] {
        let (s, now, _) = run(&gallery::rolling_disc(), "generalized-alpha", 0.8, h, 2.0);
        println!("{:?}", s.model.read("disc.position", &now).unwrap());
    }
    for d in [Dimension::Plane, Dimension::Space] {
        for n in [100, 1000, 10000] {
            let c = Clock::now();
            let s = gallery::chain(n, d).assemble().unwrap();
            let t1 = c.elapsed().as_secs_f64();
            let mut sim = Simulation::new(
                &s.model,
                &Settings::new("generalized-alpha", 1e-3).rho(0.8),
                &s.initial,
            )
            .unwrap();
            let t2 = c.elapsed().as_secs_f64();
            sim.step().unwrap();
            let c = Clock::now();
            let k = 20;
            let i0 = sim.effort().iterations;
            for _ in 0..k {
                sim.step().unwrap();
            }
            let dt = c.elapsed().as_secs_f64() / k as f64;
            println!(
                "chain {d:?} {n}: assemble {t1:.3} start {:.3} step {:.3} ms = {:.3} µs/body, it {:.2}",
                t2 - t1,
                dt * 1e3,
                dt * 1e6 / n as f64,
                (sim.effort().iterations - i0) as f64 / k as f64
            );
        }
    }
}
