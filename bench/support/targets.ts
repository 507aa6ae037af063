/** What was to be reached and what was: printed under every table, kept with every run. */
import { formatTable } from '../../src/cli/tables.js';

export interface Target {
  readonly name: string;
  /** `least` and `most` are in `unit`. */
  readonly least?: number;
  readonly most?: number;
  readonly unit: string;
  readonly measured: number;
}

export interface JudgedTarget extends Target {
  readonly holds: boolean;
}

export const judge = (target: Target): JudgedTarget => ({
  ...target,
  measured: Number(target.measured.toFixed(2)),
  holds: target.measured >= (target.least ?? -Infinity) && target.measured <= (target.most ?? Infinity),
});

/** Lines of a table, the failed ones marked. */
export const targetTable = (targets: readonly JudgedTarget[]): string =>
  formatTable(
    [{ head: 'target' }, { head: 'wanted', align: 'right' }, { head: 'measured', align: 'right' }, { head: '' }],
    targets.map(({ name, least, most, unit, measured, holds }) => [
      name,
      least === undefined ? `<= ${most}` : `>= ${least}`,
      `${measured} ${unit}`,
      holds ? 'holds' : 'MISSED',
    ]),
    null,
  ).join('\n');
