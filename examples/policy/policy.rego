# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

# A policy for plans: opa eval --fail-defined --data policy.rego --input plan.json 'data.seventhings.deny[_]'
package seventhings

import rego.v1

most_removed := 10

most_percent := 20

deny contains reason if {
	not input.outcome in {"changed", "unchanged"}
	reason := sprintf("the plan came to %v", [input.outcome])
}

deny contains reason if {
	number := count([change | some change in input.changes; change.action in {"delete", "archive"}])
	number > most_removed
	reason := sprintf("%d records would be removed; %d may be", [number, most_removed])
}

deny contains reason if {
	some change in input.changes
	before := change.before.purchasing_price
	after := change.after.purchasing_price
	is_number(before)
	is_number(after)
	abs(after - before) * 100 > most_percent * abs(before)
	reason := sprintf("%v %v: purchasing_price %v -> %v is more than %d %%", [change.section, change.key, before, after, most_percent])
}
