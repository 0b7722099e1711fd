# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pages that print on A4, with lines to sign on."""

from __future__ import annotations

STYLE = """
@page { size: A4; margin: 18mm 15mm 20mm; }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1rem; max-width: 60rem; background: #fff; color: #111;
  font: 11pt/1.4 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 18pt; line-height: 1.2; margin: 0 0 .3rem; }
h2 { font-size: 13pt; margin: 1.6rem 0 .4rem; }
.soft { color: #555; }
table { border-collapse: collapse; width: 100%; font-size: 9.5pt; }
th, td { text-align: left; padding: .2rem .4rem; border-bottom: 1px solid #bbb; vertical-align: top; }
th { border-bottom: 2px solid #555; }
td.number, th.number { text-align: right; white-space: nowrap; }
tr.location td { font-weight: 600; background: #f1f3f5; }
td.hand { min-width: 6rem; }
thead { display: table-header-group; }
.sign { display: grid; grid-template-columns: repeat(3, 1fr); gap: 2rem; margin-top: 2rem; break-inside: avoid; }
.sign div { border-top: 1px solid #111; padding-top: .2rem; margin-top: 3rem; font-size: 9pt; }
@media print {
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  body { max-width: none; padding: 0; font-size: 10pt; }
  tr { break-inside: avoid; } h2 { break-after: avoid; }
}
"""
