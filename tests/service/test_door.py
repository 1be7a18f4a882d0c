import asyncio
import html
import json
import threading

import httpx
import pytest
from service.conftest import Told, client_of

from mhmgnn import DataError
from mhmgnn.service.app import Service
from mhmgnn.service.limits import BODY, Limits
from mhmgnn.service.server import read_token

SECRET = "0123456789abcdef-secret"


def opened(run, **settings) -> Service:
    service = Service(run, log=Told(), **settings)
    service.holder.reload()
    return service


def ask(service, method: str, path: str, headers=None, **sent) -> httpx.Response:
    async def once():
        async with client_of(service, **(headers or {})) as client:
            return await client.request(method, path, **sent)

    return asyncio.run(once())


def problem(answer: httpx.Response) -> dict[str, str]:
    found = answer.json()
    assert set(found) == {"error", "code"}
    assert "\n" not in found["error"]
    return found


@pytest.mark.parametrize(
    "path, sent, words",
    [
        ("/v1/energy", {"sets": [["no such thing"]]}, "'no such thing', which no node is called"),
        ("/v1/energy", {"sets": [[100_000, 1]]}, "allowed are 0..79"),
        ("/v1/energy", {"sets": [[2, 2]]}, "twice"),
        ("/v1/energy", {"sets": [[]]}, "at least 1 item"),
        ("/v1/energy", {"sets": []}, "at least 1 item"),
        ("/v1/energy", {"sets": [[1]] * 1001}, "at most 1000 items"),
        ("/v1/energy", {"sets": [[*range(101)]]}, "at most 100 items"),
        ("/v1/energy", {"sets": [[1, 2]], "match": "some"}, "'contained' or 'exact'"),
        ("/v1/energy", {"sets": [[True]]}, "valid"),
        ("/v1/energy", {"sets": [[1.5]]}, "valid"),
        ("/v1/energy", {"sets": [[1, 2]], "matches": "exact"}, "Extra inputs"),
        ("/v1/embed", {"sets": [[1, 2]]}, "it must have 3"),
        ("/v1/complete", {"nodes": []}, "at least 1 item"),
        ("/v1/complete", {"nodes": [1, 1]}, "given twice"),
        ("/v1/complete", {"nodes": [1], "top": 0}, "greater than or equal to 1"),
        ("/v1/complete", {"nodes": ["<script>alert(1)</script>"]}, "no node is called"),
        ("/v1/complete", [1, 2], "Input should be an object"),
    ],
)
def test_a_bad_request_is_told_what_is_wrong_in_one_line(service, path, sent, words):
    answer = ask(service, "POST", path, json=sent)
    assert answer.status_code == 422
    assert words in problem(answer)["error"]


@pytest.mark.parametrize(
    "body", [b"", b"{", b"\xff\xfe", b'{"sets": [["\\ud800"]]}', b"9" * 5000, b"[" * 50_000]
)
def test_a_body_that_is_no_json_is_refused(service, body):
    answer = ask(service, "POST", "/v1/energy", content=body, headers={"content-type": "application/json"})
    assert answer.status_code in (400, 422)
    problem(answer)


