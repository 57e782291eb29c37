"""Jobs as pages: how far one is, and a way to stop it."""

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from assay.web.rendering import place_of, problem, show


async def status(request: Request) -> Response:
    job = place_of(request).jobs.find(request.path_params["job"].removesuffix(".json"))
    if job is None:
        return problem(request, 404, "Not found", "There is no such piece of work.")
    state = "done" if job.state == "running" and job.early is not None else job.state
    data = {"job": job.key, "state": state, "seconds": round(job.seconds, 1)}
    return show(request, "job", data)


async def stop(request: Request, _: FormData) -> Response:
    """Stop a job and go back to where it was asked for."""
    place = place_of(request)
    job = place.jobs.find(request.path_params["job"])
    if job is None:
        return problem(request, 404, "Not found", "There is no such piece of work.")
    place.jobs.stop(job)
    return RedirectResponse(f"/jobs/{job.key}", 303)
