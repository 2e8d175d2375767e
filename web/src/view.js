// SPDX-License-Identifier: MIT
// What the reader chose to see: values of the axes, and the ways of drawing. Kept in the address after
// the '#', so that a link shows what its sender saw. Only what differs from the default is written.

const views = { metric: null, against: "cycles", steps: "linear", cells: "hits" };
const nothing = "\u2205"; // in the address: no value at all, which is a choice as well
const unset = ""; // the value of an axis for groups that do not have it

export class View {
  /** axes: the report's, each {name, values}; groups decide whether "not set" is a value too. */
  constructor(axes, groups) {
    this.axes = axes.map(({ name, values }) => {
      const texts = values.map(String);
      return {
        name,
        values:
          groups.some((g) => valueOf(g.axes, name) === unset) && !texts.includes(unset) ? [...texts, unset] : texts,
      };
    });
    this.chosen = new Map(); // axis → Set of values; an axis that is not here is not filtered
    this.choices = { ...views };
    this.listeners = [];
  }

  read(hash) {
    this.chosen.clear();
    this.choices = { ...views };
    const pairs = new URLSearchParams(hash.replace(/^#/, ""));
    for (const { name, values } of this.axes) {
      if (!pairs.has(name)) continue;
      const wanted = pairs.getAll(name).filter((value) => values.includes(value));
      if (!wanted.length && !pairs.getAll(name).includes(nothing)) continue; // another report's values
      if (wanted.length < values.length) this.chosen.set(name, new Set(wanted));
    }
    for (const key of Object.keys(views)) if (pairs.has(`show-${key}`)) this.choices[key] = pairs.get(`show-${key}`);
  }

  write() {
    const pairs = new URLSearchParams();
    for (const [name, values] of this.chosen) {
      for (const value of values) pairs.append(name, value);
      if (!values.size) pairs.append(name, nothing);
    }
    for (const [key, value] of Object.entries(this.choices)) if (value !== views[key]) pairs.set(`show-${key}`, value);
    return pairs.toString();
  }

  onChange(listener) {
    this.listeners.push(listener);
  }

  changed(what) {
    for (const listener of this.listeners) listener(what);
  }

  choose(key, value) {
    this.choices[key] = value;
    this.changed(key);
  }

  allows(name, value) {
    const set = this.chosen.get(name);
    return !set || set.has(value);
  }

  set(name, values) {
    const all = this.axes.find((axis) => axis.name === name).values;
    if (values.length === all.length) this.chosen.delete(name);
    else this.chosen.set(name, new Set(values));
    this.changed("filter");
  }

  reset() {
    this.chosen.clear();
    this.changed("filter");
  }

  /** A group has every axis, be it as "not set". */
  shows(group) {
    for (const [name, set] of this.chosen) if (!set.has(valueOf(group.axes, name))) return false;
    return true;
  }

  /** Rows, columns and tables of protocols are concerned only by the axes they name. */
  concerns(axes) {
    for (const [name, set] of this.chosen)
      if (axes && axes[name] !== undefined && axes[name] !== null && !set.has(String(axes[name]))) return false;
    return true;
  }
}

function valueOf(axes, name) {
  const value = axes ? axes[name] : undefined;
  return value === undefined || value === null ? unset : String(value);
}
