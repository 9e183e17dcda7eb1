//! Models with shapes.

use std::path::PathBuf;

use super::{box_triangles, stl_binary};
use cardan::file::ModelFile;
use cardan::model::{SceneBody, SceneSolid};
use cardan::run::{RunRequest, SavedMotion, run, run_in_memory};

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path =
            std::env::temp_dir().join(format!("cardan-solids-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn file(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn body(folder: &str, keys: &str) -> Result<SceneBody, String> {
    let text = format!(
        "format = 2\n[body.b]\n{keys}\n[joint.O]\ntype = \"spherical\"\nbetween = [\"ground\", \"b\"]\nat = [0, 0, 0]\n"
    );
    let file =
        ModelFile::parse(&format!("{folder}/model.toml"), &text, &[]).map_err(|x| x.to_string())?;
    let start = file.assemble().map_err(|x| x.to_string())?;
    let (scene, _) = start.model.scene(&start.model.instant_of(&start.initial));
    Ok(scene.bodies[0].clone())
}

/// The motion of a pendulum whose mass properties come from shapes is that of one whose mass, centre and inertia are given.
#[test]
fn shapes_give_mass_centre_and_inertia() {
    let folder = Folder::new("inertia");
    std::fs::write(
        folder.file("bar.stl"),
        stl_binary(&box_triangles([1.0, 0.25, 0.5], [0.5, 0.0, 0.0])),
    )
    .unwrap();
    // a bar from the pivot with a ball at its end; ball: 4/3 π r³ ρ = 4, so 2/5 m r² = 0.1
    let ball = "{ sphere = 0.25, density = \"4/(4/3*pi*0.25^3)\", position = [1, 0, 0], colour = \"#ff0000\" }";
    let given = "mass = 6\ncentre = [\"5/6\", 0, 0]\n\
        inertia = [\"2*(0.25^2+0.5^2)/12 + 0.1\", \"2*(1+0.5^2)/12 + 0.1 + 8/6*0.25\", \"2*(1+0.25^2)/12 + 0.1 + 8/6*0.25\"]";
    let cases = [
        format!(
            "shapes = [{{ box = [1, 0.25, 0.5], density = 16, position = [0.5, 0, 0] }}, {ball}]"
        ),
        format!(
            "shapes = [{{ mesh = \"bar.stl\", density = 16 }}, {ball}, {{ cone = [1, 0, 2] }}]"
        ),
    ];
    let end = |keys: &str| {
        let text = format!(
            "format = 2\ngravity = [0, 0, -9.81]\n[body.b]\n{keys}\nangular_velocity = [3, 1, 0.5]\n[joint.O]\ntype = \"spherical\"\n\
             between = [\"ground\", \"b\"]\nat = [0, 0, 0]\n[simulation]\nstep = 1e-3\nend = 0.5\n"
        );
        let file = ModelFile::parse(&folder.file("model.toml"), &text, &[])
            .unwrap_or_else(|x| panic!("{x}"));
        let (schedule, start) = (file.schedule().unwrap(), file.assemble().unwrap());
        let request = RunRequest::new(std::path::Path::new("unused"));
        let done = run_in_memory(&file, &schedule, &start, &request, &mut |_| true).unwrap();
        done.columns.iter().map(|column| column[column.len() - 1]).collect::<Vec<f64>>()
    };
    let expected = end(given);
    for case in &cases {
        let found = end(case);
        // round-off of the inertia, and Newton's tolerance of 1e-10 along 500 steps
        let far = expected
            .iter()
            .zip(&found)
            .map(|(a, b)| (a - b).abs() / (1.0 + a.abs()))
            .fold(0.0, f64::max);
        assert!(far < 1e-8, "{case}: {far:e}");
    }
}

#[test]
fn shapes_are_drawn_where_they_are() {
    let folder = Folder::new("drawn");
    std::fs::write(
        folder.file("part.stl"),
        stl_binary(&box_triangles([1.0; 3], [3.0, 0.0, 0.0])[1..]),
    )
    .unwrap();
    let at = folder.0.display().to_string();
    // an open mesh is only drawn
    let drawn = body(&at, "mass = 1\ninertia = [1, 1, 1]\nshapes = [{ mesh = \"part.stl\", scale = 2, colour = \"brass\" }]").unwrap();
    assert!(!drawn.derived && drawn.shapes[0].position == [0.0; 3]);
    let SceneSolid::Mesh { surface } = &drawn.shapes[0].solid else { panic!("{drawn:?}") };
    assert!(surface.vertices().iter().all(|x| x.x >= 5.0 && x.x <= 7.0));
    // a single shape gives the centre of mass; with a centre it is moved there
    let cone = "{ cone = [1, 0, 4], density = 1 }";
    let own = body(&at, &format!("shape = {cone}")).unwrap();
    assert_eq!((own.centre, own.shapes[0].position), ([0.0, 0.0, -1.0], [0.0; 3]));
    let moved = body(&at, &format!("shape = {cone}\ncentre = [0, 0, 2]")).unwrap();
    assert_eq!((moved.centre, moved.shapes[0].position), ([0.0, 0.0, 2.0], [0.0, 0.0, 3.0]));
    // the mass of a body is divided by volume
    let both = body(
        &at,
        "mass = 9\nshapes = [{ box = [1, 1, 1] }, { box = [2, 1, 1], position = [3, 0, 0] }]",
    )
    .unwrap();
    assert_eq!((both.mass, both.centre), (9.0, [2.0, 0.0, 0.0]));
    let text = "format = 2\nplanar = true\nground = { shapes = [{ box = [1, 1, 1], position = [0, 0, -2] }] }\n\
        [body.b]\nshapes = [{ cylinder = [1, 0.1], density = 1, position = [0, 1, 5] }]\n";
    let file = ModelFile::parse("flat.toml", text, &[]).unwrap_or_else(|x| panic!("{x}"));
    let start = file.assemble().unwrap();
    let (scene, _) = start.model.scene(&start.model.instant_of(&start.initial));
    assert_eq!(scene.bodies[0].centre, [0.0, 1.0, 0.0]);
    assert_eq!((scene.bodies[1].name.as_str(), scene.bodies[1].node), ("ground", -1));
}

#[test]
fn mistakes_in_shapes_are_located() {
    let folder = Folder::new("mistakes");
    std::fs::write(folder.file("open.stl"), stl_binary(&box_triangles([1.0; 3], [0.0; 3])[1..]))
        .unwrap();
    std::fs::write(folder.file("text.obj"), "no mesh").unwrap();
    let at = folder.0.display().to_string();
    let cases = [
        ("shape = { mesh = \"open.stl\", density = 1 }", "is not closed"),
        ("mass = 2\nshapes = [{ mesh = \"open.stl\" }]", "is not closed"),
        ("shape = { mesh = \"missing.stl\", density = 1 }", "missing.stl: cannot open"),
        ("shape = { mesh = \".\", density = 1 }", "this is a folder"),
        ("shape = { mesh = \"text.obj\", density = 1 }", "no triangles"),
        ("shape = { mesh = 3, density = 1 }", "text in quotes"),
        ("shape = { mesh = \"open.stl\", scale = 0, density = 1 }", "`scale` is 0"),
        ("shape = { sphre = 1, density = 1 }", "did you mean `sphere`"),
        ("shape = { sphere = 1, density = 1, color = \"red\" }", "did you mean `colour`"),
        ("shape = { sphere = 1, density = 1, colour = \"gren\" }", "did you mean `green`"),
        ("shape = { extrusion = [[0, 0], [1, 0], [0, 1]], density = 1 }", "has no `length`"),
        ("shape = { extrusion = [[0, 0], [1, 0]], length = 1, density = 1 }", "2 corners"),
        ("shape = { cone = [1, 2], density = 1 }", "a list of 3 numbers: radius, top, length"),
        ("shape = { cone = [1, -2, 1], density = 1 }", "top radius is -2e0"),
        ("shape = { sphere = 1 }", "neither the solid's `density` nor"),
        ("mass = 1\nshape = { sphere = 1, density = 1 }", "not both"),
        ("mass = 1\nshapes = [{ sphere = 1, density = 1 }]", "not both"),
        ("inertia = [1, 1, 1]\nshapes = [{ sphere = 1, density = 1 }]", "has an `inertia` too"),
        ("centre = [1, 0, 0]\nshapes = [{ sphere = 1, density = 1 }]", "`centre` does not apply"),
        ("shapes = [{ sphere = 1, density = -1 }]", "its density is -1e0"),
        ("shapes = [{ sphere = 1, density = 1, position = [1, 0] }]", "a vector of three numbers"),
        (
            "shapes = [{ sphere = 1, density = 1, orientation = [0, 0, 0, 0] }]",
            "the quaternion is zero",
        ),
        ("shapes = { sphere = 1 }", "a list of shapes"),
        ("mass = 1\nshapes = [{ sphere = 1 }, { rod = 1 }]", "a rod has no volume"),
        ("type = \"point-mass\"\nmass = 1\nshapes = [{ sphere = 1, density = 1 }]", "only drawn"),
    ];
    for (keys, expected) in cases {
        let error = body(&at, keys).expect_err(keys);
        assert!(error.contains(expected), "{keys}\n{error}");
        assert!(error.contains("model.toml"), "{error}");
    }
}

/// A mesh belongs to the fingerprint of its model and to the record of a run, which does not need the file any more.
#[test]
fn meshes_belong_to_the_record_of_a_run() {
    let folder = Folder::new("record");
    let part = folder.file("part.stl");
    let text = "format = 2\n[body.b]\nshape = { mesh = \"part.stl\", density = 1 }\nvelocity = [1, 0, 0]\n[simulation]\nstep = 0.1\nend = 1\n";
    let read = || {
        ModelFile::parse(&folder.file("model.toml"), text, &[]).unwrap_or_else(|x| panic!("{x}"))
    };
    std::fs::write(&part, stl_binary(&box_triangles([1.0; 3], [0.0; 3]))).unwrap();
    let file = read();
    let results = folder.0.join("results");
    let (schedule, start) = (file.schedule().unwrap(), file.assemble().unwrap());
    run(&file, &schedule, &start, &RunRequest::new(&results), &mut |_| true).unwrap();
    std::fs::write(&part, stl_binary(&box_triangles([2.0; 3], [0.0; 3]))).unwrap();
    assert_ne!(read().sha256(), file.sha256());
    std::fs::remove_file(&part).unwrap();
    let saved = SavedMotion::open(&results).unwrap_or_else(|x| panic!("{x}"));
    let (scene, _) = saved.start.model.scene(&saved.start.model.instant_of(&saved.start.initial));
    assert_eq!(scene.bodies[0].mass, 1.0);
    assert!(saved.motion.is_some());
}