def test_a_large_body_is_refused_whether_it_says_its_length_or_not(service):
    async def in_parts():
        for _ in range(BODY // 1000 + 2):
            yield b"x" * 1000

    for content in (b"x" * (BODY + 1), in_parts()):
        answer = ask(service, "POST", "/v1/energy", content=content)
        assert answer.status_code == 413
        assert problem(answer)["code"] == "too_large"


def test_pages_and_health_take_no_body_for_they_are_not_counted_among_requests_at_once(service):
    for path in ("/", "/healthz", "/nothing"):
        assert problem(ask(service, "POST", path, content=b"x"))["code"] == "too_large"


def test_unknown_addresses_and_methods_are_told_so_in_json(service):
    assert problem(ask(service, "GET", "/v1/nothing"))["code"] == "http"
    answer = ask(service, "GET", "/v1/energy")
    assert answer.status_code == 405
    assert "allow" in answer.headers


def test_every_answer_has_a_strict_policy_and_none_allows_other_pages(service):
    for path in ("/", "/docs", "/v1/model", "/nothing", "/metrics"):
        headers = ask(service, "GET", path).headers
        assert headers["content-security-policy"].startswith("default-src 'none'; script-src 'self'")
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert "access-control-allow-origin" not in headers
    for origin in ("https://elsewhere.example", "http://[", "null"):
        refused = ask(service, "GET", "/v1/model", headers={"origin": origin})
        assert refused.status_code == 403


def test_an_address_with_a_slash_more_is_none(service):
    assert ask(service, "GET", "/v1/model/").status_code == 404


def test_only_names_of_this_machine_are_answered_without_a_token(service):
    for host in ("evil.example", "[", ""):
        assert ask(service, "GET", "/v1/model", headers={"host": host}).status_code == 421
    for host in ("[::1]:8000", "127.0.0.2:8000", "LOCALHOST"):
        assert ask(service, "GET", "/v1/model", headers={"host": host}).status_code == 200


def test_the_token_opens_what_holds_data_and_nothing_else_does(run):
    service = opened(run, token=SECRET)
    for path in ("/v1/model", "/v1/nodes", "/metrics"):
        assert ask(service, "GET", path).status_code == 401
        for wrong in (
            "",
            "Bearer",
            SECRET,
            f"Basic {SECRET}",
            f"Bearer {SECRET}x",
            "Bearer ü".encode("latin-1"),
        ):
            assert ask(service, "GET", path, headers={"authorization": wrong}).status_code == 401
        for scheme in ("Bearer", "bearer"):  # its letters may be large or small, as HTTP has it
            right = {"authorization": f"{scheme} {SECRET}", "host": "shop.example"}
            assert ask(service, "GET", path, headers=right).status_code == 200
    assert ask(service, "POST", "/v1/reload").status_code == 401
    assert ask(service, "GET", "/healthz").status_code == 200


def test_an_address_that_others_reach_needs_a_token_or_a_word(tmp_path):
    file = tmp_path / "token"
    file.write_text(f"{SECRET}\n")
    assert read_token("0.0.0.0", file, no_token=False) == SECRET
    assert read_token("0.0.0.0", None, no_token=True) is None
    assert read_token("127.0.0.1", None, no_token=False) is None
    for host in ("0.0.0.0", "192.168.1.2", "shop.example", "::"):
        with pytest.raises(DataError, match="others can reach"):
            read_token(host, None, no_token=False)
    file.write_text("short")
    with pytest.raises(DataError, match="at least 16 letters"):
        read_token("127.0.0.1", file, no_token=False)
    with pytest.raises(DataError, match="contradict"):
        read_token("127.0.0.1", file, no_token=True)
    with pytest.raises(DataError, match="cannot be read"):
        read_token("127.0.0.1", tmp_path / "none", no_token=False)


def held(service: Service, monkeypatch) -> threading.Event:
    """Have completions wait until the event is set."""
    free = threading.Event()
    complete = service.holder.current.model.complete
    monkeypatch.setattr(
        service.holder.current.model,
        "complete",
        lambda nodes, *, top, exclude: complete(nodes, top=top, exclude=exclude) if free.wait(20) else [],
    )
    return free


def test_too_many_at_once_are_refused_early_and_the_others_are_answered(run, monkeypatch):
    service = opened(run, limits=Limits(at_once=4, threads=1))
    free = held(service, monkeypatch)

    async def crowd():
        async with client_of(service) as client:
            asked = [asyncio.create_task(client.post("/v1/complete", json={"nodes": [1]})) for _ in range(10)]
            while service.app.at_once < 4 or sum(task.done() for task in asked) < 6:
                await asyncio.sleep(0.01)
            health = await client.get("/healthz")
            free.set()
            return (
                health,
                await asyncio.gather(*asked),
                await client.post("/v1/complete", json={"nodes": [1]}),
            )

    health, found, after = asyncio.run(crowd())
    assert health.status_code == after.status_code == 200
    assert sorted(answer.status_code for answer in found) == [200] * 4 + [429] * 6
    refused = next(answer for answer in found if answer.status_code == 429)
    assert refused.headers["retry-after"] == "1"
    assert problem(refused)["code"] == "busy"
    assert service.app.at_once == 0


def test_a_request_that_takes_too_long_is_given_up(run, monkeypatch):
    service = opened(run, limits=Limits(seconds=0.2, threads=1))
    free = held(service, monkeypatch)
    answer = ask(service, "POST", "/v1/complete", json={"nodes": [1]})
    free.set()
    assert answer.status_code == 503
    assert problem(answer)["code"] == "time"
    assert "retry-after" in answer.headers


def test_work_of_a_client_that_has_gone_is_dropped(run, monkeypatch):
    service = opened(run, limits=Limits(threads=1))
    asked = []
    free = held(service, monkeypatch)
    waiting = service.holder.current.model.complete
    monkeypatch.setattr(
        service.holder.current.model,
        "complete",
        lambda nodes, *, top, exclude: (asked.append(nodes), waiting(nodes, top=top, exclude=exclude))[1],
    )

    async def leave():
        body = [json.dumps({"nodes": [7]}).encode()]
        gone = asyncio.Event()

        async def receive():
            if body:
                return {"type": "http.request", "body": body.pop(), "more_body": False}
            await gone.wait()
            return {"type": "http.disconnect"}

        async def send(message):
            raise AssertionError("nobody is there to read this")

        scope = {
            "type": "http",
            "method": "POST",
            "path": "/v1/complete",
            "query_string": b"",
            "raw_path": b"",
        }
        scope["headers"] = [(b"host", b"localhost"), (b"content-type", b"application/json")]
        async with client_of(service) as client:
            first = asyncio.create_task(client.post("/v1/complete", json={"nodes": [1]}))
            while not asked:
                await asyncio.sleep(0.01)
            second = asyncio.create_task(service.app(scope, receive, send))
            while service.app.at_once < 2:
                await asyncio.sleep(0.01)
            gone.set()
            await second
            free.set()
            return await first

    assert asyncio.run(leave()).status_code == 200
    assert asked == [[1]]
    assert [line["status"] for line in service.log.lines if line["event"] == "request"] == [499, 200]


def test_a_line_of_the_log_holds_no_names_unless_asked(run, model):
    name = model.graph.label(3)
    for contents in (False, True):
        service = Service(run, log=Told(contents=contents))
        service.holder.reload()
        ask(service, "POST", "/v1/energy", json={"sets": [[name]]})
        ask(service, "GET", "/v1/nodes", params={"prefix": name})
        told = service.log.lines
        assert [line["path"] for line in told if line["event"] == "request"] == ["/v1/energy", "/v1/nodes"]
        assert all(
            {"time", "status", "ms", "method"} <= set(line) for line in told if line["event"] == "request"
        )
        assert (name.split()[0] in service.log.text.getvalue()) == contents


def test_health_and_readiness_differ_until_the_model_is_warm(run):
    service = Service(run, log=Told())
    assert ask(service, "GET", "/healthz").status_code == 200
    for path in ("/readyz", "/v1/model"):
        answer = ask(service, "GET", path)
        assert answer.status_code == 503
        assert "retry-after" in answer.headers
    service.holder.reload()
    assert ask(service, "GET", "/readyz").status_code == 200
    answer = ask(service, "GET", "/v1/groups")
    assert answer.status_code == 503
    assert problem(answer)["code"] == "searching"


def test_metrics_count_requests_sets_and_name_the_model(run):
    service = opened(run)
    ask(service, "POST", "/v1/energy", json={"sets": [[1, 2], [3]]})
    text = ask(service, "GET", "/metrics").text
    assert 'mhmgnn_requests_total{path="/v1/energy",status="200"} 1.0' in text
    assert "mhmgnn_sets_scored_total 2.0" in text
    assert f'mhmgnn_model_info{{version="{service.holder.current.version}"}} 1.0' in text


def test_the_manual_and_the_document_ask_for_no_other_address(service):
    page = ask(service, "GET", "/docs").text
    assert "http://" not in page
    assert "https://" not in page
    assert "/v1/complete" in page
    assert "curl localhost:8000/v1/complete --json '{" in html.unescape(page)
    assert ask(service, "GET", "/openapi.json").json()["paths"].keys() >= {
        "/v1/complete",
        "/v1/energy",
        "/v1/embed",
    }
