// secretlint over the same items, or repomix's check, which is secretlint on its two threads. `node secretlint.mjs
// secretlint|repomix TEXT LENGTHS`; one JSON line when it is ready and one for each line that it reads.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';

const [, , peer, textFile, lengthsFile] = process.argv;

const readItems = () => {
  const text = readFileSync(textFile);
  const lengths = readFileSync(lengthsFile);
  const items = [];
  for (let at = 0, index = 0; index < lengths.length; index += 4) {
    const size = lengths.readUInt32LE(index);
    items.push({ path: `item-${index / 4}.txt`, content: text.toString('utf8', at, at + size) });
    at += size;
  }
  return items;
};

const secretlint = async () => {
  const { lintSource } = await import('@secretlint/core');
  const { creator } = await import('@secretlint/secretlint-rule-preset-recommend');
  // repomix switches secretlint's own timing marks off, which makes it faster; so does this.
  Object.defineProperty(performance, 'mark', { value: () => undefined, configurable: true });
  const options = { config: { rules: [{ id: '@secretlint/secretlint-rule-preset-recommend', rule: creator }] } };
  return async (items) => {
    let found = 0;
    for (const { path: filePath, content } of items) {
      const { messages } = await lintSource({
        source: { filePath, content, ext: '.txt', contentType: 'text' },
        options,
      });
      found += messages.length;
    }
    return found;
  };
};

const repomix = async () => {
  const { runSecurityCheck } = await import('repomix');
  return async (items) => (await runSecurityCheck(items)).reduce((sum, { messages }) => sum + messages.length, 0);
};

const packages = { secretlint: '@secretlint/core', repomix: 'repomix' };
const items = readItems();
const scan = await (peer === 'repomix' ? repomix() : secretlint());
const { version } = createRequire(import.meta.url)(`./node_modules/${packages[peer]}/package.json`);
console.log(JSON.stringify({ version }));

for await (const _line of createInterface({ input: process.stdin })) {
  const cpu = process.cpuUsage();
  const began = performance.now();
  const found = await scan(items);
  const wallMs = performance.now() - began;
  const { user, system } = process.cpuUsage(cpu);
  console.log(JSON.stringify({ wallMs, cpuMs: (user + system) / 1000, found }));
}
