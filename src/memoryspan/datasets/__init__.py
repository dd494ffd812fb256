"""Kedro datasets of our artefacts; every write is atomic."""
