"""The problems with rigid bodies, built with Exudyn's items. The data are those of the model files of Cardan.

Each model has `coordinates`, the formulations it can be built with, and `build(system, coordinates, ...)`, which adds the
items and returns a function that reads the checked quantities at the end.
"""

from math import cos, pi, sin

import exudyn as exu
import numpy as np
from exudyn.itemInterface import (
    LoadTorqueVector,
    NodeGenericODE2,
    NodePoint2D,
    ObjectConnectorCartesianSpringDamper,
    ObjectConnectorDistance,
    ObjectConnectorSpringDamper,
    ObjectGround,
    ObjectJointGeneric,
    ObjectJointSpherical,
    ObjectKinematicTree,
    ObjectMassPoint2D,
)

from exudyn_parts import (
    COORDINATES,
    POSITION,
    G,
    Model,
    axes_with_z,
    frame,
    pin,
    planar_body,
    point,
    position_of,
    revolute,
    spatial_body,
    weight,
)


def pendulum(system, coordinates):
    """IFToMM A01. With `body` a rigid body without inertia on a pin, with `point` a mass point at a distance."""
    ground = system.AddObject(ObjectGround())
    if coordinates == "body":
        node, bob = planar_body(system, 1, 0, [-1, 0], -pi / 2)
        pin(system, ground, [0, 0], bob, [0, 1])
    else:
        node = system.AddNode(NodePoint2D(referenceCoordinates=[-1, 0]))
        bob = system.AddObject(ObjectMassPoint2D(mass=1, nodeNumber=node))
        markers = [point(system, ground, [0, 0]), point(system, bob, [0, 0])]
        system.AddObject(ObjectConnectorDistance(markerNumbers=markers, distance=1))
    weight(system, bob, [0, -G, 0])
    return position_of(bob, dimension=2)


def four_bars(system, coordinates, n):
    """IFToMM A02: n four-bars of rods of 1 m and 1 kg in a row, upright, pushed with 1 m/s."""
    ground = system.AddObject(ObjectGround())
    cranks, rods = [], []
    for i in range(n + 1):
        _, crank = planar_body(system, 1, 1 / 12, [i, 0.5], pi / 2, [0.5, 0], -1)
        pin(system, ground, [i, 0], crank, [-0.5, 0])
        cranks.append(crank)
    for i in range(n):
        _, rod = planar_body(system, 1, 1 / 12, [i + 0.5, 1], 0, [1, 0], 0)
        pin(system, cranks[i], [0.5, 0], rod, [-0.5, 0])
        pin(system, cranks[i + 1], [0.5, 0], rod, [0.5, 0])
        rods.append(rod)
    for body in cranks + rods:
        weight(system, body, [0, -G, 0])
    return position_of(cranks[0], [0.5, 0, 0], 2)


def slider_crank(system, coordinates, k=100):
    """Two links; the end of the second slides on the x axis, with a spring of stiffness k and a damper along it."""
    ground = system.AddObject(ObjectGround())
    crank_node, crank = planar_body(system, 3, 3 * 0.3**2 / 12, [0.15, 0])
    _, rod = planar_body(system, 0.9, 0.9 * 0.6**2 / 12, [0.6, 0])
    pin(system, ground, [0, 0], crank, [-0.15, 0])
    pin(system, crank, [0.15, 0], rod, [-0.3, 0])
    markers = [point(system, ground, [0, 0]), point(system, rod, [0.3, 0])]
    system.AddObject(ObjectJointSpherical(markerNumbers=markers, constrainedAxes=[0, 1, 0]))
    system.AddObject(
        ObjectConnectorCartesianSpringDamper(
            markerNumbers=markers, stiffness=[k, 0, 0], damping=[5, 0, 0], offset=[0.9, 0, 0]
        )
    )
    for body in [crank, rod]:
        weight(system, body, [0, -G, 0])
    return lambda system: [system.GetNodeOutput(crank_node, COORDINATES)[2]]


