"""The page docs/calibration-judges.md, written from what was counted."""


def page(kept, cells):
    return ""
