/**
 * The cap, the list and the withheld globs in force for one kind of one project: the project's, else the machine's, else
 * the default. Withheld globs add up, because they only narrow.
 */
import { type Cap, DEFAULT_CAP_BYTES } from '../contract/bundle.js';
import { KIND_INPUTS, type KindName, type ListEntry } from '../contract/item.js';
import type { BundleSettings } from '../contract/settings.js';
import type { ChosenProject } from './choose-project.js';

/** The cap with its origin and the one key that raises it here: the project's own where there is a project. */
export function chooseCap(bundles: BundleSettings, project: ChosenProject): Cap {
  const key = project.key === null ? 'oracle.bundles.cap' : `oracle.bundles.projects.${project.key}.cap`;
  const own = project.entry?.capBytes ?? null;
  if (own !== null) return { bytes: own, origin: 'project', key };
  if (bundles.capBytes !== null) return { bytes: bundles.capBytes, origin: 'machine', key };
  return { bytes: DEFAULT_CAP_BYTES, origin: 'default', key };
}

export interface ChosenList {
  readonly entries: readonly ListEntry[];
  readonly origin: 'compiled' | 'owner';
}

/** The owner's list for the kind in this project, else the compiled one. */
export function chooseList(kind: KindName, project: ChosenProject): ChosenList {
  const own = project.entry?.kinds.get(kind);
  if (own !== undefined) return { entries: own, origin: 'owner' };
  return { entries: KIND_INPUTS[kind].map((input) => ({ kind: 'input', input })), origin: 'compiled' };
}

/** The machine's globs, then the project's. */
export function chooseWithhold(bundles: BundleSettings, project: ChosenProject): readonly string[] {
  return [...bundles.withhold, ...(project.entry?.withhold ?? [])];
}
