/**
 * Everything of the settings that decides where a bundle goes and what it may hold, as one digest with its parts. Taken
 * when the run is planned and again from the second reading of the machine file, just before the socket opens: a
 * difference is `CONSENT_CHANGED`, naming the parts. Time limits decide nothing that leaves and are not in it.
 */
import { createHash } from 'node:crypto';
import { canonicalJson } from '../contract/canonical-json.js';
import { ColdsealError } from '../contract/error.js';
import type { KindName } from '../contract/item.js';
import { printable } from '../contract/printable.js';
import type { Route } from '../contract/route.js';
import type { Settings } from '../contract/settings.js';
import { chooseCap, chooseList, chooseWithhold } from './choose-bundle-limits.js';
import { type ChosenProject, chooseProject } from './choose-project.js';
import { chooseRoute } from './choose-route.js';
import { readsFiles } from './require-kind.js';

const DESTINATION_PARTS = [
  'provider block',
  'resolve',
  'route',
  'list',
  'cap',
  'override',
  'denylist',
  'model settings',
  'scanner settings',
] as const;
type DestinationPart = (typeof DESTINATION_PARTS)[number];

export interface Destination {
  /** `sha256:` + hex over all parts. */
  readonly digest: string;
  readonly parts: Readonly<Record<DestinationPart, string>>;
}

export interface DestinationRequest {
  readonly route: Route;
  readonly kind: KindName;
  readonly project: ChosenProject;
  readonly settings: Settings;
}

export function destinationDigest(request: DestinationRequest): string {
  return destinationOf(request).digest;
}

export function destinationOf({ route, kind, project, settings }: DestinationRequest): Destination {
  const provider = route.kind === 'provider' ? route.provider : null;
  const name = provider?.name ?? '';
  const decided: Record<DestinationPart, unknown> = {
    'provider block': provider && {
      name,
      baseUrl: provider.endpoint.baseUrl,
      credential: provider.credential,
      credentialSource: settings.own.credentials.get(provider.credential ?? '') ?? null,
      models: new Set(provider.models),
      caFile: provider.caFile,
      maxPromptTokens: provider.maxPromptTokens,
      usageChunk: provider.usageChunk,
      spawn: provider.spawn,
    },
    resolve: provider?.resolve ?? null,
    route: {
      kind: route.kind,
      agent: route.agent,
      provider: name,
      model: route.kind === 'provider' ? route.model : null,
    },
    list: { ...chooseList(kind, project), withhold: new Set(chooseWithhold(settings.bundles, project)) },
    cap: chooseCap(settings.bundles, project).bytes,
    override: !readsFiles(route.agent) || settings.bundledContextProviders.has(name),
    denylist: new Set(settings.denylist.map(({ entry }) => entry)),
    'model settings': provider?.settings ?? null,
    // What the bundle was scanned with: a pattern that was added meanwhile has not looked at it.
    'scanner settings': {
      families: settings.own.families,
      allow: new Set(settings.own.allow.map(({ fingerprint }) => fingerprint)),
      rulesFolder: settings.own.rulesFolder,
      private: new Set(settings.own.private),
      augmenter: settings.own.augmenter,
    },
  };
  const parts = Object.fromEntries(DESTINATION_PARTS.map((part) => [part, sha256(decided[part])])) as Record<
    DestinationPart,
    string
  >;
  return { digest: sha256(parts), parts };
}

export interface SecondReading {
  /** What the plan was made with. */
  readonly planned: Destination;
  readonly agent: string;
  /** Every `--route` as typed. */
  readonly typed: readonly string[];
  readonly kind: KindName;
  /** The same roots as at the plan: the repository is not asked again. */
  readonly roots: readonly string[];
  readonly shallow: boolean;
  /** The settings as they read now. */
  readonly settings: Settings;
}

/** Throws `CONSENT_CHANGED` when the settings as they read now lead anywhere else, or nowhere at all. */
export function requireSameConsent(reading: SecondReading): void {
  const again = destinationAgain(reading);
  if (again.ok && again.destination.digest === reading.planned.digest) return;
  const changed = again.ok ? changedParts(reading.planned, again.destination) : again.reason;
  throw new ColdsealError(
    'CONSENT_CHANGED',
    `${printable(reading.settings.machineFile)} changed between the plan and the send: ${changed}. Nothing was sent; run again to plan with what is in force now.`,
    { facts: { changed } },
  );
}

type Again = { readonly ok: true; readonly destination: Destination } | { readonly ok: false; readonly reason: string };

function destinationAgain({ agent, typed, kind, roots, shallow, settings }: SecondReading): Again {
  try {
    const { route } = chooseRoute({ agent, typed, settings });
    const project = chooseProject({ roots, shallow, settings });
    return { ok: true, destination: destinationOf({ route, kind, project, settings }) };
  } catch (error) {
    if (error instanceof ColdsealError) return { ok: false, reason: `now ${error.code}` };
    throw error;
  }
}

function changedParts(planned: Destination, again: Destination): string {
  return DESTINATION_PARTS.filter((part) => planned.parts[part] !== again.parts[part]).join(', ');
}

function sha256(value: unknown): string {
  return `sha256:${createHash('sha256').update(canonicalJson(value)).digest('hex')}`;
}
