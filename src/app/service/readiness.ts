/** Whether the service can do its work now: asked of the parts themselves, not of what they last said. */
import { probeStore } from '../../record/probe-store.js';
import { ownersRules } from '../scan-profile.js';
import type { ServiceContext } from './service-context.js';

/** Closed words: whoever asks needs no token. */
export const UNREADY = ['settings', 'scanner', 'records', 'queue', 'ending'] as const;
export type UnreadyPart = (typeof UNREADY)[number];

export const unreadyParts = async (context: ServiceContext): Promise<readonly UnreadyPart[]> => {
  const unready: UnreadyPart[] = context.desk.isClosing() ? ['ending'] : [];
  const settings = await context.readSettings().catch(() => null);
  if (settings === null) return [...unready, 'settings'];
  const parts: readonly (readonly [UnreadyPart, () => Promise<void>])[] = [
    [
      'scanner',
      async () => {
        await ownersRules(settings.own);
        await context.scanner.probe();
      },
    ],
    ['records', () => probeStore({ folder: settings.own.recordsFolder })],
    ['queue', context.probeQueue],
  ];
  for (const [part, probe] of parts) await probe().catch(() => unready.push(part));
  return unready;
};
