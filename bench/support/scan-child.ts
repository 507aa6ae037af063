/**
 * A scan of folders in a process of its own: what `coldseal scan PATH...` does, without writing its report. It first scans
 * a small part, so that the start and the compiling of rules are not in the figures, and tells clock, processor time and
 * the process's highest memory.
 */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { openSource } from '../../src/app/scan/open-source.js';
import { reportFacts } from '../../src/app/scan/report-facts.js';
import { scanFiles } from '../../src/app/scan/scan-files.js';
import { type ScanSession, withScanSession } from '../../src/app/scan/scan-session.js';
import { gatherSurroundings, type Surroundings } from '../../src/app/surroundings.js';

export interface ScanChildWords {
  /** Where the PATHs are read from; no repository. */
  readonly folder: string;
  readonly warmUp: string;
  readonly paths: readonly string[];
  /** Folder with the built files. */
  readonly dist: string;
  /** HOME of the run. */
  readonly home: string;
}

export interface ScanChildFigures {
  readonly files: number;
  readonly bytes: number;
  readonly findings: number;
  readonly unscanned: number;
  readonly wallMs: number;
  /** All threads of the process. */
  readonly cpuMs: number;
  /** Before the measured scan, after the warm-up. */
  readonly warmRssBytes: number;
  readonly peakRssBytes: number;
}

const scanPaths = async (surroundings: Surroundings, session: ScanSession, paths: readonly string[]) => {
  const source = await openSource(session, surroundings.folder, { kind: 'files', paths }, false);
  const facts = await reportFacts(surroundings, session, false);
  const counts = { files: 0, bytes: 0, findings: 0, unscanned: 0 };
  for await (const reports of scanFiles({ session, facts, observe: () => undefined, includesBinary: false }, source)) {
    for (const { bytes, findings, unscanned } of reports) {
      counts.files += 1;
      counts.bytes += bytes;
      counts.findings += findings.length;
      counts.unscanned += unscanned === null ? 0 : 1;
    }
  }
  return counts;
};

/** What the process runs. */
export const serveScan = async ({ folder, warmUp, paths, dist, home }: ScanChildWords): Promise<void> => {
  const gathered = gatherSurroundings({ folder, say: () => undefined, signal: new AbortController().signal });
  const surroundings = { ...gathered, homeFolder: home, builtFolder: dist };
  const figures = await withScanSession(surroundings, async (session): Promise<ScanChildFigures> => {
    await scanPaths(surroundings, session, [warmUp]);
    const warmRssBytes = process.memoryUsage.rss();
    const cpu = process.cpuUsage();
    const began = performance.now();
    const counts = await scanPaths(surroundings, session, paths);
    const wallMs = performance.now() - began;
    const { user, system } = process.cpuUsage(cpu);
    const peakRssBytes = process.resourceUsage().maxRSS * 1024;
    return { ...counts, wallMs, cpuMs: (user + system) / 1000, warmRssBytes, peakRssBytes };
  });
  process.send?.(figures, () => process.disconnect());
};

export const SCAN_CHILD = '--scan-child';

/** Rejects when the process ends without figures. `file` is the program that calls `serveScan`. */
export const runScanChild = (file: string, words: ScanChildWords): Promise<ScanChildFigures> =>
  new Promise((resolve, reject) => {
    const child = fork(fileURLToPath(file), [SCAN_CHILD, JSON.stringify(words)]);
    child.once('message', (figures) => resolve(figures as ScanChildFigures));
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`the scan ended with ${code}`)));
  });
