"""The problems with beams, built with Exudyn's items. The data are those of the model files of Cardan.

Exudyn's geometrically exact beam in space has two nodes (`ObjectBeamGeometricallyExact`, interpolation on SE(3)). One three-node
element of Cardan is compared with two of these elements, so that the number of nodes is equal.

Drives and loads that depend on time are Python functions. Exudyn calls them a few times per step, which takes a few
microseconds of the several hundred of a step.
"""

from math import cos, pi, sin

import exudyn as exu
import numpy as np
from exudyn.itemInterface import (
    LoadForceVector,
    MarkerNodeCoordinate,
    MarkerNodeRigid,
    Node1D,
    NodePointGround,
    NodeRigidBodyEP,
    NodeRigidBodyRotVecLG,
    ObjectBeamGeometricallyExact,
    ObjectConnectorCoordinate,
    ObjectGround,
    ObjectJointGeneric,
    ObjectJointRevoluteZ,
    ObjectJointSpherical,
    ObjectRigidBody,
    ObjectRotationalMass1D,
)
from exudyn.rigidBodyUtilities import RotationMatrix2EulerParameters, RotationMatrix2RotationVector

from exudyn_parts import POSITION, Model, axes_with_z, frame, point


def beam_axes(start, end):
    """Axis 1 along the beam, axis 3 as near to z as possible; axis 2 of a beam along z is y. The same rule as in Cardan."""
    along = np.array(end, dtype=float) - np.array(start)
    along /= np.linalg.norm(along)
    if abs(along[2]) > 0.999:
        second = np.array([0.0, 1, 0])
    else:
        second = np.cross([0.0, 0, 1], along)
        second /= np.linalg.norm(second)
    return np.column_stack([along, second, np.cross(along, second)])


def beam(system, coordinates, start, end, elements, stiffness, mass, inertia):
    """A straight beam of two-node elements: its nodes, its axes, its last element."""
    start, end = np.array(start, dtype=float), np.array(end, dtype=float)
    rotation = beam_axes(start, end)
    nodes = []
    for i in range(elements + 1):
        place = start + (end - start) * i / elements
        if coordinates == "lie-group":
            turned = RotationMatrix2RotationVector(rotation)
            node = NodeRigidBodyRotVecLG(referenceCoordinates=[*place, *turned])
        else:
            turned = RotationMatrix2EulerParameters(rotation)
            node = NodeRigidBodyEP(referenceCoordinates=[*place, *turned])
        nodes.append(system.AddNode(node))
    section = exu.BeamSection()
    section.stiffnessMatrix = np.diag(stiffness)
    section.massPerLength = mass
    section.inertia = np.diag(inertia)
    length = float(np.linalg.norm(end - start)) / elements
    for pair in zip(nodes, nodes[1:]):
        element = ObjectBeamGeometricallyExact(nodeNumbers=list(pair), length=length, sectionData=section)
        last = system.AddObject(element)
    return nodes, rotation, last


def node_frame(system, node, rotation, axes):
    """A marker on a node, with axes that are given in the world at the start."""
    local = exu.HT(rotation=rotation.T @ axes)
    return system.AddMarker(MarkerNodeRigid(nodeNumber=node, localHT=local))


def node_position(node):
    """A function that reads the position of a node."""
    return lambda system: list(system.GetNodeOutput(node, POSITION))


def driven(system, at, axes, marker, angle):
    """A joint on the ground about the z axis of `axes`, whose angle is a function of time: the marker is fixed to a rotor
    with one coordinate, which is prescribed."""
    node = system.AddNode(Node1D(referenceCoordinates=[0]))
    rotor = system.AddObject(
        ObjectRotationalMass1D(
            inertia=1, nodeNumber=node, referencePosition=list(at), referenceRotation=axes
        )
    )
    ground = system.AddNode(NodePointGround())
    coordinates = [
        system.AddMarker(MarkerNodeCoordinate(nodeNumber=number, coordinate=0)) for number in [ground, node]
    ]
    system.AddObject(
        ObjectConnectorCoordinate(
            markerNumbers=coordinates,
            offsetUserFunction=lambda system, t, item, offset: angle(t),
        )
    )
    markers = [frame(system, rotor, [0, 0, 0], np.eye(3)), marker]
    system.AddObject(ObjectJointGeneric(markerNumbers=markers, constrainedAxes=[1] * 6))


