"""The modules of ``leafspace_client.contract``: models with a docstring below each field, operations as functions."""

import ast
import re
import textwrap

from scripts.contract_schemas import Contract, Json, class_name, field_name, module_name, union

_WIDTH = 120
_NOTE = "Written by scripts/generate_client.py from openapi.json."
_DRAWN = {"Dataset", "Job", "Model", "NextQuestion"}  # answers that have a picture of their own
_PROVIDERS = {
    "Annotated": "typing",
    "Any": "typing",
    "DrawnRecord": "..displays",
    "File": "..fields",
    "Literal": "typing",
    "Record": "..records",
    "Request": "..operations",
    "Tag": "..fields",
    "TypeAlias": "typing",
    "UNSET": "..fields",
    "Unset": "..fields",
    "datetime": "datetime",
    "segment": "..operations",
}


def modules_of(document: Json) -> dict[str, str]:
    """Return the modules that the contract gives, as source code by path."""
    contract = Contract(document)
    tags = {module_name(tag): tag for tag in contract.tags}
    bodies = {"literals": _literals(contract)}
    bodies |= {module: f"{_models(contract, module)}\n{_operations(contract, tag)}" for module, tag in tags.items()}
    names = {name: module for module, body in bodies.items() for name in _defined(body)}
    providers = _PROVIDERS | {name: f".{module}" for name, module in names.items()}
    titles = {module: f"Models and operations of {tag}." for module, tag in tags.items()}
    titles["literals"] = "Enumerations of the contract."
    modules = {f"contract/{module}.py": _module(titles[module], body, providers) for module, body in bodies.items()}
    public = {name: module for name, module in names.items() if name[0].isupper()}
    package = f'"""The contract by its tags: what several tags use is in the first.\n\n{_NOTE}\n"""\n'
    return modules | {"contract/__init__.py": package, "types.py": _types(public)}


def _module(title: str, body: str, providers: dict[str, str]) -> str:
    code = ast.parse(body)
    used = {node.id for node in ast.walk(code) if isinstance(node, ast.Name)} - set(_defined(body))
    imports = _imports({name: providers[name] for name in used & providers.keys()})
    return f'"""{title}\n\n{_NOTE}\n"""\n\nfrom __future__ import annotations\n\n{imports}\n\n{body}'


def _imports(providers: dict[str, str]) -> str:
    """Return the statements that import names from their modules, in ruff's order."""
    names: dict[str, list[str]] = {}
    for name in sorted(providers, key=_order):
        names.setdefault(providers[name], []).append(name)
    lines = {module: f"from {module} import {', '.join(names[module])}" for module in sorted(names, key=_distance)}
    groups = [[line for module, line in lines.items() if module.startswith(".") is ours] for ours in (False, True)]
    return "\n\n".join("\n".join(group) for group in groups if group)


def _distance(module: str) -> tuple[int, str]:
    return (0 if not module.startswith(".") else 1 if module.startswith("..") else 2), module


def _order(name: str) -> tuple[int, str]:
    return (0 if name.partition(" ")[0].isupper() else 1 if name[0].isupper() else 2), name


def _defined(body: str) -> list[str]:
    """Return the names that a module defines at its top."""
    names = []
    for node in ast.parse(body).body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            names.append(node.name)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names.append(node.target.id)
    return names


def _literals(contract: Contract) -> str:
    return "\n".join(
        f"{name}: TypeAlias = Literal[{', '.join(map(repr, values))}]"
        for values, name in sorted(contract.enumerations.items(), key=lambda item: item[1])
    )


def _models(contract: Contract, module: str) -> str:
    names = list(contract.schemas_in(module))
    classes = [_class(contract, name) for name in names if "properties" in contract.schemas[name]]
    aliases = [_alias(contract, name) for name in names if "properties" not in contract.schemas[name]]
    return "\n\n".join([*classes, *aliases])


def _class(contract: Contract, name: str) -> str:
    schema = contract.schemas[name]
    base = "DrawnRecord" if name in _DRAWN else "Record"
    usual = "One page of a list." if name.startswith("Page_") else "Form of an upload."
    parts = [f"class {class_name(name)}({base}):", _docstring(schema.get("description", usual))]
    parts += [_field(contract, name, field) for field in schema["properties"]]
    return "\n".join(part for part in parts if part) + "\n"


def _field(contract: Contract, owner: str, field: str) -> str:
    schema = contract.schemas[owner]["properties"][field]
    declared, default = contract.field_type(owner, field, schema), schema.get("default")
    if "const" in schema and default is not None:
        declared = f"{declared} = {default!r}"  # nobody has to write what it always is
    elif field not in contract.schemas[owner].get("required", ()):
        # The service fills in the fields that a request leaves out; those that an answer leaves out are the default.
        is_filled = owner not in contract.requested and isinstance(default, str | int | float)
        declared = f"{declared} = {default!r}" if is_filled else f"{union(declared, 'Unset')} = UNSET"
    return f"    {field_name(field)}: {declared}\n{_docstring(schema['description'])}"


