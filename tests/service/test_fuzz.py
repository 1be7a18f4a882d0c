"""Requests made from the OpenAPI document, right and wrong ones: none may break the service."""

import pytest
from hypothesis import HealthCheck, given, settings

schemathesis = pytest.importorskip("schemathesis")
checks = pytest.importorskip("schemathesis.specs.openapi.checks")
KINDS = (
    schemathesis.checks.not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_schema_conformance,
)
UNREAD = b"Invalid HTTP request received."  # uvicorn: a line of more than 64 KiB
CALM = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large]
MODES = [schemathesis.GenerationMode.POSITIVE, schemathesis.GenerationMode.NEGATIVE]


def try_all(address: str, mode, cases: int) -> int:
    """Send so many requests to each address; how many the service answered."""
    schema = schemathesis.openapi.from_url(f"{address}/openapi.json")
    answered = 0
    for found in schema.get_all_operations():
        operation = found.ok()
        if mode is MODES[1] and not (operation.body or operation.query):
            continue  # nothing to get wrong

        @settings(max_examples=cases, deadline=None, suppress_health_check=CALM, database=None)
        @given(case=operation.as_strategy(generation_mode=mode))
        def send(case):
            nonlocal answered
            answer = case.call()
            if answer.content != UNREAD:
                answered += 1
                case.validate_response(answer, checks=KINDS)

        send()
    return answered


@pytest.mark.parametrize("mode", MODES, ids=["right", "wrong"])
def test_a_request_of_any_kind_is_answered_as_the_document_says(address, mode):
    assert try_all(address, mode, 15) > 60


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES, ids=["right", "wrong"])
def test_thousands_of_requests_are_answered_as_the_document_says(address, mode):
    answered = try_all(address, mode, 1_100)
    print(f"{answered:,} requests")
    assert answered > 5_000  # 10,000 in both modes
