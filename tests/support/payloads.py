# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Texts of attackers, which try to run, read, forge or break something.

They are put into every field, name and error that the collection receives from others. For each of them the tests check
that nothing ran, nothing outside was touched, and no secret or control character was printed.
"""

from __future__ import annotations

import itertools
import random
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence

from project import LONG

CANARY = "heron-51-quay"
"""The text that a payload prints (``$CANARY``) and writes (into ``$RAN``) if it runs; no payload contains it."""

OWN = "own-71-secret"
"""The value of the variable ``own_secret`` of a play, which no record may show."""

_RUNS = "echo $CANARY | tee -a $RAN"
_BARE = f"lookup('ansible.builtin.pipe', '{_RUNS}')"

EXECUTION = (
    _BARE,
    f"{{{{ {_BARE} }}}}",
    "{{ lookup('ansible.builtin.env', 'CANARY') }}",
    "query('ansible.builtin.env', 'CANARY')[0]",
    f"{{% set x = {_BARE} %}}{{{{ x }}}}",
    f"{{%- if {_BARE} -%}}x{{%- endif -%}}",
    f"{{# {_BARE} #}}",
    f"#jinja2:variable_start_string:'[[',variable_end_string:']]'\n[[ {_BARE} ]]",
    "own_secret",
    "{{ own_secret }}",
    "lookup('ansible.builtin.vars', 'own_secret')",
    "hostvars['localhost']['own_secret'] ~ vars.own_secret",
    "' ~ lookup('ansible.builtin.env', 'CANARY') ~ '",
    "x' or lookup('ansible.builtin.env', 'CANARY') or 'x",
    '" ~ own_secret ~ "',
    "true or own_secret",
    "{{ ''.__class__.__mro__[1].__subclasses__() }}",
    "{{ cycler.__init__.__globals__.os.popen(lookup('ansible.builtin.env', 'RAN')) }}",
    f"$({_RUNS})",
    f"`{_RUNS}`",
    f"; {_RUNS};",
    f"|| {_RUNS} #",
    "!unsafe '{{ own_secret }}'",
    "!vault |\n  $ANSIBLE_VAULT;1.1;AES256\n  00",
    "!!python/object/apply:os.system ['echo $CANARY']",
    '{"__ansible_type": "TaggedStr", "value": "{{ own_secret }}", "tags": ["TrustedAsTemplate"]}',
    '{"__ansible_unsafe": "x"}',
)
"""Template expressions with and without braces, names of variables, commands, tags."""

TERMINAL = (
    "\x1b[2J\x1b[H",
    "\x1b]0;title\x07",
    "\x1b]52;c;ZXZpbA==\x07",
    "\x1b]8;;https://evil.example\x1b\\x\x1b]8;;\x1b\\",
    "\x1bP+q544e\x1b\\",
    "\x9b31m\x9d0;x\x9c",
    "\x07\x08\x7f",
    "a\x00b",
    "red\x1b[31m",
    "\x0e\x0f\x05",
    "\x85\x0b\x0c",
)
"""Control sequences of terminals."""

LOGS = (
    "::error file=x::forged",
    "x\n::error::forged",
    f"{'x' * 60} ::stop-commands::y ::add-mask::z",
    "##vso[task.setvariable variable=x]y",
    "##[error]forged",
    "##teamcity[buildProblem description='x']",
    "section_start:1:x\r\x1b[0K",
    "ok\nfatal: [localhost]: FAILED!",
    "\r\n[ERROR]: forged",
    "x\rPLAY RECAP ****",
    "\r\r# heading",
    "\n- objects ALL\n    archived: false -> true",
    "\u2028PLAY RECAP\u2029",
    "changed=0 failed=0",
)
"""Forged lines and commands for a log."""

UNSEEN = (
    "gnp\u202egpj.exe",
    "\u2066admin\u2069",
    "\u200ba\u200c\u200d\u2060",
    "\ufeffx",
    "\U000e0041\U000e0042",
    "a\u00adb",
    "\ufff9x\ufffa",
    "\u061cx",
    "\u180ex",
    "a\u034fb\u115f\u3164\uffa0",
    "x\ufe01y\U000e0100\U000e01ef",
    "x\u2800y\U00016fe4\U0001d159",
)
"""Bidirectional and zero-width characters, and tags."""

SURROGATES = ("\ud800", "a\udfffb", "\udc80\ud83d")
"""Lone surrogates, which can't be encoded."""

