"""The service as its own process, on a free port."""

import json
import signal
import sys
import threading
import time

import httpx
import pytest
from service.conftest import Running

from mhmgnn import load
from mhmgnn.cli.commands import serve as command
from mhmgnn.cli.doctor import inspect
from mhmgnn.cli.main import main
from mhmgnn.models.run_folder import replace_run
from mhmgnn.subgraphs.cliques import list_cliques


def version_at(server: Running) -> str:
    return httpx.get(f"{server.address}/v1/model").json()["model"]["version"]


def test_sigterm_answers_what_runs_and_ends_in_time(started, run):
    server = started(run).wait_until_ready()
    found: list[int] = []
    stop = threading.Event()

    def go_on() -> None:
        with httpx.Client() as client:
            while not stop.is_set():
                try:
                    found.append(
                        client.post(f"{server.address}/v1/complete", json={"nodes": [1]}).status_code
                    )
                except httpx.TransportError:
                    return

    threads = [threading.Thread(target=go_on) for _ in range(3)]
    for thread in threads:
        thread.start()
    while len(found) < 20:
        time.sleep(0.01)
    code, seconds = server.end()
    stop.set()
    for thread in threads:
        thread.join()
    assert code == 0
    assert seconds < 10
    assert set(found) == {200}
    requests = [json.loads(line) for line in server.lines if '"request"' in line]
    assert sum(line["path"] == "/v1/complete" for line in requests) >= len(found)


def test_a_new_run_is_taken_up_by_a_signal_and_a_broken_one_is_not(started, own_run, other_run):
    server = started(own_run).wait_until_ready()
    first = version_at(server)
    load(other_run).save(own_run)
    server.process.send_signal(signal.SIGHUP)
    deadline = time.monotonic() + 30
    while version_at(server) == first and time.monotonic() < deadline:
        time.sleep(0.05)
    second = version_at(server)
    assert second != first
    (own_run / "model" / "weights.safetensors").write_bytes(b"broken")
    (own_run / "model" / "provenance.json").touch()
    for _ in range(2):  # whoever asks is told, also after the watch or another one has seen it
        answer = httpx.post(f"{server.address}/v1/reload")
        assert answer.status_code == 422
        assert "damaged" in answer.json()["error"]
    assert version_at(server) == second
    assert httpx.post(f"{server.address}/v1/complete", json={"nodes": [1]}).json()["version"] == second


def test_a_new_run_is_found_by_watching(started, own_run, other_run):
    server = started(own_run).wait_until_ready()
    first = version_at(server)
    load(other_run).save(own_run)
    deadline = time.monotonic() + 30
    while version_at(server) == first and time.monotonic() < deadline:
        time.sleep(0.1)
    assert version_at(server) != first


def test_reloads_under_load_lose_no_request_and_a_kill_leaves_the_run_whole(started, own_run, run, other_run):
    models = [load(run), load(other_run)]
    kset = list_cliques(models[0].graph, 3)[0].tolist()
    expected = {tuple(model.energy([kset]).tolist()) for model in models}
    server = started(own_run).wait_until_ready()
    found: list[tuple[int, tuple[float, ...]]] = []
    stop = threading.Event()

    def go_on() -> None:
        with httpx.Client() as client:
            while not stop.is_set():
                answer = client.post(f"{server.address}/v1/energy", json={"sets": [kset]})
                found.append((answer.status_code, tuple(answer.json()["energies"])))

    threads = [threading.Thread(target=go_on) for _ in range(2)]
    for thread in threads:
        thread.start()
    versions = set()
    for turn in range(6):
        replace_run(own_run, models[(turn + 1) % 2])
        answer = httpx.post(f"{server.address}/v1/reload", timeout=30)
        assert answer.status_code == 200
        versions.add(answer.json()["version"])
    stop.set()
    for thread in threads:
        thread.join()
    server.process.kill()
    assert all(part.whole for part in inspect(own_run))
    assert {path.name for path in own_run.parent.iterdir()} == {"run"}
    assert len(versions) == 2
    assert {status for status, _ in found} == {200}
    assert {energies for _, energies in found} <= expected


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_run_that_cannot_be_opened_ends_the_command_with_one_line(started, tmp_path, workers):
    server = started(tmp_path / "nothing", "--workers", workers)
    assert server.process.wait(300) == 2
    server._reader.join()
    assert [line for line in server.lines if "error: " in line] == [server.lines[-1]]


def test_without_the_extra_the_command_says_what_to_install(monkeypatch, capsys, run):
    monkeypatch.setattr(command, "find_spec", lambda name: None)
    monkeypatch.setattr(sys, "argv", ["mhmgnn", "serve", str(run)])
    with pytest.raises(SystemExit, match="2"):
        main()
    assert "pip install fastapi uvicorn httptools prometheus-client" in capsys.readouterr().err