def _alias(contract: Contract, name: str) -> str:
    schema = contract.schemas[name]
    kind = contract.type_of(schema, is_open=name in contract.answered)
    return f"{class_name(name)}: TypeAlias = {kind}\n{_docstring(schema.get('description', ''), indent='')}"


def _operations(contract: Contract, tag: str) -> str:
    return "\n\n".join(
        _function(contract, operation) for operation in contract.operations if operation["tags"] == [tag]
    )


def _function(contract: Contract, operation: Json) -> str:
    parameters: list[Json] = operation.get("parameters", [])
    body, answers = _body_type(operation), _answers(operation)
    path = [f"{field_name(each['name'])}: {_type(contract, each)}" for each in parameters if each["in"] == "path"]
    named = [f"body: {body}"] * bool(body) + [_argument(contract, each) for each in parameters if each["in"] != "path"]
    signature = ", ".join([*path, *(["*", *named] if named else [])])
    kinds = list(dict.fromkeys(answers.values())) or ["None"]
    head = f"def {operation['operationId']}({signature}) -> Request[{' | '.join(kinds)}]:"
    description = operation.get("description") or f"{operation['summary']}."
    request = ", ".join(_request(operation, parameters, body, answers))
    return f"{head}\n{_docstring(description)}\n    return Request({request})\n"


def _request(operation: Json, parameters: list[Json], body: str, answers: dict[str, str]) -> list[str]:
    """Return the arguments of the request that a function returns."""
    url = re.sub(r"\{(\w+)\}", lambda match: f"{{segment({field_name(match[1])})}}", operation["path"])
    arguments = [repr(operation["method"]), f'{"f" if "{" in url else ""}"{url}"']
    for key, keyword in (("query", "query"), ("headers", "header")):
        if pairs := [f'"{each["name"]}": {field_name(each["name"])}' for each in parameters if each["in"] == keyword]:
            arguments.append(f"{key}={{{', '.join(pairs)}}}")
    if body:
        arguments.append("body=body")
    if len(set(answers.values())) > 1:
        arguments.append(f"answer={{{', '.join(f'{status}: {kind}' for status, kind in answers.items())}}}")
    elif answers:
        arguments.append(f"answer={next(iter(answers.values()))}")
    return arguments


def _argument(contract: Contract, parameter: Json) -> str:
    kind = _type(contract, parameter)
    return (
        f"{field_name(parameter['name'])}: {kind if parameter.get('required') else union(kind, 'Unset') + ' = UNSET'}"
    )


def _type(contract: Contract, parameter: Json) -> str:
    return contract.type_of(parameter["schema"], is_open=False)


def _body_type(operation: Json) -> str:
    contents = operation.get("requestBody", {}).get("content", {}).values()
    return " | ".join(class_name(content["schema"]["$ref"].rpartition("/")[2]) for content in contents)


def _answers(operation: Json) -> dict[str, str]:
    """Return the classes of successful answers in JSON, by status."""
    answers = {}
    for status, response in operation["responses"].items():
        schema = response.get("content", {}).get("application/json", {}).get("schema", {})
        if status.startswith("2") and "$ref" in schema:
            answers[status] = class_name(schema["$ref"].rpartition("/")[2])
    return answers


def _types(public: dict[str, str]) -> str:
    """Return the module that names all models, wherever they are."""
    providers = {name: f".contract.{module}" for name, module in public.items()}
    providers |= {"File": ".fields", "Record": ".records", "UNSET": ".fields", "Unset": ".fields"}
    imports = _imports({f"{name} as {name}": module for name, module in providers.items()})
    title = "Types of what is sent to the service and of what it answers, to annotate with and to build requests of."
    return f'"""{title}\n\n{_NOTE}\n"""\n\n{imports}\n'


def _docstring(text: str, indent: str = "    ") -> str:
    """Return a docstring that a description fills, broken into lines; nothing for none."""
    text = " ".join(text.split()).replace('"""', "'''")
    if not text:
        return ""
    text = f"{text} " if text.endswith('"') else text
    mark = 'r"""' if "\\" in text else '"""'
    if len(indent) + len(mark) + len(text) + 3 <= _WIDTH:
        return f'{indent}{mark}{text}"""'
    lines = textwrap.wrap(mark + text, _WIDTH - len(indent), break_long_words=False, break_on_hyphens=False)
    return "\n".join(indent + line for line in [*lines, '"""'])
