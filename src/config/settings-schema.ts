/** The machine file as a JSON schema, made from the very shapes that read it: `coldseal config schema`. */
import type { JsonValue } from './json-document.js';
import { machineShape } from './machine-schema.js';

export function settingsSchema(): JsonValue {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Coldseal machine file',
    description: 'The owner’s settings, ~/.abcd.noindex/config.json. Members that are not named here belong to others.',
    ...machineShape.schema,
  };
}
