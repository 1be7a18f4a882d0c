"""The OpenAPI document as a plain HTML page that loads nothing from other addresses."""

from __future__ import annotations

import json
from typing import Any

from markupsafe import Markup, escape

PAGE = Markup(
    '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n'
    '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
    "<title>mhmgnn: requests</title>\n"
    '<link rel="icon" href="data:,">\n<link rel="stylesheet" href="/static/explorer.css">\n'
    '<main class="manual">\n'
    "<h1>Requests</h1>\n<p>Requests and answers are JSON; their types are in "
    '<a href="/openapi.json">openapi.json</a>. An error is <code>{{"error": one line, "code": kind}}</code>. '
    '<a href="/">Explorer</a>.</p>\n{}\n</main>\n</html>\n'
)
SECTION = Markup("<section>\n<h2><code>{} {}</code></h2>\n<p>{}. {}</p>\n{}{}</section>")


def manual(document: dict[str, Any]) -> str:
    """A page with a section for each address: its parameters, an example and its answers."""
    sections = [
        _section(document, method.upper(), path, facts)
        for path, methods in document["paths"].items()
        for method, facts in methods.items()
    ]
    return str(PAGE.format(Markup("\n").join(sections)))


def _section(document: dict[str, Any], method: str, path: str, facts: dict[str, Any]) -> Markup:
    asked = Markup("")
    for parameter in facts.get("parameters", []):
        schema = json.dumps({k: v for k, v in parameter["schema"].items() if k != "title"})
        asked += Markup("<li><code>{}</code> {}</li>").format(parameter["name"], schema)
    if asked:
        asked = Markup("<ul>{}</ul>\n").format(asked)
    body = facts.get("requestBody", {}).get("content", {}).get("application/json")
    if body is not None:
        schema = document["components"]["schemas"][body["schema"]["$ref"].rpartition("/")[2]]
        sent = json.dumps(schema["examples"][0])
        asked += Markup("<pre>curl localhost:8000{} --json {}</pre>\n").format(path, f"'{sent}'")
    rows = [f"{status}: {answer['description']}" for status, answer in facts["responses"].items()]
    told = Markup("<p>{}</p>\n").format(Markup("<br>").join(map(escape, rows)))
    return SECTION.format(method, path, facts["summary"], facts.get("description", ""), asked, told)
