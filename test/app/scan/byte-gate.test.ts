import { expect, it } from 'vitest';
import { createByteGate } from '../../../src/app/scan/byte-gate.js';

/** What has been let in, by name, in order. */
const line = (gate: ReturnType<typeof createByteGate>) => {
  const inside: string[] = [];
  const leaves = new Map<string, () => void>();
  return {
    inside,
    enter: (name: string, bytes: number) =>
      void gate.enter(bytes).then((leave) => {
        inside.push(name);
        leaves.set(name, leave);
      }),
    leave: (name: string) => leaves.get(name)?.(),
  };
};
const settled = () => new Promise((resolve) => setImmediate(resolve));

it('lets in up to its bytes, then in the order of coming', async () => {
  const { inside, enter, leave } = line(createByteGate(10));
  enter('a', 6);
  enter('b', 4);
  enter('c', 5);
  enter('d', 1);
  await settled();
  expect(inside).toEqual(['a', 'b']);
  leave('b');
  await settled();
  // d would fit, but c came before it.
  expect(inside).toEqual(['a', 'b']);
  leave('a');
  await settled();
  expect(inside).toEqual(['a', 'b', 'c', 'd']);
});

it('lets in alone what is over its bytes, and nothing beside it', async () => {
  const { inside, enter, leave } = line(createByteGate(10));
  enter('small', 1);
  enter('large', 100);
  enter('next', 1);
  await settled();
  expect(inside).toEqual(['small']);
  leave('small');
  await settled();
  expect(inside).toEqual(['small', 'large']);
  leave('large');
  leave('large');
  await settled();
  expect(inside).toEqual(['small', 'large', 'next']);
});
