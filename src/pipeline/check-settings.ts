/**
 * Model settings leave with the request, so they are scanned too. They are not blanked: a setting with a hole in it is
 * another setting, and the person who wrote it should know.
 */
import { canonicalJson } from '../contract/canonical-json.js';
import { ColdsealError } from '../contract/error.js';
import { type AssemblyRequest, SHORTEST_CREDENTIAL_BYTES } from './assembly-request.js';
import { batchTexts, packShared } from './batch-texts.js';
import { scanBatch } from './scan-texts.js';

type Settings = Readonly<Record<string, unknown>>;

/** @throws ColdsealError `SETTING_REFUSED` naming each setting that holds a secret or a credential's value */
export const refuseSecretSettings = async (
  settings: Settings,
  request: Pick<AssemblyRequest, 'scanner' | 'profile' | 'isAllowed' | 'knownValues'>,
): Promise<void> => {
  const names = Object.keys(settings).sort();
  const texts = packShared(names.map((name) => Buffer.from(canonicalJson(settings[name]))));
  const refused = new Set<string>();
  for (const batch of batchTexts(texts.map((bytes, ref) => ({ ref, text: { item: names[ref] ?? '', bytes } })))) {
    const named = (ref: number) => ({ item: 'settings', shown: `the setting ${names[ref]}` });
    for (const [ref, { findings }] of await scanBatch(request, batch, named)) {
      if (findings.length > 0) refused.add(names[ref] ?? '');
    }
  }
  const credentials = request.knownValues.filter(({ bytes }) => bytes.length >= SHORTEST_CREDENTIAL_BYTES);
  texts.forEach((bytes, ref) => {
    const text = Buffer.from(bytes);
    if (credentials.some((credential) => text.includes(Buffer.from(credential.bytes)))) refused.add(names[ref] ?? '');
  });
  if (refused.size === 0) return;
  const list = [...refused].sort().join(', ');
  throw new ColdsealError(
    'SETTING_REFUSED',
    `the model setting ${list} holds what the scanner takes for a secret, and settings leave with the request; remove it or give it another value`,
    { facts: { settings: list } },
  );
};
