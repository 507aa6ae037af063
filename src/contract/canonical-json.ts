/**
 * One text for one value: members in bytewise order of their names, no blanks. Digests are taken over it, so they do not
 * depend on the order in which somebody wrote a settings file. Maps become lists of pairs and sets lists, both sorted.
 */

/** Canonical JSON of plain data, maps and sets. Members that are `undefined` are left out. */
export function canonicalJson(value: unknown): string {
  if (value instanceof Map) return sortedList([...value].map((pair) => canonicalJson(pair)));
  if (value instanceof Set) return sortedList([...value].map((entry) => canonicalJson(entry)));
  if (Array.isArray(value)) return `[${value.map((entry) => canonicalJson(entry ?? null)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(',')}}`;
}

function sortedList(entries: readonly string[]): string {
  return `[${entries.toSorted().join(',')}]`;
}
