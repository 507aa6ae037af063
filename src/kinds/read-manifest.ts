/** A parked manifest, strictly: what the bundle beside it must hold, item by item, and what was left out. */
import { ColdsealError } from '../contract/error.js';
import { MOST_ITEMS } from '../contract/item-bounds.js';
import { type Position, READING_MANIFEST_TYPE, type ReadingPreset, type ScanMark } from '../contract/reading.js';
import { JsonReader } from './json-reader.js';
import { hashed, type ParkedFile } from './parked-file.js';
import {
  ITEM_KEY,
  RUN_ID,
  readConstant,
  readForm,
  readKind,
  readMembers,
  readPosition,
  readPreset,
  readSchemaVersion,
  readText,
  refuseFaults,
} from './reading-shape.js';

export interface ManifestItem {
  readonly key: string;
  readonly kind: string;
  readonly candidate: string | null;
  readonly field: string | null;
  readonly scan: ScanMark;
  /** UTF-8 bytes of the text. */
  readonly bytes: number;
  /** 64 hex digits over the text's UTF-8. */
  readonly sha256: string;
}

export interface ReadingManifest {
  readonly runId: string;
  readonly position: Position;
  readonly assemblerVersion: string;
  readonly preset: ReadingPreset;
  readonly items: readonly ManifestItem[];
  /** Files left out, by the assembler's word for why. */
  readonly withheld: number;
  readonly binary: number;
  /** 64 hex digits over the file as it is. */
  readonly sha256: string;
}

const COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
const ASSEMBLER = /^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]{1,64})?\+sha256:[0-9a-f]{64}$/;
const PREFIXED_HASH = /^sha256:[0-9a-f]{64}$/;
const ITEM_HASH = /^(?:sha256:)?[0-9a-f]{64}$/;
const SCAN = /^(?:parsed|unscanned)$/;

/** `READING_INVALID`; `ITEM_TOO_LARGE` for more items than are ever read. */
export const readManifest = (file: ParkedFile): Promise<ReadingManifest> =>
  refuseFaults(file.shown, async () => {
    const { chunks, digest } = hashed(file.chunks());
    const reader = new JsonReader(chunks);
    const manifest = await readDocument(reader);
    await reader.readEnd();
    return { ...manifest, sha256: digest() };
  });

const readDocument = async (reader: JsonReader): Promise<Omit<ReadingManifest, 'sha256'>> => {
  let runId = '';
  let position: Position = 'widening';
  let assemblerVersion = '';
  let preset: ReadingPreset = {};
  let items: readonly ManifestItem[] = [];
  let reasons: ReadonlyMap<string, number> = new Map();
  await readMembers(reader, {
    _type: () => readConstant(reader, READING_MANIFEST_TYPE),
    schema_version: () => readSchemaVersion(reader),
    run_id: async () => {
      runId = await readForm(reader, RUN_ID, 'a run id (rdg- and digits)');
    },
    position: async () => {
      position = await readPosition(reader);
    },
    target_commit: async () => {
      await readForm(reader, COMMIT, 'a full commit id');
    },
    assembler_version: async () => {
      assemblerVersion = await readForm(reader, ASSEMBLER, 'a version with its hash');
    },
    preset: async () => {
      preset = await readPreset(reader);
    },
    preset_hash: async () => {
      await readForm(reader, PREFIXED_HASH, 'a hash with its name');
    },
    items: async () => {
      items = await readItems(reader);
    },
    exclusions: async () => {
      reasons = await readExclusions(reader);
    },
  });
  const withheld = reasons.get('withheld') ?? 0;
  const binary = reasons.get('binary') ?? 0;
  return { runId, position, assemblerVersion, preset, items, withheld, binary };
};

const readItems = async (reader: JsonReader): Promise<readonly ManifestItem[]> => {
  const items: ManifestItem[] = [];
  const keys = new Set<string>();
  for await (const index of reader.entries()) {
    if (index >= MOST_ITEMS) {
      throw new ColdsealError(
        'ITEM_TOO_LARGE',
        `The parked reading has more than ${MOST_ITEMS} items, the most that are read. Narrow its include list and assemble it again.`,
        { facts: { limit_items: MOST_ITEMS } },
      );
    }
    const item = await readItem(reader);
    if (keys.has(item.key)) throw reader.fault('has an item key twice');
    keys.add(item.key);
    items.push(item);
  }
  return items;
};

const readItem = async (reader: JsonReader): Promise<ManifestItem> => {
  let key = '';
  let kind = '';
  let candidate: string | null = null;
  let field: string | null = null;
  let scan: ScanMark = 'unscanned';
  let bytes = 0;
  let sha256 = '';
  await readMembers(
    reader,
    {
      item_key: async () => {
        key = await readForm(reader, ITEM_KEY, 'an item key (itm- and digits)');
      },
      path: async () => {
        await readText(reader);
      },
      field: async () => {
        field = await readText(reader);
      },
      candidate: async () => {
        candidate = await readText(reader);
      },
      kind: async () => {
        kind = await readKind(reader);
      },
      scan: async () => {
        scan = (await readForm(reader, SCAN, '"parsed" or "unscanned"')) === 'parsed' ? 'parsed' : 'unscanned';
      },
      bytes: async () => {
        bytes = await reader.readCount();
      },
      sha256: async () => {
        sha256 = (await readForm(reader, ITEM_HASH, 'a hash')).slice(-64);
      },
    },
    ['field', 'candidate'],
  );
  return { key, kind, candidate, field, scan, bytes, sha256 };
};

/** How many files were left out, by reason. */
const readExclusions = async (reader: JsonReader): Promise<ReadonlyMap<string, number>> => {
  const reasons = new Map<string, number>();
  for await (const _index of reader.entries()) {
    await readMembers(reader, {
      path: async () => {
        await readText(reader);
      },
      reason: async () => {
        const reason = await readText(reader);
        if (reason === 'withheld' || reason === 'binary') reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
      },
    });
  }
  return reasons;
};