MARKUP = (
    "@all @everyone @org/team #1 !2 GH-3 ~label :smile:",
    "https://evil.example www.evil.example a@evil.example",
    "[a](javascript:alert(1)) ![i](https://evil.example/y.png)",
    "[r]: https://evil.example",
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<!-- c --> &lt; &#x3c;",
    '"><svg/onload=alert(1)>',
    "</title></style><base href=//evil.example>",
    "**b** _i_ ~~s~~ `c` ``d`` # h > q - l 1. n | t | ---",
    "`" * 3 + "\nx\n" + "`" * 3,
    "`" * 100 + " @all " + "`" * 101,
    "a\\|b | c \\\\| d",
    "$`x`$ $$x$$",
    "/close",
    "- [ ] task",
    "> [!CAUTION]",
    "| a | b |\n|---|---|",
    "<details><summary>x</summary>",
    "[^1] [[x]]",
    "\\",
    "`",
)
"""HTML, and Markdown with the extensions of code hosts."""

FORMULAS = (
    "=1+1",
    '=HYPERLINK("https://evil.example","x")',
    "=cmd|' /C calc'!A0",
    "+1+cmd|' /C calc'!A0",
    "-2+3+cmd|' /C calc'!A0",
    "@SUM(1+1)*cmd|' /C calc'!A0",
    "\t=1+1",
    "\r=1+1",
    "'=1+1",
    "''=1+1",
    "＝1+1",  # noqa: RUF001 - a wide letter
    '","=1+1',
    ";=1+1;",
    "a\n=1+1",
)
"""Texts that a spreadsheet would run."""

PATHS = (
    "../../outside/secret.txt",
    "/etc/passwd",
    "..",
    ".",
    "~root",
    "$HOME",
    "file:///etc/passwd",
    "..%2f..%2foutside",
    "C:\\Windows\\win.ini",
    "\\\\evil.example\\share",
    "a/../../b",
    "con",
    "x" * 300,
    ".vault_pass",
    "-rf",
    "host_vars/localhost",
    "a,b",
    "a:22",
    "a[1:3]",
    "*",
    "%s %n {0} {x}",
)
"""Paths, and texts that a shell, a pattern or a format interprets."""

SHAPES = (
    "",
    " ",
    "x" * 20_000,
    "<" * 20_000,
    "[" * 500,
    '{"a":' * 200,
    "null",
    "true",
    "0",
    "-1",
    "1e400",
    "NaN",
    "2027-01-01",
    "yes",
    "~",
    "[]",
    "{}",
    "&a *a",
    "<<: *a",
    "- x",
    "? :",
    "%YAML 1.1",
    "---",
    "é\u0301" * 50,
)
"""Long, deep and empty texts, and texts that a format interprets."""

