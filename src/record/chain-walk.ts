/** The walk along the chain: fed every line in order, it knows the first break. Pure, so that every fault has a test. */
import type { RecordRow } from '../contract/record.js';
import { type ChainEnd, LAST_HASH_FILE } from './last-hash.js';
import { decodeRow, GENESIS } from './row-line.js';
import type { StoredLine } from './row-stream.js';

interface Break {
  readonly file: string;
  readonly line: number;
  readonly reason: string;
}

/** A crash parts at most one write from its last hash, and a write holds a repair row and a row at most. */
const MOST_ROWS_BEHIND = 2;
const NO_BYTES = new Uint8Array(0);

export class ChainWalk {
  rows = 0;
  lastHash = GENESIS;
  brokenAt: Break | null = null;
  readonly notes: string[] = [];
  readonly unfinished = new Set<string>();

  private readonly known: ChainEnd | null;
  /** Number of rows up to the one that the last-hash file names. */
  private knownRows: number | null;
  private lastRow: StoredLine | null = null;
  /** A line that is no row: what a crash left, if the next row says so. */
  private scrap: StoredLine | null = null;

  constructor(known: ChainEnd | null) {
    this.known = known;
    this.knownRows = known?.hash === GENESIS ? 0 : null;
  }

  add(line: StoredLine): void {
    if (this.brokenAt !== null) return;
    const decoded = decodeRow(line.bytes);
    if (!decoded.ok && decoded.reason === 'not a row' && this.scrap === null) {
      this.scrap = { ...line, bytes: Buffer.from(line.bytes) };
      return;
    }
    if (this.lastRow?.torn === true) this.breakAt(this.lastRow, 'the file ends without a newline and another goes on');
    else if (this.scrap !== null && !(decoded.ok && closes(decoded.row, this.scrap)))
      this.breakAt(this.scrap, 'not a row');
    else if (!decoded.ok) this.breakAt(line, decoded.reason);
    else if (decoded.row.prev !== this.lastHash) this.breakAt(line, prevReason(this.rows));
    else this.count(line, decoded.row);
  }

  /** After the last line: the end of the chain against the last-hash file. */
  finish(): void {
    if (this.brokenAt !== null) return;
    if (this.scrap !== null && !this.isCrash(this.scrap)) {
      this.breakAt(this.scrap, 'not a row');
      return;
    }
    if (this.scrap !== null) this.notes.push('the last line is torn (a crash while appending); the next row closes it');
    const reason = this.judgeEnd();
    if (reason !== null) this.brokenAt = { file: LAST_HASH_FILE, line: 0, reason };
  }

  private judgeEnd(): string | null {
    const known = this.known;
    if (known === null) return this.rows === 0 ? null : 'missing or damaged, so a cut tail could not be seen';
    if (this.knownRows === null) return 'the last row that was written is not there: the tail was cut';
    const behind = this.rows - this.knownRows;
    if (behind > MOST_ROWS_BEHIND) return `it stands ${behind} rows before the end, which no crash can leave`;
    if (behind > 0) this.notes.push(`the last hash is ${behind} behind (a crash between a row and its last hash)`);
    const isSamePlace = known.file === (this.lastRow?.file ?? null) && known.bytes === (this.lastRow?.endBytes ?? 0);
    return behind === 0 && !isSamePlace ? 'it names another place of the last row' : null;
  }

  private count(line: StoredLine, row: RecordRow): void {
    this.scrap = null;
    this.rows += 1;
    this.lastHash = row.hash;
    this.lastRow = { ...line, bytes: NO_BYTES };
    if (row.hash === this.known?.hash) this.knownRows = this.rows;
    if (line.torn) this.notes.push('the last row lacks its newline (a crash while appending)');
    if (row.event === 'repair') this.notes.push(repairNote(line, row.torn_bytes));
    if (row.event === 'start') this.unfinished.add(row.id);
    if (row.event === 'end' || row.event === 'refused' || row.event === 'host') this.unfinished.delete(row.id);
  }

  /** Only what stands behind the last known row can be what a crash left. */
  private isCrash(scrap: StoredLine): boolean {
    if (!scrap.torn || this.known === null) return false;
    return this.knownRows !== null && this.rows - this.knownRows < MOST_ROWS_BEHIND;
  }

  private breakAt(line: StoredLine, reason: string): void {
    this.brokenAt = { file: line.file, line: line.line, reason };
  }
}

const closes = (row: RecordRow, scrap: StoredLine): boolean =>
  !scrap.torn && row.event === 'repair' && row.torn_bytes === scrap.bytes.length;

const prevReason = (rows: number): string =>
  rows === 0 ? 'the rows before the first one here are missing' : 'it does not follow the row before it';

const repairNote = (line: StoredLine, tornBytes: number): string =>
  tornBytes === 0
    ? `${line.file} line ${line.line}: the last-hash file was missing or damaged and was made again`
    : `${line.file} line ${line.line}: closes a torn line of ${tornBytes} bytes`;
