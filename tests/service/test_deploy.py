from pathlib import Path

import yaml

DEPLOY = Path(__file__).parents[2] / "deploy"


def test_prometheus_scrapes_the_service_with_its_token():
    compose, scrape = (
        yaml.safe_load((DEPLOY / name).read_text()) for name in ("compose.yml", "prometheus.yml")
    )
    target = scrape["scrape_configs"][0]
    service, port = target["static_configs"][0]["targets"][0].split(":")
    assert service in compose["services"]
    assert f"EXPOSE {port}" in (DEPLOY / "Dockerfile").read_text()
    assert target["authorization"]["credentials_file"] == "/run/secrets/token"
    assert all("token" in compose["services"][name]["secrets"] for name in (service, "prometheus"))


def test_the_image_copies_what_is_there_and_asks_for_a_token():
    lines = (DEPLOY / "Dockerfile").read_text().splitlines()
    copied = [word for line in lines if line.startswith("COPY") for word in line.split()[1:-1]]
    assert all((DEPLOY.parent / word).exists() for word in copied)
    assert "--token-file" in lines[-1]
    assert any(line.startswith("USER ") for line in lines)


def test_the_folder_around_the_run_is_mounted_for_an_update_replaces_the_run():
    compose = yaml.safe_load((DEPLOY / "compose.yml").read_text())
    (mounted,) = compose["services"]["mhmgnn"]["volumes"]
    inside = mounted.split("}:")[1].removesuffix(":ro")
    words = (DEPLOY / "Dockerfile").read_text().splitlines()[-1]
    assert f'"serve", "{inside}/run"' in words
