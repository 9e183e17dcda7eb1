"""The methods of models that follow from the registries; `_surface.pyi` has their types."""

from ._generate import build

Surface = build()
