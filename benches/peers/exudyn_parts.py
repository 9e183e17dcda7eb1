"""Bodies, markers and joints of Exudyn, as the problems need them."""

from typing import Callable, NamedTuple

import exudyn as exu
import numpy as np
from exudyn.itemInterface import (
    LoadMassProportional,
    MarkerBodyMass,
    MarkerBodyPosition,
    MarkerBodyRigid,
    NodeRigidBody2D,
    NodeRigidBodyEP,
    NodeRigidBodyRotVecLG,
    ObjectJointRevolute2D,
    ObjectJointRevoluteZ,
    ObjectRigidBody,
    ObjectRigidBody2D,
)
from exudyn.rigidBodyUtilities import (
    AngularVelocity2EulerParameters_t,
    RotationMatrix2EulerParameters,
    RotationMatrix2RotationVector,
)

G = 9.81
POSITION = exu.OutputVariableType.Position
COORDINATES = exu.OutputVariableType.Coordinates


class Model(NamedTuple):
    """How a problem is built."""

    coordinates: list
    build: Callable
    # Newton's relative and absolute tolerances that are tried; the first are those of Exudyn
    tolerances: list = ["1e-8/1e-10", "1e-6/1e-8"]


def point(system, body, at):
    """A marker for positions on a body, or on the ground."""
    at = list(at) + [0] * (3 - len(at))
    return system.AddMarker(MarkerBodyPosition(bodyNumber=body, localPosition=at))


def frame(system, body, at, rotation):
    """A marker with a position and axes on a body, or on the ground."""
    local = exu.HT(rotation=rotation, translation=list(at))
    return system.AddMarker(MarkerBodyRigid(bodyNumber=body, localHT=local))


def axes_with_z(axis):
    """Axes whose z is a given direction."""
    z = np.array(axis) / np.linalg.norm(axis)
    x = np.cross(z, [1.0, 0, 0] if abs(z[0]) < 0.9 else [0, 1.0, 0])
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])


def weight(system, body, gravity):
    """Gravity on a body."""
    marker = system.AddMarker(MarkerBodyMass(bodyNumber=body))
    system.AddLoad(LoadMassProportional(markerNumber=marker, loadVector=gravity))


def planar_body(system, mass, inertia, position, angle=0.0, velocity=(0, 0), spin=0.0):
    """A rigid body in the plane, by its centre of mass: its node and its body."""
    node = NodeRigidBody2D(referenceCoordinates=[*position, angle], initialVelocities=[*velocity, spin])
    node = system.AddNode(node)
    return node, system.AddObject(ObjectRigidBody2D(mass=mass, inertia=inertia, nodeNumber=node))


def pin(system, one, at_one, two, at_two):
    """A revolute joint in the plane."""
    markers = [point(system, one, at_one), point(system, two, at_two)]
    system.AddObject(ObjectJointRevolute2D(markerNumbers=markers))


def spatial_body(system, coordinates, mass, inertia, position, rotation=None, velocity=(0, 0, 0), spin=(0, 0, 0)):
    """A rigid body in space, by its centre of mass; `spin` is in body axes. The inertia has three or six entries."""
    rotation = np.eye(3) if rotation is None else np.array(rotation)
    if coordinates == "lie-group":
        turned = RotationMatrix2RotationVector(rotation)
        node = NodeRigidBodyRotVecLG(
            referenceCoordinates=[*position, *turned], initialVelocities=[*velocity, *spin]
        )
    else:
        turned = RotationMatrix2EulerParameters(rotation)
        rates = AngularVelocity2EulerParameters_t(rotation @ np.array(spin), turned)
        node = NodeRigidBodyEP(
            referenceCoordinates=[*position, *turned], initialVelocities=[*velocity, *rates]
        )
    node = system.AddNode(node)
    inertia = list(inertia) + [0] * (6 - len(inertia))
    return system.AddObject(ObjectRigidBody(mass=mass, inertia=inertia, nodeNumber=node))


def revolute(system, one, at_one, two, at_two, axes_one, axes_two=None):
    """A revolute joint in space about the z axis of both frames."""
    axes_two = axes_one if axes_two is None else axes_two
    markers = [frame(system, one, at_one, axes_one), frame(system, two, at_two, axes_two)]
    system.AddObject(ObjectJointRevoluteZ(markerNumbers=markers))


def position_of(body, at=(0, 0, 0), dimension=3):
    """A function that reads the position of a point of a body."""

    def read(system):
        return list(system.GetObjectOutputBody(body, POSITION, list(at)))[:dimension]

    return read
