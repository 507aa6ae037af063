import { expect, test } from 'vitest';
import { BUNDLE_WARNING } from '../../src/contract/bundle.js';
import { KIND_INPUTS, KINDS } from '../../src/contract/item.js';
import { AGENT_KINDS } from '../../src/contract/route.js';
import { agentDefinition } from '../../src/kinds/agent-definitions.js';
import type { AgentName } from '../../src/kinds/kind.js';
import { KIND_DEFINITIONS } from '../../src/kinds/kinds.js';

const agents = Object.keys(AGENT_KINDS) as AgentName[];

test('The lists are exactly these, in this order.', () => {
  expect(KIND_INPUTS).toEqual({
    intent_audit: ['request', 'intent', 'specs', 'diff', 'changed_files'],
    intent_consistency: ['request', 'corpus'],
    release_changelog: ['cut', 'records'],
    reading: ['items'],
    change_review: ['diff', 'changed_files'],
    source_question: ['files'],
  });
});

test('Every kind is defined, and names exactly the agents that take it.', () => {
  for (const kind of KINDS) {
    const definition = KIND_DEFINITIONS[kind];
    expect(definition.kind).toBe(kind);
    expect(definition.agents).toEqual(agents.filter((agent) => AGENT_KINDS[agent].some((taken) => taken === kind)));
    expect(definition.families).toContain('secret');
  }
});

test.each(agents)('The definition of %s ends with the warning about its material.', (agent) => {
  expect(agentDefinition(agent).endsWith(`\n\n${BUNDLE_WARNING}\n`)).toBe(true);
});
