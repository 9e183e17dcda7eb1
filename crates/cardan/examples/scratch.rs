//! scratch
use cardan::gallery::{self, Dimension};
use cardan::{Settings, Simulation};
fn main() {
    for (name, m) in [
        ("andrews plane", gallery::andrews(Dimension::Plane)),
        ("andrews space", gallery::andrews(Dimension::Space)),
        ("four bars plane", gallery::four_bars(2, Dimension::Plane)),
        ("four bars space", gallery::four_bars(2, Dimension::Space)),
        ("bricard", gallery::bricard()),
        ("flyball", gallery::flyball_governor()),
        ("slider-crank", gallery::spatial_slider_crank()),
        ("top", gallery::heavy_top()),
        ("car", gallery::car_axis()),
        ("disc", gallery::rolling_disc()),
        ("chain", gallery::chain(10, Dimension::Space)),
    ] {
        println!("=== {name}");
        match m.assemble() {
            Err(e) => println!("ERROR {e}"),
            Ok(s) => {
                print!("{}", s.report);
                match Simulation::new(&s.model, &Settings::new("generalized-alpha", 1e-4).rho(0.8), &s.initial) {
                    Err(e) => println!("ERROR {e}"),
                    Ok(mut sim) => {
                        println!("start: {:?}", sim.start_report());
                        let e0 = sim.energy().unwrap();
                        if let Err(e) = sim.run_until(0.03) { println!("ERROR {e}"); }
                        println!("energy {e0} {}", sim.energy().unwrap() - e0);
                        println!("res {:?} it {:.2}", sim.residuals(), sim.effort().iterations as f64/ sim.effort().steps as f64);
                        let mut p = cardan::Point::new(sim.now().t,&sim.now().q,&sim.now().v); p.multipliers=&sim.now().multipliers; let d = cardan::system::verify(&s.model, &p, &sim.now().a);
                        println!("verify: {:?}", d.map(|v| v.iter().map(|d| format!("{d:?}")).take(4).collect::<Vec<_>>()));
                        if let Ok(b) = s.model.read("O.angle", sim.now()) { println!("beta {b:?}"); }
                    }
                }
            }
        }
    }
}
