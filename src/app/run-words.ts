/**
 * One send in a program's words: the kind and what that kind needs, and nothing that is the owner's to say (provider,
 * list, cap, brief). What the kind does not take is refused rather than passed over.
 */
import { ColdsealError } from '../contract/error.js';
import type { KindName } from '../contract/item.js';
import type { SendWords } from './send-words.js';

const MEMBERS = ['range', 'question', 'intent', 'from', 'to', 'dispatch'] as const;
type Member = (typeof MEMBERS)[number];

export interface ProgramWords extends Readonly<Partial<Record<Member, string | undefined>>> {
  readonly kind: KindName;
  readonly expect?: string | undefined;
  /** `AGENT=host-decides`, the one route that names no provider. */
  readonly route?: string | undefined;
}

interface KindWords {
  readonly verb: string;
  /** A reading's is that of its position, once the run was read. */
  readonly agent: string;
  readonly needs: readonly Member[];
  readonly takes: readonly Member[];
}

/** The verbs of the command line by kind. */
const KIND_WORDS: Readonly<Record<KindName, KindWords>> = {
  change_review: { verb: 'review', agent: 'change-reviewer', needs: [], takes: ['range'] },
  source_question: { verb: 'ask', agent: 'source-reader', needs: ['question'], takes: [] },
  intent_audit: { verb: 'intent audit', agent: 'intent-auditor', needs: ['intent'], takes: ['range'] },
  intent_consistency: { verb: 'intent consistency', agent: 'intent-auditor', needs: [], takes: ['intent'] },
  release_changelog: {
    verb: 'release changelog',
    agent: 'release-changelog-composer',
    needs: ['from'],
    takes: ['to'],
  },
  reading: { verb: 'reading ingest', agent: 'cold-reading', needs: ['dispatch'], takes: [] },
};

/** `USAGE` naming the member that is missing or that the kind does not take. */
export const programWords = (asked: ProgramWords, plan: boolean): SendWords => {
  const { verb, agent, needs, takes } = KIND_WORDS[asked.kind];
  for (const member of MEMBERS) {
    const isGiven = asked[member] !== undefined;
    if (needs.includes(member) && !isGiven) throw new ColdsealError('USAGE', `${asked.kind} needs \`${member}\``);
    if (isGiven && !needs.includes(member) && !takes.includes(member)) {
      throw new ColdsealError('USAGE', `${asked.kind} takes no \`${member}\``);
    }
  }
  return {
    verb,
    kind: asked.kind,
    agent,
    range: asked.range ?? null,
    brief: null,
    question: asked.question ?? null,
    intent: asked.intent ?? null,
    from: asked.from ?? null,
    to: asked.to ?? null,
    dispatch: asked.dispatch ?? null,
    routes: asked.route === undefined ? [] : [asked.route],
    settings: [],
    plan,
    expect: asked.expect ?? null,
    isAwaited: true,
    mustSend: !plan,
  };
};
