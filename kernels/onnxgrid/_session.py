"""What one export under ``exporting`` wants and what it has collected.

A session is the state of one export: route, domain, opset, and the operators of ours that went
into the file, whose bodies are appended when the exporter has written it.  The sessions in force
form a stack per thread.
"""

import threading

from . import _proto
from ._function import function
from ._spec import DEFAULT_DOMAIN

ROUTES = ("shim", "contrib", "custom", "fused", "auto")
CONTRIB_DOMAIN = "com.microsoft"


class Session:
    """``functions`` maps the key of an operator and its dtype to (name, spec, dtype).

    ``grids`` remembers, under dynamo, which tensors came from an affine grid.
    """

    def __init__(self, route, domain=DEFAULT_DOMAIN, opset=None):
        self.route = route
        self.domain = domain
        self.opset = opset
        self.functions = {}
        self.grids = {}

    def function_name(self, spec, dtype):
        """The name under which ``spec`` goes into the file.

        The first use of an operator gets its plain name; uses with other attributes or dtypes
        need another body, hence another name.
        """
        key = spec.key() + (str(dtype),)
        if key not in self.functions:
            taken = {name for name, _, _ in self.functions.values()}
            name, number = spec.name, 1
            while name in taken:
                number += 1
                name = "{}_{}".format(spec.name, number)
            self.functions[key] = (name, spec, dtype)
        return self.functions[key][0]

    def number(self, spec, dtype):
        """The position of ``spec`` among the operators of the file."""
        name = self.function_name(spec, dtype)
        return [entry[0] for entry in self.functions.values()].index(name)

    def entry(self, number):
        """(name, spec, dtype) of the operator at a position."""
        return list(self.functions.values())[number]

    def node_domain(self, number):
        """The domain that the node of an operator gets in the file."""
        spec = self.entry(number)[1]
        return CONTRIB_DOMAIN if self.route == "contrib" and spec.in_contrib() else self.domain

    def node_name(self, number):
        """The operator's name in its domain."""
        name, spec, _ = self.entry(number)
        return name if self.node_domain(number) == self.domain else spec.name

    def bodies(self, opset):
        """FunctionProto, serialized, of every operator whose node needs one."""
        return [
            function(spec, dtype, opset, self.domain, name, native=self.route == "auto")
            for number, (name, spec, dtype) in enumerate(self.functions.values())
            if self.node_domain(number) == self.domain
        ]

    def trailer(self, head):
        """Bytes to append to a model whose top-level fields (graph left out) are ``head``.

        Protobuf takes the last value of a field and joins repeated ones, so a file is finished
        by appending to it.
        """
        if not self.functions:
            return b""
        opsets = dict(head.opsets)
        out = b"".join(
            _proto.field(_proto.Model.FUNCTIONS, body) for body in self.bodies(opsets[""])
        )
        if self.domain not in opsets:
            out += _proto.field(_proto.Model.OPSET_IMPORT, _proto.opset_id(self.domain, 1))
        if head.ir_version < 8:
            out += _proto.field(_proto.Model.IR_VERSION, 8)
        return out


class _Stack(threading.local):
    def __init__(self):
        self.sessions = []


_stack = _Stack()

#: How many dynamo captures are running; a plain number, because dynamo reads it while tracing.
capturing = 0


def current():
    """The session of the export that runs in this thread, or None."""
    return _stack.sessions[-1] if _stack.sessions else None


class running:
    """Context manager: ``session`` is in force in this thread."""

    def __init__(self, session):
        self.session = session

    def __enter__(self):
        _stack.sessions.append(self.session)
        return self.session

    def __exit__(self, *exc):
        _stack.sessions.pop()
