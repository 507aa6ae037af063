/** `coldseal pack`: the blanked, capped, framed bundle on standard output; nothing is sent and no provider is needed. */
import { type PackResult, type PackWords, packBundle } from '../../app/pack-bundle.js';
import type { SealedBundle } from '../../contract/bundle.js';
import { CODES } from '../../contract/codes.js';
import { ColdsealError } from '../../contract/error.js';
import { showNumber } from '../../contract/show-amount.js';
import { kindAsTyped } from '../kind-as-typed.js';
import { openProgress } from '../open-progress.js';
import { textOption, type VerbAction, type VerbWords } from '../verb-context.js';
import { writeOwnFile } from '../write-own-file.js';

const kindOf = (words: VerbWords): PackWords['kind'] => {
  const typed = textOption(words, 'kind');
  if (typed === null) return words.args.length === 0 ? 'change_review' : 'source_question';
  if (words.args.length > 0) throw new ColdsealError('USAGE', 'pack takes --kind or PATHs, not both');
  return kindAsTyped(typed);
};

const readWords = (words: VerbWords): PackWords => {
  const range = textOption(words, 'range');
  if (range !== null && words.args.length > 0) {
    throw new ColdsealError('USAGE', 'PATHs are read from HEAD, so --range does not go with them');
  }
  return {
    kind: kindOf(words),
    paths: words.args,
    range,
    intent: textOption(words, 'intent'),
    from: textOption(words, 'from'),
    to: textOption(words, 'to'),
  };
};

const accountOf = (bundle: SealedBundle): string => {
  const inItems = bundle.blanked.filter(({ item }) => item !== 'system');
  const blankedItems = new Set(inItems.map(({ item }) => item)).size;
  const omitted = (reason: string): number => bundle.items.filter((item) => item.omitted === reason).length;
  return (
    `coldseal: ${bundle.kind}: packs ${showNumber(bundle.items.length, 'item')}, ${bundle.bytes} bytes; ` +
    `blanked ${showNumber(inItems.length, 'span')} in ${showNumber(blankedItems, 'item')}; ` +
    `not shown: ${omitted('withheld')} withheld, ${omitted('binary')} binary, ${bundle.deleted.length} deleted`
  );
};

export const pack: VerbAction = async (context, words) => {
  const { flags, terminal, surroundings } = context;
  const output = textOption(words, 'output');
  if (flags.json && output === '-') {
    throw new ColdsealError('USAGE', '`--output -` and `--json` both take stdout; write the bundle to a file');
  }
  const asked = readWords(words);
  const progress = openProgress(context);
  let packed: PackResult;
  try {
    packed = await packBundle({ ...surroundings, say: progress.say }, asked, progress.observe);
  } finally {
    progress.close();
  }
  const { document, sealed } = packed;
  if (sealed !== null && output !== null && output !== '-') {
    await writeOwnFile(surroundings.folder, output, sealed.message);
  }
  if (flags.json) await terminal.write(`${JSON.stringify(document)}\n`);
  else if (sealed !== null && (output === null || output === '-')) await terminal.write(sealed.message);
  if (sealed !== null) terminal.say(accountOf(sealed));
  if (document.code === undefined) return 0;
  if (!flags.json) terminal.say(`refused (${document.code}): ${document.message ?? ''}`);
  return CODES[document.code].exit;
};
