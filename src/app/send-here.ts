/** What stays on this machine: request files for the host, or the same request sent to a provider on this machine. */
import { routeDocument } from '../pipeline/outcome.js';
import { credentialOfRun } from './run-credential.js';
import { ended, type HereSend, handToHost } from './send-host.js';
import { sendLocal } from './send-local.js';
import type { SendResult } from './send-result.js';

export const sendHere = async (send: HereSend): Promise<SendResult> => {
  const { route, words, surroundings, place } = send;
  if (words.plan && route.kind === 'provider')
    await credentialOfRun({ surroundings, place, provider: route.provider, isPlan: true });
  if (words.plan) return ended({ outcome: 'planned', route: routeDocument(route) });
  return route.kind === 'host' ? handToHost(send) : sendLocal(send, route);
};
