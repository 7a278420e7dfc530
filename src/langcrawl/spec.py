"""What a user writes to name a part: ``name:parameter=value,parameter=value``.

Strategies and judges are named alike; the parameters are those of the function or class that
makes the part, with the types of its annotations. A part of the user's own is named by its
place: ``package.module:Name`` or ``file.py:name``, and parameters after another colon.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from hashlib import sha1
from pathlib import Path
from types import ModuleType, NoneType, UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from langcrawl.errors import BadValue, UnknownName, UsageError

T = TypeVar("T")
_TRUTH = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def make(kind: str, spec: str, makers: Mapping[str, Callable[..., T]], **given: Any) -> T:
    """Make the part that `spec` names; `given` goes to the makers that ask for it."""
    name, _, rest = spec.partition(":")
    if name not in makers:
        raise UnknownName(kind, name, makers, see=f"langcrawl {kind}s".replace("gys", "gies"))
    return call(kind, name, makers[name], rest, **given)


def is_own(spec: str, makers: Mapping[str, object]) -> bool:
    """Whether `spec` names a part of the user's own, by its place."""
    place, _, rest = spec.partition(":")
    return place not in makers and ("." in place or "/" in place) and bool(rest)


def make_own(kind: str, spec: str, **given: Any) -> Any:
    """Make a part of the user's own; the caller looks whether it is one of that kind.

    What the place holds is called with the parameters, as a function or a class is; an object
    that cannot be called is the part itself.
    """
    place, _, rest = spec.partition(":")
    name, _, parameters = rest.partition(":")
    found = load(kind, place, name)
    if not callable(found):
        if parameters:
            raise UsageError(f"'{place}:{name}' is an object and takes no parameters; remove them.")
        return found
    try:
        return call(kind, name, found, parameters, **given)
    except UsageError:
        raise
    except Exception as error:  # whatever a user's code does
        raise UsageError(f"the {kind} '{spec}' cannot be made ({_in_words(error)}).") from error


def load(kind: str, place: str, name: str) -> Any:
    """What a user's own file, or importable module, calls `name`."""
    try:
        module = _from_file(Path(place)) if place.endswith(".py") else _from_module(place)
    except Exception as error:  # whatever a user's file does
        problem = _in_words(error)
        if isinstance(error, FileNotFoundError) and not Path(place).exists():
            problem = f"there is no file '{place}'"
        raise UsageError(f"the {kind} '{place}:{name}' cannot be loaded ({problem}).") from error
    if not hasattr(module, name):
        own = [key for key, value in vars(module).items()
               if getattr(value, "__module__", "") == module.__name__]  # fmt: skip
        has = f"it has {', '.join(own)}" if own else "it defines nothing"
        raise UsageError(
            f"the {kind} '{place}:{name}' cannot be loaded (there is no '{name}' in it; {has})."
        )
    return getattr(module, name)


def _from_file(path: Path) -> ModuleType:
    """A file as a module, run anew; modules beside it are found, as they are by its own run.

    It is entered among the modules, under a name that no other has: a dataclass looks there. It is
    compiled from its text: a compiled file beside it may be that of an earlier moment of the same
    second.
    """
    path = path.absolute()
    key = sha1(str(path).encode(), usedforsecurity=False).hexdigest()[:8]
    found = importlib.util.spec_from_file_location(f"{path.stem}_{key}", path)
    assert found is not None
    if str(path.parent) not in sys.path:
        sys.path.append(str(path.parent))
    module = importlib.util.module_from_spec(found)
    sys.modules[module.__name__] = module
    try:
        exec(compile(path.read_bytes(), str(path), "exec"), vars(module))
    except BaseException:
        del sys.modules[module.__name__]
        raise
    return module


def _from_module(name: str) -> ModuleType:
    if "" not in sys.path:
        sys.path.insert(0, "")  # as python -m does: modules beside the user are found
    return importlib.import_module(name)


def _in_words(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}".strip(": ")


def call(kind: str, name: str, maker: Callable[..., T], rest: str, **given: Any) -> T:
    """Call a maker with parameters written as ``a=1,b=true``."""
    accepted = inspect.signature(maker).parameters
    fixed = {key: value for key, value in given.items() if key in accepted}
    hints = _hints(maker)
    chosen: dict[str, Any] = {}
    for item in filter(None, rest.split(",")):
        key, equals, value = item.partition("=")
        key = key.strip().replace("-", "_")
        key = f"{key}_" if f"{key}_" in accepted else key  # from is a word of Python's own
        if not equals:
            raise UsageError(
                f"'{item}' in the {kind} '{name}:{rest}' should be written as parameter=value."
            )
        if key not in accepted or key in fixed:
            raise UnknownName(f"parameter of {name}", key, set(accepted) - set(fixed))
        chosen[key] = _value(f"{name}'s {key}", value.strip(), hints.get(key, str))
    return maker(**fixed, **chosen)


def _hints(maker: Callable[..., Any]) -> dict[str, Any]:
    """The types of a maker's parameters: as annotated, else those of their defaults."""
    found = {
        key: type(parameter.default)
        for key, parameter in inspect.signature(maker).parameters.items()
        if parameter.default is not parameter.empty and parameter.default is not None
    }
    written = [maker.__init__, maker] if isinstance(maker, type) else [maker]  # type: ignore[misc]
    for each in written:
        with suppress(NameError, TypeError):  # a type that is imported for checkers only
            found |= get_type_hints(each)
    return found


def _value(what: str, text: str, wanted: Any) -> Any:
    if get_origin(wanted) in (Union, UnionType):  # int | None
        wanted = next(each for each in get_args(wanted) if each is not NoneType)
    if wanted is bool:
        if text.lower() not in _TRUTH:
            raise BadValue(f"{what} must be true or false, not '{text}'.")
        return _TRUTH[text.lower()]
    try:
        return wanted(text)
    except (ValueError, TypeError):
        kinds = {int: "a whole number", float: "a number"}
        raise BadValue(f"{what} must be {kinds.get(wanted, 'text')}, not '{text}'.") from None
