/**
 * `.abcd/config/reading-presets.json`: which files a reading at each position is made of. It comes from the commit that is
 * read, as bytes of a git object, and is held to the same strictness as the other settings files.
 */
import { createHash } from 'node:crypto';
import { globProblem } from '../contract/path-glob.js';
import { POSITIONS, type Position } from '../contract/reading.js';
import { list, object, record } from './container-shape.js';
import { placeFinder } from './json-document.js';
import { ProblemList } from './problem-list.js';
import type { SettingsDocument } from './read-settings-file.js';
import { judged, type Shape, text } from './shape.js';
import { readStrictJson } from './strict-json.js';

export const READING_PRESETS_PATH = '.abcd/config/reading-presets.json';

/** What one position's reading is made of; globs as in the owner's lists. */
export interface PresetEntry {
  readonly include: readonly string[];
  readonly exclude: readonly string[];
}

const MOST_GLOBS = 1024;
const VERSION = 1;

const glob = judged(text({ due: 'a path glob' }), globProblem);

const schemaVersion: Shape<typeof VERSION> = {
  schema: { const: VERSION },
  read: (node, _path, note) => {
    if (node.kind === 'number' && node.value === VERSION) return VERSION;
    note(node, `schema_version must be ${VERSION}, the only version known here`);
    return undefined;
  },
};

const presetsShape = object({
  required: {
    schema_version: schemaVersion,
    positions: record(
      {
        due: `a position (${POSITIONS.join(', ')})`,
        pattern: new RegExp(`^(?:${POSITIONS.join('|')})$`),
        most: POSITIONS.length,
      },
      object({
        required: { include: list(glob, { least: 1, most: MOST_GLOBS, unique: true }) },
        optional: { exclude: list(glob, { most: MOST_GLOBS, unique: true }) },
        unknown: 'refuse',
      }),
    ),
  },
  unknown: 'refuse',
});

/** Entries by position; one without an entry is not in the map. `CONFIG_INVALID` naming every problem with its place. */
export const readReadingPresets = (bytes: Uint8Array): ReadonlyMap<Position, PresetEntry> => {
  const { text: source, root, problems } = readStrictJson(bytes);
  const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
  const document: SettingsDocument = {
    file: READING_PRESETS_PATH,
    text: source,
    digest,
    root,
    problems,
    placeOf: placeFinder(source),
  };
  const list = new ProblemList();
  const read = list.read(document, presetsShape);
  list.refuse();
  return new Map(
    POSITIONS.flatMap((position) => {
      const entry = read?.positions.get(position);
      return entry === undefined ? [] : [[position, { include: entry.include, exclude: entry.exclude ?? [] }] as const];
    }),
  );
};