def andrews(system, coordinates):
    """Andrews' squeezer, the seven-body mechanism of the IVP test set; IFToMM A03."""
    beta, gamma, delta = -0.0617138900142764496, 0.455279819163070380, 0.487364979543842550
    phi, epsilon = 0.222668390165885885, 1.230547444549821192
    ground = system.AddObject(ObjectGround())
    a, b, c = np.array([-0.06934, -0.00227]), np.array([-0.03635, 0.03273]), np.array([0.014, 0.072])

    def turned(angle, at):
        return np.array([cos(angle) * at[0] - sin(angle) * at[1], sin(angle) * at[0] + cos(angle) * at[1]])

    bodies, centres = {}, {}

    # a body by the place of its origin, its angle and its centre of mass from the origin
    def add(name, mass, inertia, origin, angle, centre):
        place = np.array(origin) + turned(angle, centre)
        node, body = planar_body(system, mass, inertia, place, angle)
        bodies[name], centres[name] = (node, body), np.array(centre)

    def join(one, at_one, two, at_two):
        first = ground if one is None else bodies[one][1]
        shift = np.zeros(2) if one is None else centres[one]
        pin(system, first, np.array(at_one) - shift, bodies[two][1], np.array(at_two) - centres[two])

    add("OF", 0.04325, 2.194e-6, [0, 0], beta, [0.00092, 0])
    add("EF", 0.00365, 4.410e-7, turned(beta, [0.007, 0]), beta, [-0.0115, 0])
    add("BDE", 0.02373, 5.255e-6, b, gamma, [0.01043, -0.01874])
    add("EG", 0.00706, 5.667e-7, a + turned(delta, [0.04, 0]), phi + delta, [0, 0.01421 - 0.02])
    add("AG", 0.07050, 1.169e-5, a, delta, [0.02308, 0.00916])
    add("HE", 0.00706, 5.667e-7, a + turned(epsilon, [0, -0.04]), epsilon - phi, [0.02 - 0.01421, 0])
    add("AH", 0.05498, 1.912e-5, a, epsilon, [-0.00449, -0.01228])

    join(None, [0, 0], "OF", [0, 0])
    join("OF", [0.007, 0], "EF", [0, 0])
    join("EF", [-0.028, 0], "BDE", [0, -0.035])
    join("EF", [-0.028, 0], "EG", [0, -0.02])
    join("EF", [-0.028, 0], "HE", [0.02, 0])
    join(None, b, "BDE", [0, 0])
    join("EG", [0, 0], "AG", [0.04, 0])
    join(None, a, "AG", [0, 0])
    join("HE", [0, 0], "AH", [0, -0.04])
    join(None, a, "AH", [0, 0])

    at_d = np.array([0.02, -0.018]) - centres["BDE"]
    ends = [point(system, ground, c), point(system, bodies["BDE"][1], at_d)]
    system.AddObject(ObjectConnectorSpringDamper(markerNumbers=ends, stiffness=4530, referenceLength=0.07785))
    crank_node, crank = bodies["OF"]
    marker = frame(system, crank, [0, 0, 0], np.eye(3))
    system.AddLoad(LoadTorqueVector(markerNumber=marker, loadVector=[0, 0, 0.033]))
    return lambda system: [beta + system.GetNodeOutput(crank_node, COORDINATES)[2]]


def chain(system, coordinates, n):
    """A chain of n rods of 1 m and 1 kg in space, on revolute joints whose axes alternate."""
    inertia = [0.02 / 12, 1.01 / 12, 1.01 / 12]
    axes = [axes_with_z([0, 1, 0]), axes_with_z([0, 0.6, 0.8])]
    if coordinates == "tree":
        return chain_tree(system, n, inertia, axes)
    before, at = system.AddObject(ObjectGround()), [0, 0, 0]
    bodies = []
    for i in range(n):
        body = spatial_body(system, coordinates, 1, inertia, [i + 0.5, 0, 0])
        revolute(system, before, at, body, [-0.5, 0, 0], axes[i % 2])
        weight(system, body, [0, 0, -G])
        before, at = body, [0.5, 0, 0]
        bodies.append(body)
    first, last = position_of(bodies[0]), position_of(bodies[-1])
    return lambda system: first(system) + last(system)


def chain_tree(system, n, inertia, axes):
    """The same chain with joint angles as coordinates."""
    node = NodeGenericODE2(
        referenceCoordinates=[0] * n,
        initialCoordinates=[0] * n,
        initialCoordinates_t=[0] * n,
        numberOfODE2Coordinates=n,
    )
    node = system.AddNode(node)
    transforms, inertias = exu.Matrix3DList(), exu.Matrix3DList()
    offsets, centres = exu.Vector3DList(), exu.Vector3DList()
    before = np.eye(3)
    for i in range(n):
        now = axes[i % 2]
        transforms.Append(before.T @ now)
        offsets.Append(before.T @ np.array([0.0 if i == 0 else 1.0, 0, 0]))
        inertias.Append(now.T @ np.diag(inertia) @ now)
        centres.Append(now.T @ np.array([0.5, 0, 0]))
        before = now
    system.AddObject(
        ObjectKinematicTree(
            nodeNumber=node,
            jointTypes=[exu.JointType.RevoluteZ] * n,
            linkParents=list(range(-1, n - 1)),
            jointTransformations=transforms,
            jointOffsets=offsets,
            linkInertiasCOM=inertias,
            linkCOMs=centres,
            linkMasses=[1] * n,
            gravity=[0, 0, -G],
        )
    )

    # positions of the rods from the angles of the joints
    def read(system):
        place, rotation, middles = np.zeros(3), np.eye(3), []
        for i, angle in enumerate(system.GetNodeOutput(node, COORDINATES)):
            about_z = np.array([[cos(angle), -sin(angle), 0], [sin(angle), cos(angle), 0], [0, 0, 1]])
            rotation = rotation @ axes[i % 2] @ about_z @ axes[i % 2].T
            along = rotation @ np.array([1.0, 0, 0])
            middles.append(place + 0.5 * along)
            place = place + along
        return [*middles[0], *middles[-1]]

    return read


