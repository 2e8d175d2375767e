# SPDX-License-Identifier: MIT
# Reads the coverage of rtl/msi with the states of its caches (coverage.txt of an episode). The cover
# points of cache_controller say which state changes must have been seen, by the table of
# rtl/msi/README.md: these and no others, and as many of those that the bus alone brings about. For
# each controller, prints what differs.
function change(from, events, to, is_bus,   names, count, i) {
    count = split(events, names, " ")
    for (i = 1; i <= count; i++) {
        changes++
        froms[changes] = from; events_of[changes] = names[i]; tos[changes] = to
        if (!is_bus) others[from " " to] = 1
    }
}

BEGIN {
    change("I", "Load", "IS_AD", 0); change("I", "Store Atomic", "IM_AD", 0)
    change("S", "Store Atomic", "SM_AD", 0); change("S", "Flush Replace", "I", 0)
    change("M", "Flush Replace", "MI_A", 0)
    change("IS_AD", "Own_GetS", "IS_D", 1); change("IM_AD", "Own_GetM", "IM_D", 1)
    change("SM_AD", "Own_GetM", "SM_D", 1)
    change("MI_A", "Own_PutM", "I", 1); change("II_A", "Own_PutM", "I", 1)
    change("M", "Other_GetS", "S", 1); change("M", "Other_GetM", "I", 1)
    change("S", "Other_GetM", "I", 1); change("MI_A", "Other_GetS Other_GetM", "II_A", 1)
    change("IS_D", "Other_GetM", "IS_D_I", 1); change("SM_AD", "Other_GetM", "IM_AD", 1)
    change("IS_D", "Data", "S", 1); change("IS_D_I", "Data", "I", 1)
    for (i = split("IM SM", ours, " "); i > 0; i--) {
        d = ours[i] "_D"
        change(d, "Other_GetS", d "_S", 1); change(d, "Other_GetM", d "_I", 1)
        change(d "_S", "Other_GetM", d "_SI", 1)
        change(d, "Data", "M", 1); change(d "_S", "Data", "S", 1)
        change(d "_I", "Data", "I", 1); change(d "_SI", "Data", "I", 1)
    }
}

NF == 5 && $1 == "cache_controller" { hits[$2 " " $3 " " $4] = $5; controllers[$2] = 1 }
NF == 5 && $1 == "cache.states" && $4 != "-" { seen[$2 " " $3 " " $4] = $5 }

END {
    for (c in controllers)
        for (i = 1; i <= changes; i++)
            implied[c " " froms[i] " " tos[i]] += hits[c " " froms[i] " " events_of[i]]
    for (k in implied) {
        split(k, part, " ")
        is_exact = !((part[2] " " part[3]) in others)
        if ((implied[k] > 0) != (seen[k] > 0) || (is_exact && implied[k] != seen[k]))
            print "controller", k ": implied", implied[k] + 0, "seen", seen[k] + 0
        compared += implied[k] > 0
        exact += implied[k] > 0 && is_exact
    }
    for (k in seen)
        if (!(k in implied))
            print "controller", k ": seen", seen[k], "and impossible"
    print compared + 0, "changes compared,", exact + 0, "of them exactly" >"/dev/stderr"
}