def cantilever(system, coordinates, n):
    """A strip clamped at its start, with a force at its tip that rises smoothly and then is constant."""
    ground = system.AddObject(ObjectGround())
    stiffness = [4e7, 1.3e7, 1.3e7, 200, 300, 400]
    nodes, rotation, _ = beam(system, coordinates, [0, 0, 0], [1, 0, 0], n, stiffness, 1.6, [3e-5, 1e-5, 2e-5])
    markers = [frame(system, ground, [0, 0, 0], np.eye(3)), node_frame(system, nodes[0], rotation, np.eye(3))]
    system.AddObject(ObjectJointGeneric(markerNumbers=markers, constrainedAxes=[1] * 6))
    tip = node_frame(system, nodes[-1], rotation, np.eye(3))

    def load(system, t, vector):
        force = 60 * ((1 - cos(pi * t / 0.05)) / 2 if t < 0.05 else 1)
        return [0, force, -force]

    system.AddLoad(LoadForceVector(markerNumber=tip, loadVector=[0, 0, 0], loadVectorUserFunction=load))
    return node_position(nodes[-1])


def shaft_angle(t):
    """The angle of the motor of the rotating shaft."""
    omega, first, second, times = 60, 0.8, 1.2, (0.5, 1, 1.25)
    turned_1 = first * omega * times[0] / 2
    turned_2 = turned_1 + first * omega * (times[1] - times[0])
    turned_3 = turned_2 + (first + second) / 2 * omega * (times[2] - times[1])
    if t <= 0:
        return 0.0
    if t <= times[0]:
        return first * omega / 2 * (t - times[0] / pi * sin(pi * t / times[0]))
    if t <= times[1]:
        return turned_1 + first * omega * (t - times[0])
    if t <= times[2]:
        span, since = times[2] - times[1], t - times[1]
        rise = (second - first) * omega / 2 * (since - span / pi * sin(pi * since / span))
        return turned_2 + first * omega * since + rise
    return turned_3 + second * omega * (t - times[2])


def rotating_shaft(system, coordinates, n, d=0.05):
    """A shaft with a disk of unbalance d at its middle. n is the number of three-node elements of Cardan."""
    ground = system.AddObject(ObjectGround())
    stiffness = [313.4e6, 60.5e6, 60.5e6, 272.7e3, 354.5e3, 354.5e3]
    inertia = [26.34e-3, 13.17e-3, 13.17e-3]
    nodes, rotation, _ = beam(system, coordinates, [0, 0, 0], [6, 0, 0], 2 * n, stiffness, 11.64, inertia)
    # Exudyn takes moments of inertia about the node, not about the centre of mass
    mass, offset = 70.573, d
    shifted = [2.0325 + mass * offset**2, 1.0163 + mass * offset**2, 1.0163, 0, 0, 0]
    disk = ObjectRigidBody(mass=mass, inertia=shifted, centerOfMass=[0, 0, offset], nodeNumber=nodes[n])
    system.AddObject(disk)
    axes = axes_with_z([1, 0, 0])
    driven(system, [0, 0, 0], axes, node_frame(system, nodes[0], rotation, axes), shaft_angle)
    right = [frame(system, ground, [6, 0, 0], axes), node_frame(system, nodes[-1], rotation, axes)]
    system.AddObject(ObjectJointGeneric(markerNumbers=right, constrainedAxes=[1, 1, 0, 1, 1, 0]))
    return lambda system: node_position(nodes[n])(system)[1:]