def heavy_top(system, coordinates):
    """A fast top on a spherical joint at the origin."""
    ground = system.AddObject(ObjectGround())
    spin = [0, 150, -4.61538]
    velocity = np.cross(spin, [0, 1, 0])
    top = spatial_body(system, coordinates, 15, [0.234375, 0.46875, 0.234375], [0, 1, 0], None, velocity, spin)
    markers = [point(system, ground, [0, 0, 0]), point(system, top, [0, -1, 0])]
    system.AddObject(ObjectJointSpherical(markerNumbers=markers))
    weight(system, top, [0, 0, -G])
    return position_of(top)


def bricard(system, coordinates):
    """IFToMM A04. One of the thirty constraints is redundant: one rotation of the last joint is left out here, because Exudyn
    does not remove redundant constraints."""
    ground = system.AddObject(ObjectGround())
    axial, across = 0.02 / 12, 1.01 / 12
    # middle and half of each rod, and the direction of its own axis
    places = [[0.5, 0, 0], [1, -0.5, 0], [1, -1, 0.5], [0.5, -1, 1], [0, -0.5, 1]]
    halves = [[0.5, 0, 0], [0, -0.5, 0], [0, 0, 0.5], [-0.5, 0, 0], [0, 0.5, 0]]
    bodies = []
    for i in range(5):
        inertia = [across] * 3
        inertia[i % 3] = axial
        body = spatial_body(system, coordinates, 1, inertia, places[i])
        weight(system, body, [0, -G, 0])
        bodies.append(body)
    directions = [[0, 1, 0], [0, 0, 1], [1, 0, 0]]
    before, at = ground, [0, 0, 0]
    for i in range(5):
        revolute(system, before, at, bodies[i], [-x for x in halves[i]], axes_with_z(directions[i % 3]))
        before, at = bodies[i], halves[i]
    axes = axes_with_z(directions[2])
    markers = [frame(system, before, at, axes), frame(system, ground, [0, 0, 1], axes)]
    system.AddObject(ObjectJointGeneric(markerNumbers=markers, constrainedAxes=[1, 1, 1, 1, 0, 0]))
    return position_of(bodies[2])


def flyball(system, coordinates):
    """IFToMM A05: a shaft, two arms with balls, a slider on the shaft held by stiff springs."""
    ground = system.AddObject(ObjectGround())
    omega = 2 * pi
    thin, across, arm_mass = 0.3 * 2e-4 / 12, 0.3 * (1 + 1e-4) / 12, 5.3
    centre = (0.5 * 0.3 + 5) / arm_mass
    arm_inertia = across + 0.3 * (centre - 0.5) ** 2 + 5 * (1 - centre) ** 2
    upright = np.eye(3)
    shaft = spatial_body(system, coordinates, 0.3, [across, across, thin], [0, 0, 0.5], spin=[0, 0, omega])
    cube = 3 * 0.02 / 12
    slider = spatial_body(system, coordinates, 3, [cube] * 3, [0, 0, 0.5], spin=[0, 0, omega])
    revolute(system, ground, [0, 0, 0], shaft, [0, 0, -0.5], upright)
    markers = [frame(system, shaft, [0, 0, 0], upright), frame(system, slider, [0, 0, 0], upright)]
    system.AddObject(ObjectJointGeneric(markerNumbers=markers, constrainedAxes=[1, 1, 0, 1, 1, 1]))
    down = np.array([[cos(pi / 6), 0, sin(pi / 6)], [0, 1, 0], [-sin(pi / 6), 0, cos(pi / 6)]])
    for side in [1, -1]:
        rotation = np.diag([side, side, 1.0]) @ down
        place = np.array([0.05 * side, 0, 1]) + rotation @ np.array([centre, 0, 0])
        turning = [0, 0, omega]
        arm = spatial_body(
            system,
            coordinates,
            arm_mass,
            [thin, arm_inertia, arm_inertia],
            place,
            rotation,
            np.cross(turning, place),
            rotation.T @ np.array(turning),
        )
        axis = axes_with_z([0, 1, 0])
        revolute(system, shaft, [0.05 * side, 0, 0.5], arm, [-centre, 0, 0], axis, rotation.T @ axis)
        ends = [point(system, slider, [0.05 * side, 0, 0]), point(system, arm, [0.5 - centre, 0, 0])]
        system.AddObject(
            ObjectConnectorSpringDamper(markerNumbers=ends, stiffness=8e5, damping=4e4, referenceLength=0.5)
        )
        weight(system, arm, [0, 0, -G])
    for body in [shaft, slider]:
        weight(system, body, [0, 0, -G])
    return lambda system: [position_of(slider)(system)[2]]


SPATIAL = ["lie-group", "euler-parameters"]

MODELS = {
    "pendulum": Model(["body", "point"], pendulum),
    "four_bars": Model(["planar"], four_bars),
    "slider_crank": Model(["planar"], slider_crank),
    "andrews": Model(["planar"], andrews),
    "chain": Model([*SPATIAL, "tree"], chain),
    "heavy_top": Model(SPATIAL, heavy_top),
    "bricard": Model(SPATIAL, bricard),
    "flyball": Model(SPATIAL, flyball),
}