FORMAT = (
    "_state",
    "_managed",
    "_lifecycle",
    " _state",
    "_match",
    "absent",
    "archived",
    "false",
    "{ignore: ['*']}",
    '{"protect": true}',
    "uuid",
    "id",
    "updated_at",
    "archived_at",
    "created_by_user_id",
    "deleted",
    "barcode",
    "Barcode",
    "number",
    "building_id",
    "Room",
    "objects",
    "instance",
    "moved",
    "# note",
    "#",
    "sep=;",
    "sep=,",
    "a;b",
    "a|b",
    'say "no"',
    "tab\there",
    "two\nlines",
    "<<",
    "=",
    "!vault",
    "!!binary x",
    "@file",
    "${x}",
    "${$}",
    "$",
    "NULL",
    "(null)",
    "\\N",
    "<NA>",
    "nan",
    "0042",
    "1E5",
    "31.12.2024",
    "1.890",
    "1,890.00",
    "WAHR",
    "5",
    "1/2",
    "1\\/2",
    "00000005-0000-4000-8000-000000000001",
    "Gr\u00f6\u00dfe",
    "Gro\u0308\u00dfe",
    "caf\u00e9",
    "cafe\u0301",
    "\u212a",
    "a  b",
    "a b",
    "_x005F_state",
    "_x0041_",
    "#N/A",
    "field_key",
    "custom_1",
    "note_0123abcd",
)
"""Words, values and names that the file format, a table or the service gives a meaning of its own."""

CORPUS: dict[str, Sequence[str]] = {
    "execution": EXECUTION,
    "terminal": TERMINAL,
    "logs": LOGS,
    "unseen": UNSEEN,
    "surrogates": SURROGATES,
    "markup": MARKUP,
    "formulas": FORMULAS,
    "paths": PATHS,
    "shapes": SHAPES,
    "format": FORMAT,
}
"""All payloads, by their target."""


def every() -> list[str]:
    """Return all payloads without duplicates."""
    return list(dict.fromkeys(itertools.chain.from_iterable(CORPUS.values())))


def some(seed: int = 0, of_each: int = 3) -> list[str]:
    """Return a few payloads of each sort, which depend on the seed; in the long tests all of them."""
    if LONG:
        return every()
    chance = random.Random(seed)
    return [text for texts in CORPUS.values() for text in chance.sample(texts, min(of_each, len(texts)))]


def mixed(seed: int, number: int) -> list[str]:
    """Return random texts: parts of payloads in sequence."""
    chance = random.Random(seed)
    pool = [text for text in every() if len(text) < 200]
    return ["".join(chance.sample(pool, chance.randrange(2, 5))) for _number in range(number)]


# ---- what must not be printed

_WITHOUT_WIDTH = frozenset("\u034f\u115f\u3164\uffa0\ufe01\U000e0100\U000e01ef\u2800\U00016fe4\U0001d159")
_STEERS = frozenset(["Cc", "Cf", "Cs", "Zl", "Zp"])
_IN_JSON = re.compile(r'"(?:[^"\\\n]|\\.)*"')
_COMMAND = re.compile(
    r"^\s*::(?:error|warning|notice|debug|group|stop-commands|add-mask)\b|##(?:vso|teamcity)?\[", re.MULTILINE
)


def steering(text: str) -> Iterator[str]:
    """Return the characters of a multi-line text that control a terminal or a pipeline, or are invisible."""
    for letter in sorted(set(text)):
        if letter != "\n" and (unicodedata.category(letter) in _STEERS or letter in _WITHOUT_WIDTH):
            yield f"U+{ord(letter):04X}"
    yield from _COMMAND.findall(text)


def steering_in_output(output: str) -> list[str]:
    """Return the control characters in the output of an Ansible command.

    Ansible prints data in results as JSON, in which it escapes only C0 controls.
    """
    own = _IN_JSON.sub('""', output)
    in_data = {f"U+{ord(letter):04X}" for letter in set(output) if letter < " " and letter != "\n"}
    return sorted({*steering(own), *in_data})


def steering_in_results(results: Iterable[dict[str, object]]) -> list[str]:
    """Return the same for messages and warnings of results, which Ansible prints as text."""
    found: list[str] = []
    for result in results:
        warnings = result.get("warnings") or []
        texts = [result.get("msg"), *(warnings if isinstance(warnings, list) else [])]
        found += [character for text in texts if isinstance(text, str) for character in steering(text)]
    return found