def lateral_buckling(system, coordinates, n):
    """A thin beam pushed at its tip by a crank and a link beside it. n is the number of three-node elements of Cardan."""
    ground = system.AddObject(ObjectGround())
    d = 1e-4
    thin = [73e6, 5.025e6, 23.40e6, 877.2, 60830, 608.3]
    thin_inertia = [2255.33e-6, 2233e-6, 22.33e-6]
    strip, along, tip = beam(system, coordinates, [0, 0, 0], [1, 0, 0], 2 * n, thin, 2.68, thin_inertia)
    stiff = [33.02e6, 10.81e6, 10.81e6, 914.5, 1189, 1189]
    link, up, _ = beam(
        system, coordinates, [1, d, -0.25], [1, d, 0], 2, stiff, 1.212, [87.30e-6, 43.65e-6, 43.65e-6]
    )
    stiff = [132.1e6, 43.22e6, 43.22e6, 14630, 19020, 19020]
    crank, out, _ = beam(
        system, coordinates, [0.95, d, -0.25], [1, d, -0.25], 2, stiff, 4.85, [1396.6e-6, 698.3e-6, 698.3e-6]
    )
    world = np.eye(3)
    clamp = [frame(system, ground, [0, 0, 0], world), node_frame(system, strip[0], along, world)]
    system.AddObject(ObjectJointGeneric(markerNumbers=clamp, constrainedAxes=[1] * 6))
    # the ball joint is beside the end of the strip
    ball = [point(system, tip, [0.25 / n, d, 0]), node_frame(system, link[-1], up, world)]
    system.AddObject(ObjectJointSpherical(markerNumbers=ball))
    axes = axes_with_z([0, 1, 0])
    hinge = [node_frame(system, crank[-1], out, axes), node_frame(system, link[0], up, axes)]
    system.AddObject(ObjectJointRevoluteZ(markerNumbers=hinge))
    axes = axes_with_z([0, -1, 0])
    pivot = node_frame(system, crank[0], out, axes)

    def angle(t):
        return pi / 2 * (1 - cos(pi * t / 0.4)) if t <= 0.4 else pi

    driven(system, [0.95, d, -0.25], axes, pivot, angle)
    return node_position(strip[n])


def flexible_four_bar(system, coordinates, n):
    """Three flexible bars; the axis of one joint is turned by 5 degrees. n is the number of three-node elements of a bar."""
    ground = system.AddObject(ObjectGround())
    height, width, defect = 0.12, 0.24, 5 * pi / 180
    thick = ([52.9920e6, 16.8803e6, 16.8803e6, 733.488, 1130.50, 1130.50], 1.9968)
    thick_inertia = [85.1968e-6, 42.5984e-6, 42.5984e-6]
    slim = ([13.2480e6, 4.2201e6, 4.2201e6, 45.843, 70.656, 70.656], 0.4992)
    slim_inertia = [5.3248e-6, 2.6624e-6, 2.6624e-6]
    a, b, c, d = [0, 0, 0], [0, height, 0], [width, height, 0], [width, 0, 0]
    ab, axes_ab, _ = beam(system, coordinates, a, b, 2 * n, *thick, thick_inertia)
    bc, axes_bc, _ = beam(system, coordinates, b, c, 2 * n, *thick, thick_inertia)
    cd, axes_cd, _ = beam(system, coordinates, c, d, 2 * n, *slim, slim_inertia)
    straight, tilted = np.eye(3), axes_with_z([sin(defect), 0, cos(defect)])

    def angle(t):
        return -0.3 * (t - sin(pi * t) / pi) if t < 1 else -0.6 * (t - 0.5)

    driven(system, a, straight, node_frame(system, ab[0], axes_ab, straight), angle)
    joints = [
        (node_frame(system, ab[-1], axes_ab, straight), node_frame(system, bc[0], axes_bc, straight)),
        (node_frame(system, bc[-1], axes_bc, tilted), node_frame(system, cd[0], axes_cd, tilted)),
        (frame(system, ground, d, straight), node_frame(system, cd[-1], axes_cd, straight)),
    ]
    for markers in joints:
        system.AddObject(ObjectJointRevoluteZ(markerNumbers=list(markers)))
    return node_position(bc[-1])


COORDINATES = ["euler-parameters", "lie-group"]
# Tolerances of residuals were tried too: Newton often does not converge, because the axial stiffness is above 1e7 N and
# the residuals of driven beams at rest are round-off.
TOLERANCES = ["increment/1e-6", "increment/1e-8"]

MODELS = {
    "cantilever": Model(COORDINATES, cantilever, TOLERANCES),
    "rotating_shaft": Model(COORDINATES, rotating_shaft, TOLERANCES),
    "lateral_buckling": Model(COORDINATES, lateral_buckling, TOLERANCES),
    "flexible_four_bar": Model(COORDINATES, flexible_four_bar, TOLERANCES),
}
