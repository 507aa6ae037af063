/**
 * What of a message cannot be scanned: told by the part's type in either format, by members that point to something kept
 * elsewhere, and for a type that nobody knows yet by the data itself. Arguments and schemas of tools are the client's own
 * members; there only data says that it is a file.
 */
import type { PayloadHint } from './base64-text.js';
import type { OpaquePart } from './gate-request.js';
import { type JsonNode, type JsonObject, memberText } from './json-tree.js';

const MEDIA_TYPES: ReadonlySet<string> = new Set([
  'image',
  'image_url',
  'image_file',
  'input_image',
  'audio',
  'audio_url',
  'input_audio',
  'video',
  'video_url',
  'input_video',
  'computer_screenshot',
]);
const REFERENCES: ReadonlySet<string> = new Set(['file_id', 'file_ids', 'file_url', 'container_id']);
const MEDIA: ReadonlySet<string> = new Set(['image_url', 'input_audio', 'video_url', 'audio_url']);

/** What makes an object opaque by itself, its data aside; `null` for one that is not. */
export const opaqueObject = (bytes: Uint8Array, node: JsonObject): OpaquePart['what'] | null => {
  const type = memberText(bytes, node, 'type');
  if (type !== null && MEDIA_TYPES.has(type)) return 'image, audio or video';
  if (type === 'container_upload') return 'reference to a file kept elsewhere';
  for (const { name, value } of node.members) {
    if (!isGiven(value)) continue;
    if (MEDIA.has(name)) return 'image, audio or video';
    if (REFERENCES.has(name)) return 'reference to a file kept elsewhere';
    if (name === 'source' && value.kind === 'object') {
      const source = memberText(bytes, value, 'type');
      if (source === 'url' || source === 'file') return 'reference to a file kept elsewhere';
    }
  }
  return null;
};

/** `null` says that there is none. */
const isGiven = (value: JsonNode): boolean => value.kind !== 'word';

const FILE_DATA: ReadonlySet<string> = new Set(['file_data', 'b64_json', 'blob', 'base64']);
const MEDIA_TYPE = /^(?:media|mime)_?type$|^format$/i;
/** Members whose strings are text, or come from the provider and go back to it as they were. */
const TEXTS: ReadonlySet<string> = new Set([
  'text',
  'content',
  'arguments',
  'input',
  'output',
  'thinking',
  'reasoning',
  'reasoning_content',
  'refusal',
  'description',
  'system',
  'title',
  'context',
  'signature',
  'thought_signature',
  'encrypted_content',
]);

/** What a string member of a message is taken for. */
export const payloadHint = (bytes: Uint8Array, parent: JsonObject, name: string): PayloadHint => {
  if (TEXTS.has(name)) return 'text';
  if (FILE_DATA.has(name)) return 'file';
  if (name !== 'data') return 'unknown';
  const type = memberText(bytes, parent, 'type');
  if (type === 'text' || type === 'redacted_thinking') return 'text';
  return type === 'base64' || parent.members.some((member) => MEDIA_TYPE.test(member.name)) ? 'file' : 'unknown';
};
