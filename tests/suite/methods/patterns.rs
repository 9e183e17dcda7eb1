//! What the papers saw on Andrews' squeezer: which methods gain, keep or lose energy, and how many
//! iterations they take (Zhang, Zhang, Zanoni and Masarati 2022, figures 9 to 12 and 28).

use cardan::methods::MethodChoice;
use cardan::model::EnergyBalance;
use cardan::stage::{KeepJacobian, NewtonOptions};
use cardan::{Settings, Simulation};

/// What a run of 0.05 s came to.
struct Seen {
    /// The largest ΔE = E − E₀ − T(β − β₀).
    highest: f64,
    lowest: f64,
    /// Its mean over the last fifth.
    late: f64,
    iterations: f64,
}

fn seen(method: &str, substep: f64) -> Seen {
    seen_with(method, substep, NewtonOptions::default())
}

fn seen_with(method: &str, substep: f64, newton: NewtonOptions) -> Seen {
    let start = crate::files::model("andrews", &[]).assemble().unwrap();
    let choice: MethodChoice = method.parse().unwrap();
    let stages = choice.build().unwrap().1.stages();
    let settings = Settings::of(&choice, substep * stages as f64).newton(newton);
    let mut motion = Simulation::new(&start.model, &settings, &start.initial).unwrap();
    let mut ledger = EnergyBalance::new(&start.model, motion.now());
    let steps = settings.steps(0.0, 0.05) as usize;
    let mut balances = Vec::new();
    for _ in 0..steps {
        motion.step().unwrap();
        ledger.record(&start.model, &motion);
        balances.push(ledger.balance);
    }
    let last = &balances[steps - steps / 5..];
    Seen {
        highest: balances.iter().copied().fold(0.0, f64::max),
        lowest: balances.iter().copied().fold(0.0, f64::min),
        late: last.iter().sum::<f64>() / last.len() as f64,
        iterations: motion.effort().iterations as f64 / (steps * stages) as f64,
    }
}

/// The energy that moves is of the order of one joule. What is kept is kept to 3.3e-3, what drops drops
/// by 6e-3 at least, what gains gains 2e-3 at least.
#[test]
fn energies_go_the_way_of_the_papers_at_large_steps() {
    let substep = 1e-4;
    // figure 10: an increasing trend
    for method in ["msstc5:rho=0", "mssth3:rho=0", "mssth4:rho=0", "esdirk324"] {
        let Seen { highest, late, .. } = seen(method, substep);
        assert!(highest > 1e-3 && late > 1e-3, "{method}: {highest} {late}");
    }
    // mostly kept, with oscillations
    for method in [
        "lms2:rho=0.6",
        "ss2:rho=0.6",
        "lms3:rho=0",
        "ss3:rho=0",
        "lms3:rho=0.6",
        "ss3:rho=0.6",
        "lms4:rho=0",
        "ss4:rho=0",
        "lms4:rho=0.6",
        "ss4:rho=0.6",
        "msstc3:rho=0",
        "msstc3:rho=0.6",
        "msstc5:rho=0.6",
    ] {
        let Seen { highest, late, .. } = seen(method, substep);
        assert!(highest < 1e-3 && late.abs() < 4e-3, "{method}: {highest} {late}");
    }
    // an obvious drop
    for method in [
        "lms2:rho=0",
        "ss2:rho=0",
        "bathe:rho=0",
        "bathe:rho=0.6",
        "msstc4:rho=0",
        "msstc4:rho=0.6",
        "mssth5:rho=0",
        "esdirk325",
        "esdirk436",
    ] {
        let Seen { highest, late, .. } = seen(method, substep);
        assert!(highest < 1e-3 && late < -5e-3, "{method}: {highest} {late}");
    }
    // figure 9: this one leaves the solution altogether
    assert!(seen("mssth5:rho=0", substep).lowest < -0.3);
}

#[test]
fn energies_go_the_way_of_the_papers_at_small_steps() {
    let substep = 1e-5;
    // figure 12: some of high order still gain
    for method in ["mssth3:rho=0", "mssth4:rho=0", "esdirk324", "esdirk436"] {
        let Seen { highest, .. } = seen(method, substep);
        assert!(highest > 3e-5, "{method}: {highest}");
    }
    // and one drops
    assert!(seen("mssth5:rho=0", substep).late < -5e-4);
    // those of second order do well
    for method in ["lms2:rho=0.6", "lms3:rho=0", "ss4:rho=0.6", "bathe:rho=0", "msstc5:rho=0"] {
        let Seen { highest, late, .. } = seen(method, substep);
        assert!(highest < 1e-6 && late.abs() < 1e-4, "{method}: {highest} {late}");
    }
}

/// Figure 28: with their own predictors single-step methods take more iterations than the multistep
/// methods they equal, those of high order more than Bathe's and MSSTC, and all fewer at small steps.
#[test]
fn iterations_follow_the_pattern_of_the_papers() {
    // with matrices of their own, as in the papers: kept ones take other numbers of corrections
    let keep_jacobian = KeepJacobian::WithinStage;
    let newton = NewtonOptions { keep_jacobian, ..NewtonOptions::default() };
    let seen = |method: &str, substep| seen_with(method, substep, newton);
    for rho in [0.0, 0.6] {
        for r in [2, 3, 4] {
            let count =
                |family: &str, substep| seen(&format!("{family}{r}:rho={rho}"), substep).iterations;
            for substep in [1e-4, 1e-5] {
                let (multistep, single) = (count("lms", substep), count("ss", substep));
                assert!(multistep < single, "{r} {rho} {substep}: {multistep} {single}");
            }
            assert!(count("lms", 1e-5) < count("lms", 1e-4));
        }
    }
    let second = ["bathe:rho=0", "msstc3:rho=0", "msstc5:rho=0"].map(|m| seen(m, 1e-4).iterations);
    let high = ["mssth3", "mssth4", "mssth5", "esdirk436"].map(|m| seen(m, 1e-4).iterations);
    assert!(second.iter().all(|x| high.iter().all(|y| x < y)), "{second:?} {high:?}");
}
