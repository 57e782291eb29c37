"""The full calibration of assay's default procedures: `make calibrate`."""
