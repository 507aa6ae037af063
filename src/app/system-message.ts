/** The system message of a run: the agent's definition, then what the person asks for. Scanned like an item. */
import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import { readAgentDefinition } from '../config/read-agent-definition.js';
import { agentDefinition } from '../kinds/agent-definitions.js';
import type { AgentName } from '../kinds/kind.js';
import { readBrief } from '../source/read-brief.js';
import type { SendWords } from './send-words.js';
import type { Surroundings } from './surroundings.js';

export interface SystemMessage {
  /** UTF-8. */
  readonly bytes: Uint8Array;
  /** Digests for the record: of the definition, and of brief and question where they were given. */
  readonly digests: Readonly<Record<string, string>>;
}

const sha256 = (bytes: Uint8Array | string): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

const section = (title: string, text: string): string => `\n# ${title}\n\n${text}${text.endsWith('\n') ? '' : '\n'}`;

/** `INPUT_MISSING` for a brief that cannot be read, `CONFIG_*` for a definition of the owner's that may not be used. */
export const systemMessage = async (
  surroundings: Surroundings,
  words: Pick<SendWords, 'brief' | 'question'>,
  agent: AgentName,
  machineFolder: string,
): Promise<SystemMessage> => {
  const definition = (await readAgentDefinition(machineFolder, agent, surroundings.uid)) ?? agentDefinition(agent);
  const brief = words.brief === null ? null : await readBrief(resolve(surroundings.folder, words.brief));
  const text = [
    definition,
    words.question === null ? '' : section('The question', words.question),
    brief === null ? '' : section('The brief', Buffer.from(brief).toString('utf8')),
  ].join('');
  return {
    bytes: Buffer.from(text, 'utf8'),
    digests: {
      definition: sha256(definition),
      ...(brief === null ? {} : { brief: sha256(brief) }),
      ...(words.question === null ? {} : { question: sha256(words.question) }),
    },
  };
};
