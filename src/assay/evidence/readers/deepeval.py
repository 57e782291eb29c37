"""Test cases of DeepEval with the scores of their metrics."""

from collections.abc import Iterator
from typing import Any

from assay.evidence.readers.log_items import LogAnswer, digest, inside, listed


def answers(found: Any, stem: str) -> Iterator[LogAnswer]:
    """Success is that of all metrics of a test case; each metric has its score."""
    places = ("testCases", "testRunData.testCases", "test_cases")
    cases = next((one for place in places if (one := inside(found, place, list)) is not None), None)
    told = (inside(found, f"{place}hyperparameters.model", str) for place in ("", "testRunData."))
    model = next(filter(None, told), stem)
    for case in listed(cases):
        metrics = case.get("metricsData") or case.get("metrics_data") or []
        scores = {str(one.get("name")): one.get("score") for one in listed(metrics)}
        asked = digest(case.get("input"))
        scores = {"success": case.get("success"), **scores}
        yield LogAnswer(asked, scores, f"input {asked}", case, model)
