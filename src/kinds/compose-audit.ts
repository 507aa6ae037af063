/**
 * The request of an audit: what was promised, word for word, and how to judge it. The receipt depends on the promise
 * alone, so the same intent asked twice is the same question.
 */

import { ColdsealError } from '../contract/error.js';
import type { CommitRange } from '../contract/item.js';
import { printablePath } from '../contract/printable-path.js';
import type { ComposedKind } from './composed-kind.js';
import { textField } from './front-matter.js';
import { countListItems, findSection } from './markdown-sections.js';
import { composeRequest, receiptOf, requestItem, sha256Hex } from './provenance.js';
import type { RecordFiles } from './record-files.js';
import { checkIntentId, findIntent, findSpecs } from './record-tree.js';

const RUBRIC = `## Rubric

Judge each acceptance criterion against the delivered range alone.

- MET: the range does what the criterion says, and a line shows it.
- MET_WITH_CONCERNS: it does, and something about it will not hold; say what.
- NOT_MET: it does not, or does something else.
- INCONCLUSIVE: the material does not settle it; say what would.

A criterion is judged as it is written, not as it may have been meant. Every judgement names at least one line of the
material. What was delivered beyond the criteria, and what they promise that nothing delivers, goes into the gap audit.`;

const SHAPE = `## Shape of the verdict

One JSON document and nothing around it, criteria in their order as ac-1, ac-2 and on:

\`\`\`json
{
  "_type": "abcd/intent-fidelity-verdict/v1",
  "receipt_id": "<the receipt above>",
  "verifier": { "id": "<agent>", "version": "<model>" },
  "policy": { "rubric_hash": "<from Provenance>", "prompt_hash": "<from Provenance>" },
  "input_attestations": [{ "kind": "<input>", "ref": "<path or range>", "digest": "<digest or empty>" }],
  "criteria": [
    {
      "criterion_id": "ac-1",
      "verdict": "MET | MET_WITH_CONCERNS | NOT_MET | INCONCLUSIVE",
      "rationale": "<why>",
      "evidence": [{ "ref": "<path:line>", "quote": "<short>" }]
    }
  ],
  "acceptance_rollup": { "MET": 0, "MET_WITH_CONCERNS": 0, "NOT_MET": 0, "INCONCLUSIVE": 0 },
  "gap_audit": { "honoured": [], "diverged": [], "missing": [] }
}
\`\`\``;

const CRITERIA = 'Acceptance Criteria';
const SCOPE = 'Scope Conditions';

/** `USAGE` for a word that is no id; `INPUT_MISSING` for an intent that is not shipped or promises nothing. */
export const composeAudit = async (files: RecordFiles, typedId: string, range: CommitRange): Promise<ComposedKind> => {
  const intent = await findIntent(files, checkIntentId(typedId), ['shipped']);
  const path = printablePath(intent.file.path);
  if (files.isWithheld(intent.file)) {
    throw new ColdsealError(
      'INPUT_MISSING',
      `${path} is withheld from what leaves, and its criteria are what an audit asks about. Lift the glob that withholds it, or hand the work to the host with \`--route intent-auditor=host-decides\`.`,
      { facts: { input: 'intent' } },
    );
  }
  const criteria = findSection(intent.body, CRITERIA);
  if (criteria === null || criteria.body === '') {
    throw new ColdsealError('INPUT_MISSING', `${path} has no "${CRITERIA}" section to audit.`, {
      facts: { input: 'request' },
    });
  }
  const specs = await findSpecs(files, intent);
  const specId = textField(intent, 'spec_id') ?? specs[0]?.id ?? '';
  const receipt = receiptOf(intent.id, specId, sha256Hex(criteria.body));
  const count = countListItems(criteria.body);
  const request = composeRequest({
    receipt,
    title: 'Fidelity review request',
    bullets: [
      ['intent', path],
      ['specs', specs.length === 0 ? 'none' : specs.map(({ id }) => id).join(', ')],
      ['delivered_range', `${range.base}..${range.head}`],
    ],
    sections: [
      `## ${CRITERIA} (${count}, in order ac-1..ac-${count})\n\n${criteria.body}`,
      `## ${SCOPE}\n\n${findSection(intent.body, SCOPE)?.body ?? 'None stated.'}`,
    ],
    rubric: [RUBRIC, SHAPE],
  });
  return {
    prepared: new Map([
      ['request', [requestItem(request, receipt)]],
      ['intent', [await files.item(intent.file)]],
      ['specs', await Promise.all(specs.map(({ file }) => files.item(file)))],
    ]),
    range,
    receipt,
    documents: [{ suffix: 'request.md', bytes: request.bytes }],
  };
};
