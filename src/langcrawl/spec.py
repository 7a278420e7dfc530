"""What a user writes to name a part: ``name:parameter=value,parameter=value``.

Strategies and judges are named alike; the parameters are those of the function that makes
the part, with the types of its annotations.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, TypeVar, get_type_hints

from langcrawl.errors import BadValue, UnknownName, UsageError

T = TypeVar("T")
_TRUTH = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def make(kind: str, spec: str, makers: Mapping[str, Callable[..., T]], **given: Any) -> T:
    """Make the part that `spec` names; `given` goes to the makers that ask for it."""
    name, _, rest = spec.partition(":")
    if name not in makers:
        raise UnknownName(kind, name, makers, see=f"langcrawl {kind}s".replace("gys", "gies"))
    return call(kind, name, makers[name], rest, **given)


def call(kind: str, name: str, maker: Callable[..., T], rest: str, **given: Any) -> T:
    """Call a maker with parameters written as ``a=1,b=true``."""
    accepted = inspect.signature(maker).parameters
    fixed = {key: value for key, value in given.items() if key in accepted}
    hints = get_type_hints(maker)
    chosen: dict[str, Any] = {}
    for item in filter(None, rest.split(",")):
        key, equals, value = item.partition("=")
        key = key.strip().replace("-", "_")
        key = f"{key}_" if f"{key}_" in accepted else key  # from is a word of Python's own
        if not equals:
            raise UsageError(f"'{item}' in the {kind} '{name}:{rest}' should read parameter=value.")
        if key not in accepted or key in fixed:
            raise UnknownName(f"parameter of {name}", key, set(accepted) - set(fixed))
        chosen[key] = _value(f"{name}'s {key}", value.strip(), hints.get(key, str))
    return maker(**fixed, **chosen)


def _value(what: str, text: str, wanted: type) -> Any:
    if wanted is bool:
        if text.lower() not in _TRUTH:
            raise BadValue(f"{what} is true or false, not '{text}'.")
        return _TRUTH[text.lower()]
    try:
        return wanted(text)
    except ValueError:
        kinds = {int: "a whole number", float: "a number"}
        raise BadValue(f"{what} is {kinds.get(wanted, 'text')}, not '{text}'.") from None
